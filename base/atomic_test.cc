// Atomic<T>: values of every operation, and what its layout promises.
#include "tidepool/base/atomic.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "gtest/gtest.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

TEST(AtomicTest, LoadStoreExchange) {
  Atomic<int> word(1);
  EXPECT_EQ(word.load(kRelaxed), 1);
  word.store(2, kRelease);
  EXPECT_EQ(word.load(kAcquire), 2);
  EXPECT_EQ(word.exchange(3, kAcqRel), 2);
  EXPECT_EQ(word.load(kSeqCst), 3);
}

TEST(AtomicTest, Arithmetic) {
  Atomic<uint16_t> word(0xFFFF);
  EXPECT_EQ(word.fetch_add(1, kRelaxed), 0xFFFF);
  EXPECT_EQ(word.load(kRelaxed), 0);
  EXPECT_EQ(word.fetch_sub(1, kRelaxed), 0);
  EXPECT_EQ(word.fetch_and(0x0FF0, kRelaxed), 0xFFFF);
  EXPECT_EQ(word.fetch_or(0xF000, kRelaxed), 0x0FF0);
  EXPECT_EQ(word.load(kRelaxed), 0xFFF0);
}

TEST(AtomicTest, CompareExchangeTellsTheOldValue) {
  Atomic<int64_t> word(5);
  int64_t expected = 4;
  EXPECT_FALSE(word.compare_exchange_strong(expected, 6, kAcqRel, kAcquire));
  EXPECT_EQ(expected, 5);
  EXPECT_TRUE(word.compare_exchange_strong(expected, 6, kAcqRel, kAcquire));
  EXPECT_EQ(word.load(kRelaxed), 6);
  while (!word.compare_exchange_weak(expected, 7, kRelease, kRelaxed)) {
  }
  EXPECT_EQ(word.load(kRelaxed), 7);
}

TEST(AtomicTest, PointersAndEnums) {
  enum class Color : uint8_t { kRed, kBlue };
  int x = 0;
  Atomic<int*> pointer(nullptr);
  pointer.store(&x, kRelaxed);
  EXPECT_EQ(pointer.load(kRelaxed), &x);
  Atomic<Color> color(Color::kRed);
  EXPECT_EQ(color.exchange(Color::kBlue, kRelaxed), Color::kRed);
}

TEST(AtomicTest, ZeroMemoryIsValueZero) {
  alignas(8) unsigned char memory[sizeof(Atomic<uint64_t>)];
  memset(memory, 0, sizeof memory);
  // Not by placement new: that says the content is not to be counted on.
  auto* word = reinterpret_cast<Atomic<uint64_t>*>(memory);
  EXPECT_EQ(word->load(kRelaxed), 0u);
  static_assert(std::is_trivially_default_constructible_v<Atomic<uint64_t>>);
  static_assert(!std::is_copy_constructible_v<Atomic<uint64_t>>);
}

TEST(AtomicTest, IncrementsOfTwoThreadsAddUp) {
  Atomic<int> word(0);
  Thread threads[2];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&word] {
      for (int i = 0; i < 20000; ++i) word.fetch_add(1, kRelaxed);
    }));
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(word.load(kRelaxed), 40000);
}

// Message passing through fences on relaxed words.
TEST(AtomicTest, FencesOrder) {
  for (int round = 0; round < 200; ++round) {
    Atomic<int> data(0), flag(0);
    Thread writer;
    ASSERT_TRUE(writer.Start([&] {
      data.store(1, kRelaxed);
      AtomicFence(kRelease);
      flag.store(1, kRelaxed);
    }));
    int seen_flag = flag.load(kRelaxed);
    AtomicFence(kAcquire);
    int seen_data = data.load(kRelaxed);
    EXPECT_TRUE(seen_flag == 0 || seen_data == 1);
    writer.Join();
  }
}

}  // namespace
}  // namespace tidepool
