// A long test of one thread says so at its start: ThreadSanitizer cannot find anything in
// it, and makes it ten times as long.
//
//   TEST(WorldTest, EveryRefusal) {
//     TIDEPOOL_SINGLE_THREAD_TEST();
//     ...
#ifndef TIDEPOOL_BASE_SINGLE_THREAD_TESTING_H_
#define TIDEPOOL_BASE_SINGLE_THREAD_TESTING_H_

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"

#define TIDEPOOL_SINGLE_THREAD_TEST() \
  if (TIDEPOOL_TSAN) GTEST_SKIP() << "one thread: nothing for ThreadSanitizer"

#endif  // TIDEPOOL_BASE_SINGLE_THREAD_TESTING_H_
