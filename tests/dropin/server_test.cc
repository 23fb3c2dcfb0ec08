// Servers under their own load tools, on the drop-in malloc; dropin_long_test.cc does the same
// for longer.
#include "servers.h"

namespace tidepool::dropin {
namespace {

using ServerTest = FolderTest;

// Pipelined, so that a busy machine does not count each request's way.
TEST_F(ServerTest, RedisUnderItsBenchmark) { RunRedis(dir_, "-n 4000 -P 40 -c 10", ""); }
TEST_F(ServerTest, MemcachedUnderLoad) { RunMemcached(dir_, 500); }

}  // namespace
}  // namespace tidepool::dropin
