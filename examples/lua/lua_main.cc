// lua_tidepool: runs Lua scripts on tidepool's heap.
//
//   lua_tidepool [--alloc=tidepool|default] [--threads=N] [--limit=BYTES]
//                [--stats] SCRIPT [ARGUMENT...]
//
// With --threads=N the script runs in N states on N threads at once, and each state is
// closed by another thread than the one that ran it. Prints what the script returns;
// --stats adds the heap's figures as JSON on standard error. Status 1: an error in Lua.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "lua.hpp"
#include "lua_run.h"

namespace {

using tidepool_lua::LuaHeap;

struct Job {
  lua_State* state = nullptr;
  bool good = false;
  std::string result;
};

void RunJob(LuaHeap* heap, const std::string& script,
            const std::vector<std::string>& arguments, Job* job) {
  job->state = tidepool_lua::OpenState(heap);
  if (job->state == nullptr) {
    job->result = "not enough memory for a state";
    return;
  }
  job->good =
      tidepool_lua::RunFile(job->state, script, arguments, &job->result);
}

int Usage() {
  fprintf(stderr,
          "usage: lua_tidepool [--alloc=tidepool|default] [--threads=N]\n"
          "                    [--limit=BYTES] [--stats] SCRIPT [ARGUMENT...]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  bool ours = true, stats = false;
  int threads = 1, at = 1;
  tidepool::Options defaults;
  defaults.background_thread = true;
  absl::StatusOr<tidepool::Options> options =
      tidepool::Options::FromEnvironment(defaults);
  if (!options.ok()) {
    fprintf(stderr, "%s\n", std::string(options.status().ToString()).c_str());
    return 2;
  }
  for (; at < argc && argv[at][0] == '-'; ++at) {
    std::string word = argv[at];
    if (word == "--alloc=tidepool") ours = true;
    else if (word == "--alloc=default") ours = false;
    else if (word == "--stats") stats = true;
    else if (word.rfind("--threads=", 0) == 0) threads = atoi(&word[10]);
    else if (word.rfind("--limit=", 0) == 0) {
      absl::Status set = options->Set("max_memory", word.substr(8));
      if (!set.ok()) {
        fprintf(stderr, "%s\n", std::string(set.ToString()).c_str());
        return 2;
      }
    } else return Usage();
  }
  if (at == argc || threads < 1 || threads > 1024) return Usage();
  std::string script = argv[at];
  std::vector<std::string> arguments(argv + at + 1, argv + argc);

  std::unique_ptr<LuaHeap> heap;
  if (ours) {
    absl::StatusOr<std::unique_ptr<LuaHeap>> made = LuaHeap::Create(*options);
    if (!made.ok()) {
      fprintf(stderr, "%s\n", std::string(made.status().ToString()).c_str());
      return 1;
    }
    heap = *std::move(made);
  }
  std::vector<Job> jobs(threads);
  auto with_heap = [&](auto&& body) {
    if (heap == nullptr) return body();
    LuaHeap::Thread scope(heap.get());
    body();
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([&, i] {
      with_heap([&] { RunJob(heap.get(), script, arguments, &jobs[i]); });
    });
  }
  bool good = true;
  with_heap([&] {
    RunJob(heap.get(), script, arguments, &jobs[0]);
    {
      LuaHeap::Away away;
      for (std::thread& other : others) other.join();
    }
    // The states of all threads, closed by this one.
    for (Job& job : jobs) {
      if (job.state != nullptr) lua_close(job.state);
      fprintf(job.good ? stdout : stderr, "%s\n", job.result.c_str());
      good = good && job.good;
    }
  });
  if (stats && heap != nullptr) {
    fprintf(stderr, "%s\n", heap->domain()->StatsJson().c_str());
  }
  return good ? 0 : 1;
}
