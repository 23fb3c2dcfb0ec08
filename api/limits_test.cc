// docs/limits.md says what the library does: each row's number is looked up in the code, and
// tried where that is cheap.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/page_map.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/object/header.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/spread.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/tidepool.h"

namespace {

using namespace tidepool;  // NOLINT

// "| what | most | ...": 64, 0xbfffffff or 2^46.
std::map<std::string, uint64_t> Rows() {
  std::map<std::string, uint64_t> rows;
  std::ifstream page("docs/limits.md");
  std::string line;
  while (std::getline(page, line)) {
    std::istringstream cells(line);
    std::string empty, what, most;
    std::getline(cells, empty, '|');
    if (!std::getline(cells, what, '|') || !std::getline(cells, most, '|')) continue;
    if (most.find_first_of("0123456789") == std::string::npos) continue;
    const size_t power = most.find("2^");
    rows[what.substr(1, what.size() - 2)] =
        power != std::string::npos ? uint64_t{1} << std::stoul(most.substr(power + 2))
                                   : std::stoull(most, nullptr, 0);
  }
  return rows;
}

// At the end of a stack of this depth, of frames that are really there.
__attribute__((noinline)) void* AllocateDeep(tp_thread* thread, int depth) {
  volatile int kept = depth;
  void* block = depth == 0 ? tp_malloc(thread, 1000) : AllocateDeep(thread, depth - 1);
  kept = kept + 1;
  return block;
}

TEST(LimitsTest, ThePageSaysWhatTheCodeDoes) {
  std::map<std::string, uint64_t> rows = Rows();
  auto expect = [&](const char* what, uint64_t value) {
    EXPECT_EQ(rows.count(what), 1u) << what;
    EXPECT_EQ(rows[what], value) << what;
    rows.erase(what);
  };
  expect("address space", uint64_t{1} << internal::PageMap::kAddressBits);
  expect("references by the owner", kLocalLimit);
  expect("references by others", kDeferredBias);
  expect("deferred objects with counts of each thread's own", SpreadTable::kMaxIds);
  expect("threads that mark", gc_internal::kMaxMarkers);
  expect("text of an error", sizeof(tp_error().text) - 1);
  tp_isolate* isolate = tp_isolate_create(nullptr, nullptr);
  ASSERT_NE(isolate, nullptr);
  const std::string name(100, 'n');
  tp_thread* thread = tp_thread_enter(isolate, name.c_str());
  ASSERT_NE(thread, nullptr);
  // A name that is cut is what the report of a busy isolate says.
  tp_error error;
  EXPECT_EQ(tp_isolate_destroy(isolate, &error), TP_BUSY);
  expect("name of a thread", std::string(error.text).find("' is") - 8);
  // Beyond the largest block nothing is tried.
  expect("bytes of one block", uint64_t{1} << 46);
  EXPECT_EQ(tp_malloc(thread, (size_t{1} << 46) + 1), nullptr);
  expect("alignment of a block", uint64_t{1} << 46);
  EXPECT_EQ(tp_aligned_alloc(thread, size_t{1} << 47, 1), nullptr);
  // A profile's frames: how much the embedder may write, and what a deep stack leaves.
  static size_t most_frames;
  tp_profile_set_frames(
      isolate,
      [](tp_profile_frame*, size_t most, void*) {
        most_frames = most;
        return size_t{0};
      },
      nullptr);
  ASSERT_EQ(tp_profile_start(isolate, 1), TP_OK);
  size_t most_stack = 0;
  for (int i = 0; i < 200 && most_stack == 0; ++i) {  // most blocks are sampled, not all
    void* block = AllocateDeep(thread, 200);
    ASSERT_NE(block, nullptr);
    reinterpret_cast<ThreadState*>(thread)->isolate()->heap().VisitSamples(
        [&](const HeapSample& sample) {
          if (sample.block == block) most_stack = sample.stack_count;
        });
    tp_free(thread, block);
  }
  expect("frames of your language in a profile's sample", most_frames);
  expect("native frames in a sample", most_stack);
  tp_profile_stop(isolate);
  tp_gc_listener listeners[9] = {};
  uint64_t added = 0;
  while (added < 9 && tp_gc_add_listener(isolate, &listeners[added]) == TP_OK) ++added;
  expect("listeners of an isolate, by the C API", added);
  for (uint64_t i = 0; i < added; ++i) tp_gc_remove_listener(thread, &listeners[i]);
  EXPECT_EQ(tp_thread_leave(thread), TP_OK);
  EXPECT_EQ(tp_isolate_destroy(isolate, nullptr), TP_OK);

  static std::string names[40];  // for the life of the process
  uint64_t registered = 0;
  for (std::string& policy : names) {
    tp_policy_def def = tp_policy_def_init();
    policy = "limits_" + std::to_string(registered);
    def.name = policy.c_str();
    def.decide = [](void*, const tp_snapshot*, tp_decision* out) {
      static const std::string reason(100, 'r');
      out->collect = 1;
      out->reason = reason.c_str();
    };
    if (tp_policy_register(&def, &error) != TP_OK) break;
    ++registered;
  }
  EXPECT_EQ(error.status, TP_NO_MEMORY);
  expect("policies written in C, in a process", registered);

  // Collects by the first of them, which gives a long reason.
  const char* const options[] = {"gc_policy=limits_0", nullptr};
  tp_isolate_config config = tp_isolate_config_init();
  config.options = options;
  isolate = tp_isolate_create(&config, &error);
  ASSERT_NE(isolate, nullptr) << error.text;
  thread = tp_thread_enter(isolate, "main");
  static size_t length;
  length = 0;
  tp_gc_listener listener = {};
  listener.stop = [](tp_thread*, const tp_collection* info, void*) {
    length = strlen(info->reason);
  };
  ASSERT_EQ(tp_gc_add_listener(isolate, &listener), TP_OK);
  for (int i = 0; i < 10000 && length == 0; ++i) {
    tp_free(thread, tp_malloc(thread, 1 << 20));
    tp_safepoint(thread);
  }
  expect("reason of a policy", length);
  tp_gc_remove_listener(thread, &listener);
  EXPECT_EQ(tp_thread_leave(thread), TP_OK);
  EXPECT_EQ(tp_isolate_destroy(isolate, nullptr), TP_OK);
  for (const auto& row : rows) ADD_FAILURE() << "not compared: " << row.first;
}

}  // namespace
