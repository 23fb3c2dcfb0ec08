// How many instructions counting takes, held exactly for g++ 12 on x86-64 (-c opt), so that
// a change shows in review. Elsewhere the counts are upper bounds with a margin.
//
// A forked child runs each operation between two breakpoints (base/step_count_testing.h).
// Each count includes the loop around it and the call of a small function (5 to 8
// instructions).
#include <unistd.h>

#include <vector>

#include "tidepool/object/internal/test_types.h"

#if defined(__x86_64__)
#include "tidepool/base/step_count_testing.h"

namespace tidepool::testing {
namespace {

using testing_steps::CountSteps;
using testing_steps::ExpectSteps;

__attribute__((noinline)) void TakeRef(ObjectHeader* obj) { Incref(obj); }
__attribute__((noinline)) void DropRef(ThreadState* ts, ObjectHeader* obj) { Decref(ts, obj); }
__attribute__((noinline)) bool TryTakeRef(ObjectHeader* obj) { return TryIncref(obj); }
__attribute__((noinline)) bool Load(ThreadState* ts, const Slot& slot, uintptr_t* out) {
  return LoadRef(ts, slot, out);
}
__attribute__((noinline)) void PassSafepoint(ThreadState* ts) { ts->Safepoint(); }

constexpr int kTimes = 64;  // of each operation, between two breakpoints
constexpr size_t kStretches = 11;

void RunOperations() {
  auto isolate = std::move(*Isolate::Create(Options()));
  // Of a thread that has gone, with the tid that it left.
  Node* foreign = nullptr;
  Thread other;
  if (!other.Start([&] {
        ThreadState* ts = isolate->AttachThread("other");
        foreign = NewNode(ts);
        SetMaybeWeakref(foreign);
        isolate->LeaveThread(ts);
      })) {
    _exit(9);
  }
  other.Join();
  ThreadState* ts = isolate->AttachThread("main");
  Node* own = NewNode(ts);
  Slot own_slot(AsValue(own));
  Slot foreign_slot(AsValue(foreign));
  uintptr_t value = 0;
  // Once, so that nothing is done for the first time.
  TakeRef(foreign);
  DropRef(ts, foreign);
  ts->Safepoint();
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) TakeRef(own);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, own);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) TakeRef(foreign);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) TryTakeRef(foreign);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) Load(ts, own_slot, &value);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, own);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) Load(ts, foreign_slot, &value);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  TIDEPOOL_BREAK();
  for (int i = 0; i < kTimes; ++i) PassSafepoint(ts);
  TIDEPOOL_BREAK();
  _exit(0);
}

void Expect(const char* what, long steps, long golden) {
  // Rounded down: the loop's own start is in it.
  ExpectSteps(what, steps / kTimes, golden, golden * 3 + 10);
}

TEST(ObjectFastPathTest, Counting) {
  TIDEPOOL_COUNTS_OPTIMISED_CODE();
  const std::vector<long> steps = CountSteps(&RunOperations, kStretches);
  ASSERT_EQ(steps.size(), kStretches);
  Expect("owner incref", steps[0], 14);
  Expect("owner decref", steps[1], 16);
  Expect("foreign incref", steps[2], 13);
  Expect("foreign decref", steps[3], 34);
  Expect("TryIncref, foreign", steps[4], 24);
  Expect("LoadRef, own object", steps[6], 40);
  Expect("LoadRef, foreign object", steps[8], 53);
  Expect("safepoint", steps[10], 8);
}

}  // namespace
}  // namespace tidepool::testing
#endif  // __x86_64__
