// redis and memcached on the drop-in malloc under their own load tools.
#ifndef TIDEPOOL_TESTS_DROPIN_SERVERS_H_
#define TIDEPOOL_TESTS_DROPIN_SERVERS_H_

#include <unistd.h>

#include <string>

#include "preload.h"

namespace tidepool::dropin {

// Eleven kinds of requests, with snapshots by forked children in between; then the server
// ends as it should and has said nothing about pointers. `dir` is a folder of the test's.
inline void RunRedis(const std::string& dir, const std::string& load,
                     const std::string& options) {
  REQUIRE_PROGRAM("redis-server", "redis-server");
  REQUIRE_PROGRAM("redis-benchmark", "redis-tools");
  std::string socket = dir + "/redis";
  std::string cli = "redis-cli -s " + socket + " ";
  std::string server = Preloaded("redis-server --port 0 --save 1 100 " + options + " --dir " +
                                 dir + " --unixsocket " + socket + " --loglevel warning");
  Ran ran = Shell(server + " > " + dir + "/log 2>&1 & "
                  "for i in $(seq 300); do " + cli + "ping 2>/dev/null && break; "
                  "sleep 0.1; done; "
                  "redis-benchmark -s " + socket + " -q -r 20000 -d 700 " + load +
                  " -t set,get,incr,lpush,lpop,sadd,hset,spop,zadd,lrange_100,mset 2>&1 | "
                  "tr '\\r' '\\n' | grep 'per second'; " + cli + "memory purge; "
                  // One snapshot to its end, whatever was going on.
                  "for i in $(seq 600); do " + cli + "bgsave | grep -q started && break; "
                  "sleep 0.1; done; for i in $(seq 600); do " + cli +
                  "info persistence | grep -q 'rdb_bgsave_in_progress:0' && break; "
                  "sleep 0.1; done; " + cli + "info persistence | grep last_bgsave_status; " +
                  cli + "flushall; " + cli + "shutdown nosave; wait; echo status $?; cat " +
                  dir + "/log");
  EXPECT_NE(ran.out.find("PONG"), std::string::npos) << ran.out;
  size_t lines = 0;
  for (size_t at = 0; (at = ran.out.find("per second", at)) != std::string::npos; ++at) {
    ++lines;
  }
  EXPECT_GE(lines, 11u) << ran.out;
  EXPECT_NE(ran.out.find("last_bgsave_status:ok"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("status 0"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tidepool"), std::string::npos) << ran.out;
}

// memcslap's sets and gets, `count` of each on each of eight connections.
inline void RunMemcached(const std::string& dir, int count) {
  REQUIRE_PROGRAM("memcached", "memcached");
  REQUIRE_PROGRAM("memcslap", "libmemcached-tools");
  const std::string socket = dir + "/memcached";
  const std::string load = "timeout 250 memcslap --servers=" + socket + " --concurrency=8 "
                           "--execute-number=" + std::to_string(count);
  // The server changes to another user, who needs the folder.
  Ran ran = Shell("chmod 777 " + dir + "; " +
                  Preloaded("memcached -u nobody -m 64 -t 4 -s " + socket) + " > " + dir +
                  "/log 2>&1 & server=$!; for i in $(seq 300); do test -S " + socket +
                  " && break; sleep 0.1; done; " + load + " --initial-load=" +
                  std::to_string(count) + " --test=set && " + load +
                  " --test=get; echo load $?; kill $server; wait $server; echo status $?; "
                  "cat " + dir + "/log");
  EXPECT_NE(ran.out.find("load 0"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("status 0"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tidepool"), std::string::npos) << ran.out;
}

}  // namespace tidepool::dropin

#endif  // TIDEPOOL_TESTS_DROPIN_SERVERS_H_
