// Runs the programs in C (c_user.h), each twice: an isolate can be made again.

#include "gtest/gtest.h"
#include "tidepool/api/c_user.h"
#include "tidepool/api/internal/c_impl.h"

namespace {

#define RUN(name, function)                                \
  TEST(CApiTest, name) {                                   \
    EXPECT_EQ(function(), 0) << "line of the failed CHECK"; \
    EXPECT_EQ(function(), 0) << "the second time";         \
  }

RUN(Types, c_types)
RUN(CountsAndCycles, c_counts_and_cycles)
RUN(Slots, c_slots)
RUN(WeakRefs, c_weakrefs)
RUN(Resize, c_resize)
RUN(ScopesAndHandles, c_scopes_and_handles)
RUN(ClassesAndDeferred, c_classes_and_deferred)
RUN(ObjectCheck, c_object_check)
RUN(Inline, c_inline)
RUN(RawMemory, c_raw_memory)
RUN(DelayedFrees, c_delayed_frees)
RUN(Limits, c_limits)
RUN(FiguresAndWalks, c_figures_and_walks)
RUN(ExternalMemory, c_external_memory)
RUN(BadFrees, c_bad_frees)
RUN(MemoryOfOnesOwn, c_memory_of_ones_own)
RUN(Heaps, c_heaps)
RUN(Isolates, c_isolates)
RUN(Threads, c_threads)
RUN(BreaksAndCalls, c_breaks_and_calls)
RUN(Locks, c_locks)
RUN(LongJump, c_longjmp)
RUN(Fork, c_fork)
RUN(ForkBesideAnother, c_fork_beside_another)
RUN(TwoIsolates, c_two_isolates)
RUN(Profile, c_profile)
RUN(MapAndSplit, c_map_and_split)
RUN(Faults, c_faults)
RUN(Blocks, c_blocks)
RUN(Policy, c_policy)
RUN(Collections, c_collections)
RUN(ListenersAndLists, c_listeners_and_lists)
RUN(Serving, c_serving)

// What a struct of an earlier version does not have is zero; what a later one has must be.
TEST(ReadStructTest, VersionsBeforeAndAfter) {
  struct {
    uint32_t size = 24;
    uint32_t version = TP_ABI_VERSION;
    uint64_t field[3] = {1, 2, 3};
  } given, read;
  const auto get = [&](size_t least, size_t known) {
    read.field[1] = read.field[2] = 9;
    return tidepool::c_api::ReadStruct(&given, &read, least, known, "it", nullptr);
  };
  EXPECT_EQ(get(16, 32), TP_OK);
  EXPECT_EQ(read.field[1], 2u);
  EXPECT_EQ(read.field[2], 0u);
  EXPECT_EQ(get(24, 24), TP_OK);
  EXPECT_EQ(get(25, 32), TP_INVALID);
  EXPECT_EQ(get(16, 16), TP_INVALID);  // field[1] is unknown and not zero
  given.field[1] = 0;
  EXPECT_EQ(get(16, 16), TP_OK);
}

}  // namespace
