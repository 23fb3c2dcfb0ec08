// Large blocks made on one thread and freed on another, with malloc and free only: the
// program that tools/pool_rows runs with every allocator it finds preloaded.
//
//   pool_program produce|consume new|keep [MIB [COUNT [THREADS [ROUNDS]]]]
//
//   produce  workers malloc a block and copy a pattern into it, the main thread frees it
//   consume  the main thread mallocs a block and reads /dev/zero into it, workers add it
//            up and free it
//   new      the workers end with every round; keep: one set of workers for all rounds
//
// At most THREADS blocks are in flight. Before the clock starts, a child process touches as
// much memory and ends: a virtual machine may have handed free huge pages to its host, and
// who touches them next pays for getting them back, up to 0.5 s for 144 MiB. Prints one line of name=value words, memory in
// MiB; `idle` is what is resident two seconds after the last block was freed.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

constexpr int kMostThreads = 64;

struct Job {
  char* block = nullptr;
  uint64_t sum = 0;
  bool done = false;
  Job* next = nullptr;
};

struct Program {
  bool produce = true;
  bool keep = true;
  size_t block = size_t{16} << 20;
  int count = 64;
  int threads = 8;
  int rounds = 10;
  char* pattern = nullptr;

  std::mutex lock;
  std::condition_variable work, done;
  Job* head = nullptr;  // jobs that no worker has taken yet
  Job** tail = &head;
  bool stopping = false;
  Job jobs[kMostThreads];
  std::thread workers[kMostThreads];

  void Do(Job* job) {
    if (produce) {
      job->block = static_cast<char*>(malloc(block));
      if (job->block == nullptr) abort();
      memcpy(job->block, pattern, block);
      return;
    }
    uint64_t sum = 0, word;
    for (size_t i = 0; i < block; i += sizeof(word)) {
      memcpy(&word, job->block + i, sizeof(word));
      sum = sum * 31 + word;
    }
    job->sum = sum;
    free(job->block);
  }

  void Worker() {
    std::unique_lock<std::mutex> hold(lock);
    for (;;) {
      work.wait(hold, [this] { return head != nullptr || stopping; });
      if (head == nullptr) return;
      Job* job = head;
      head = job->next;
      if (head == nullptr) tail = &head;
      hold.unlock();
      Do(job);
      hold.lock();
      job->done = true;
      done.notify_all();
    }
  }

  void Start() {
    stopping = false;
    for (int i = 0; i < threads; ++i) workers[i] = std::thread(&Program::Worker, this);
  }

  void Stop() {
    {
      std::lock_guard<std::mutex> hold(lock);
      stopping = true;
    }
    work.notify_all();
    for (int i = 0; i < threads; ++i) workers[i].join();
  }

  uint64_t Reap(Job* job) {
    {
      std::unique_lock<std::mutex> hold(lock);
      done.wait(hold, [job] { return job->done; });
    }
    if (!produce) return job->sum;
    const uint64_t sum = static_cast<unsigned char>(job->block[block / 2]);
    free(job->block);
    return sum;
  }

  // False: /dev/zero could not be read.
  bool Submit(Job* job, int zero) {
    *job = Job();
    if (!produce) {
      job->block = static_cast<char*>(malloc(block));
      if (job->block == nullptr) abort();
      for (size_t at = 0; at < block;) {
        const ssize_t n = read(zero, job->block + at, block - at);
        if (n <= 0) return false;
        at += static_cast<size_t>(n);
      }
    }
    {
      std::lock_guard<std::mutex> hold(lock);
      *tail = job;
      tail = &job->next;
    }
    work.notify_one();
    return true;
  }

  bool Round(int zero, uint64_t* sum) {
    int got = 0;
    for (int sent = 0; sent < count;) {
      if (!Submit(&jobs[sent++ % threads], zero)) return false;
      if (sent - got >= threads) *sum += Reap(&jobs[got++ % threads]);
    }
    while (got < count) *sum += Reap(&jobs[got++ % threads]);
    return true;
  }
};

double StatusMib(const char* key) {
  char text[8192];
  const int file = open("/proc/self/status", O_RDONLY);
  const ssize_t n = read(file, text, sizeof(text) - 1);
  close(file);
  text[n > 0 ? n : 0] = 0;
  const char* at = strstr(text, key);
  return at != nullptr ? strtod(at + strlen(key) + 1, nullptr) / 1024 : -1;
}

double Cpu() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

// So that every allocator begins with memory that the machine has at hand.
void TouchInAChild(size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
      madvise(p, bytes, MADV_HUGEPAGE);
      for (size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(p)[at] = 1;
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

Program program;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr,
            "usage: pool_program produce|consume new|keep [MIB [COUNT [THREADS [ROUNDS]]]]\n");
    return 2;
  }
  Program& p = program;
  p.produce = strcmp(argv[1], "produce") == 0;
  p.keep = strcmp(argv[2], "keep") == 0;
  if (argc > 3) p.block = static_cast<size_t>(atoi(argv[3])) << 20;
  if (argc > 4) p.count = atoi(argv[4]);
  if (argc > 5) p.threads = atoi(argv[5]);
  if (argc > 6) p.rounds = atoi(argv[6]);
  if (p.block == 0 || p.count < 1 || p.rounds < 1 || p.threads < 1 ||
      p.threads > kMostThreads) {
    fprintf(stderr, "pool_program: sizes and counts start at 1, threads end at 64\n");
    return 2;
  }
  // Twice what is held: some allocators keep more.
  TouchInAChild(2 * p.block * (static_cast<size_t>(p.threads) + 1));
  if (p.produce) {
    p.pattern = static_cast<char*>(malloc(p.block));
    if (p.pattern == nullptr) return 1;
    for (size_t i = 0; i < p.block; ++i) p.pattern[i] = static_cast<char>(i);
  }
  const int zero = open("/dev/zero", O_RDONLY);
  const auto start = std::chrono::steady_clock::now();
  uint64_t sum = 0;
  if (p.keep) p.Start();
  for (int r = 0; r < p.rounds; ++r) {
    if (!p.keep) p.Start();
    if (!p.Round(zero, &sum)) return 1;
    if (!p.keep) p.Stop();
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double cpu = Cpu();
  const double peak = StatusMib("VmHWM");
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const double idle = StatusMib("VmRSS");
  if (p.keep) p.Stop();
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  printf("peak=%.1f idle=%.1f seconds=%.4f cpu=%.3f faults=%ld sum=%llu\n", peak, idle,
         time.count(), cpu, use.ru_minflt, static_cast<unsigned long long>(sum & 0xff));
  return 0;
}
