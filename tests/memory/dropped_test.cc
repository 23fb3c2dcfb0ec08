// What is dropped goes, without a collection: by the peak of whole programs on the runtime.
//
// Claims, with the collector off:
//   M25  the entries of a weak map go with their keys: 200,000 fresh keys with values of
//        1 KB, each dropped at once, peak below 50 MiB (quickjs-ng/quickjs#1006)
//   M26  an idle worker of a pool holds no result, argument or raised exception of its last
//        task: one block of 16 MiB at a time, on one worker and then on eight, peaks below
//        five of them and the runtime; eight workers that each kept one would have eight
//        (python/cpython#79896)
// How: each program prints its own peak. A miss: the peak is the OS's figure, and chance plays
// no part in it but for a worker that lets go a moment late, for which the program waits.
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace {

// The peak of the script, in MiB, or -1: it failed.
double Peak(const std::string& script) {
  const auto [out, status] = tidepool::Shell(
      "runtime/tidepool -c \"import gc\ngc.disable()\n" + script +
      "for line in open('/proc/self/status'):\n"
      "    if line.startswith('VmHWM:'):\n"
      "        print('peak', int(line.split()[1]) / 1024)\n"
      "\" 2>&1");
  EXPECT_EQ(status, 0) << out;
  const size_t at = out.rfind("peak ");
  return status == 0 && at != std::string::npos ? atof(out.c_str() + at + 5) : -1;
}

TEST(DroppedTest, AWeakMapShrinksAsItsKeysDie) {
  const double peak = Peak(
      "import weakref\n"
      "class Key:\n"
      "    pass\n"
      "table = weakref.WeakKeyDictionary()\n"
      "for i in range(200000):\n"
      "    table[Key()] = bytes(1024)\n"
      "assert len(table) == 0\n");
  EXPECT_GT(peak, 1);
  EXPECT_LE(peak, 50);
}

TEST(DroppedTest, AnIdleWorkerHoldsNothing) {
  const double peak = Peak(
      "import time\n"
      "from concurrent.futures import ThreadPoolExecutor\n"
      "SIZE = 16 << 20\n"
      "alive = []\n"
      "class Block:\n"
      "    def __init__(self):\n"
      "        alive.append(1)\n"
      "        self.bytes = bytearray(b'x') * SIZE\n"
      "    def __del__(self):\n"
      "        alive.pop()\n"
      "def fail():\n"
      "    raise ValueError(Block())\n"
      "def settle():\n"
      "    end = time.monotonic() + 60\n"
      "    while alive and time.monotonic() < end:\n"
      "        time.sleep(0.001)\n"
      "    assert not alive, 'an idle worker holds on to something'\n"
      "for workers in (1, 8):\n"
      "    with ThreadPoolExecutor(workers) as pool:\n"
      "        for i in range(workers + 1):\n"
      "            future = pool.submit(Block)\n"
      "            assert len(future.result().bytes) == SIZE\n"
      "            del future\n"
      "            settle()\n"
      "            future = pool.submit(id, Block())\n"
      "            future.result()\n"
      "            del future\n"
      "            settle()\n"
      "            future = pool.submit(fail)\n"
      "            assert len(future.exception().args[0].bytes) == SIZE\n"
      "            del future\n"
      "            settle()\n");
  EXPECT_GT(peak, 16);
  EXPECT_LE(peak, 96);
}

}  // namespace
