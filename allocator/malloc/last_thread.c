/* last_thread MIB FORKS: in the last of FORKS forked children, takes so much memory, says
 * how many threads there were before and after, starts one more, and lets every thread of
 * its own leave: the C library then ends the process with status 0. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void* (*volatile p_malloc)(size_t) = malloc;

static int ThreadCount(void) {
  int count = 0;
  char line[256];
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file) != NULL) sscanf(line, "Threads: %d", &count);
  fclose(file);
  return count;
}

static void* Wait(void* unused) {
  free(p_malloc(100));
  usleep(20000);
  return unused;
}

int main(int argc, char** argv) {
  size_t bytes = (size_t)atoi(argc > 1 ? argv[1] : "0") << 20;
  int forks = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < forks; ++i) {
    volatile char* dirty = p_malloc(bytes + 1); /* the child inherits some */
    dirty[bytes] = 1;
    pid_t child = fork();
    if (child == 0) continue;
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0 ? 0 : 1;
  }
  int before = ThreadCount();
  volatile char* big = p_malloc(bytes + 1);
  for (size_t at = 0; at < bytes; at += 4096) big[at] = 1;
  printf("threads %d %d\n", before, ThreadCount());
  fflush(stdout);
  pthread_t thread;
  if (pthread_create(&thread, NULL, &Wait, NULL) != 0) return 2;
  pthread_exit(NULL);
}
