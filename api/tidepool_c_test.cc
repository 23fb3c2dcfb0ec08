// Runs the C user, twice: an isolate can be made again.

#include "gtest/gtest.h"

extern "C" int tidepool_c_user(void);

TEST(TidepoolCTest, AProgramInC) { EXPECT_EQ(tidepool_c_user(), 0) << "failed line"; }

TEST(TidepoolCTest, AgainInTheSameProcess) {
  EXPECT_EQ(tidepool_c_user(), 0) << "failed line";
}
