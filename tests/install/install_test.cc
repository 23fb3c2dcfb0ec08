// The installed package is used from outside, as its users do: by pkg-config and by CMake,
// shared and static, from C and from C++, by the tutorial's text, the heap alone, the tarball
// somewhere else, and loaded late by a host with threads. tools/install makes it from the
// source tree.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace {

using tidepool::Ran;

// With its errors.
Ran Shell(const std::string& command) { return tidepool::Shell("{ " + command + "; } 2>&1"); }

void Expect(const std::string& command, const std::string& text) {
  Ran ran = Shell(command);
  EXPECT_EQ(ran.status, 0) << command << "\n" << ran.out;
  EXPECT_NE(ran.out.find(text), std::string::npos) << command << "\n" << ran.out;
}

class InstallTest : public testing::Test {
 protected:
  // Builds and installs once. TIDEPOOL_INSTALL_TEST names a folder to keep.
  static void SetUpTestSuite() {
    char path[PATH_MAX];
    ASSERT_NE(realpath("CMakeLists.txt", path), nullptr);
    std::string file(path);
    root_ = new std::string(file.substr(0, file.rfind('/')));
    const char* kept = getenv("TIDEPOOL_INSTALL_TEST");
    dir_ = new std::string(kept != nullptr ? kept
                                           : std::string(getenv("TEST_TMPDIR")) + "/i");
    Ran ran = Shell("mkdir -p " + *dir_ + " && " + *root_ + "/tools/install --prefix=" +
                    *dir_ + "/prefix --package=" + *dir_ + "/package --build=" + *dir_ +
                    "/build");
    ASSERT_EQ(ran.status, 0) << ran.out;
    std::string tests = *root_ + "/tests/install/";
    ran = Shell("mkdir -p " + *dir_ + "/user && cp " + tests + "use.c " + tests +
                "use_heap.cc " + tests + "host.c " + tests + "CMakeLists.txt " + *dir_ +
                "/user/ && cp " + *root_ +
                "/examples/embed_minimal/embed_minimal.cc " + *dir_ + "/user/use.cc");
    ASSERT_EQ(ran.status, 0) << ran.out;
  }
  static std::string In(const std::string& prefix) {
    return "cd " + *dir_ + "/user && export PKG_CONFIG_PATH=" + prefix +
           "/lib/pkgconfig LD_LIBRARY_PATH=" + prefix + "/lib && ";
  }
  static std::string Prefix() { return *dir_ + "/prefix"; }

  static std::string* root_;
  static std::string* dir_;
};
std::string* InstallTest::root_;
std::string* InstallTest::dir_;

constexpr char kCFlags[] = "-std=c11 -Wall -Wextra -Werror -pedantic ";

TEST_F(InstallTest, PkgConfigSharedAndStatic) {
  std::string in = In(Prefix());
  Expect(in + "cc " + kCFlags + "use.c $(pkg-config --cflags --libs tidepool) -o c1 && "
              "./c1", "C works");
  Expect(in + "ldd c1", "libtidepool.so.0 =>");
  Expect(in + "c++ -O1 use.cc $(pkg-config --cflags --libs tidepool-cc) -o cc1 && ./cc1 "
              "&& echo ended $?", "ended 0");
  // Static: nothing of ours is looked for when they start.
  Expect(in + "cc " + kCFlags + "use.c $(pkg-config --cflags --libs tidepool-static) -o c2 "
              "&& unset LD_LIBRARY_PATH && ./c2 && ! ldd c2 | grep libtidepool", "C works");
  Expect(in + "c++ -O1 -std=c++20 use.cc $(pkg-config --cflags --libs tidepool-static) "
              "-o cc2 && unset LD_LIBRARY_PATH && ./cc2 && echo ended $?", "ended 0");
}

// docs/tutorial_embedding.md, as someone reads it who has the tarball and nothing else: the
// program, the command that builds it (two lines of the text), what it prints.
TEST_F(InstallTest, TheTutorialFromItsText) {
  const std::string page = Prefix() + "/share/doc/tidepool/tutorial_embedding.md ";
  const std::string lines = "/,/^```$/p' " + page + "| grep -v '^```\\|^<!--' > ";
  Expect("cd " + *dir_ + "/user && sed -n '/^<!-- file: tutorial.c" + lines +
             "tutorial.c && sed -n '/^<!-- output: tutorial.c" + lines +
             "expected && export PKG_CONFIG_PATH=" + Prefix() +
             "/lib/pkgconfig && sh -e -c \"$(grep -A1 '^cc .* tutorial.c' " + page +
             ")\" && ./tutorial | cmp - expected && echo the same",
         "the same");
}

TEST_F(InstallTest, LinksBetweenThePagesHold) {
  Expect("cd " + Prefix() + "/share/doc/tidepool && for page in $(grep -ohE "
             "'\\]\\([a-z_/]+\\.(md|svg)' *.md | sed 's/.*(//' | sort -u); do "
             "test -f $page || exit 1; done && ls", "tutorial_embedding.md");
}

// The small Lisp, from the installed sources.
TEST_F(InstallTest, ThePuddleExample) {
  const std::string puddle = Prefix() + "/share/doc/tidepool/examples/puddle";
  Expect(In(Prefix()) + "cc " + kCFlags + puddle + "/*.c " + puddle +
             "/library/*.c $(pkg-config --cflags --libs tidepool-static) -o puddle && "
             "./puddle " + puddle + "/scripts/cycles.pud && echo ended $?", "ended 0");
}

TEST_F(InstallTest, CMakePackage) {
  std::string in = In(Prefix());
  Expect(in + "cmake -S . -B by_cmake -DCMAKE_PREFIX_PATH=" + Prefix() +
             " && cmake --build by_cmake", "heap");
  for (const char* name : {"c_shared", "c_static"}) {
    Expect(in + "by_cmake/" + name, "C works");
  }
  for (const char* name : {"cc_shared", "cc_static"}) {
    Expect(in + "by_cmake/" + name + " && echo ended $?", "ended 0");
  }
  Expect(in + "by_cmake/heap", "heap works 1 1 1");
  // A project without C++.
  Expect(in + "mkdir -p only_c && sed 's/ C CXX)/ C)/; /use[.]cc/d; /cc_/d; /heap/d; "
              "/LINKER/d; s/use[.]c/..\\/use.c/' CMakeLists.txt > only_c/CMakeLists.txt && "
              "cmake -S only_c -B only_c/b -DCMAKE_PREFIX_PATH=" + Prefix() +
             " && cmake --build only_c/b && only_c/b/c_shared && only_c/b/c_static", "C works");
}

TEST_F(InstallTest, TheHeapAloneNeedsNothingElse) {
  std::string in = In(Prefix());
  Expect(in + "c++ use_heap.cc $(pkg-config --cflags --libs tidepool-heap) -Wall -Wextra "
              "-Werror -Wno-invalid-offsetof -o heap && ./heap", "heap works 1 1 1");
  Expect(in + "ldd heap; ! ldd heap | grep absl && echo none", "none");
  Expect(in + "LD_PRELOAD=" + Prefix() + "/lib/libtidepool_malloc.so ./heap",
         "heap works 1 1 1");
  Expect(in + "! ldd " + Prefix() + "/lib/libtidepool_malloc.so | grep absl && echo none",
         "none");
}

TEST_F(InstallTest, TheTarballWorksAnywhere) {
  std::string there = *dir_ + "/elsewhere";
  Expect("mkdir -p " + there + " && tar -xzf " + *dir_ +
             "/package/tidepool-*.tar.gz --strip-components=1 -C " + there + " && ls " +
             there + "/lib", "libtidepool.a");
  std::string in = In(there);
  Expect(in + "cc " + kCFlags + "use.c $(pkg-config --cflags --libs tidepool) -o c3 && "
              "./c3 && ldd c3", there);
}

// Only the C API and the C++ API can be seen, and the C library's names.
TEST_F(InstallTest, ExportedNames) {
  std::string lib = Prefix() + "/lib/";
  Ran names = Shell("nm -D --defined-only " + lib +
                    "libtidepool.so | awk '{print $3}' | grep -v '^tp_' | c++filt | "
                    "grep -v '^tidepool::\\|for tidepool::\\|^$'");
  EXPECT_EQ(names.out, "") << names.out;
  Expect("nm -D --defined-only " + lib + "libtidepool.so", " T tp_isolate_create");
  Expect("readelf -d " + lib + "libtidepool.so", "[libtidepool.so.0]");
  // A library that is loaded late must not ask for static thread-local memory.
  Expect("! readelf -d " + lib + "libtidepool.so | grep STATIC_TLS && echo none", "none");
}

TEST_F(InstallTest, LoadedLateUnloadedAndLoadedAgain) {
  std::string in = In(Prefix());
  Expect(in + "cc " + kCFlags + "host.c $(pkg-config --cflags tidepool) -pthread -ldl "
              "-o host && ./host " + Prefix() + "/lib/libtidepool.so.0 24",
         "loaded and unloaded");
  // No room for more static thread-local memory in the process.
  Expect(in + "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0 ./host " + Prefix() +
              "/lib/libtidepool.so.0 24", "loaded and unloaded");
  // A plugin that carries the static library in it, and shows the C API only.
  Expect(in + "echo '{ global: tp_*; local: *; };' > plugin.lds && "
              "c++ -shared -o plugin.so -Wl,--version-script=plugin.lds "
              "-Wl,--whole-archive "
              "$(pkg-config --variable=libdir tidepool)/libtidepool.a "
              "-Wl,--no-whole-archive $(pkg-config --libs tidepool-static | "
              "sed 's/[^ ]*libtidepool[.]a//') && ./host $PWD/plugin.so 24",
         "loaded and unloaded");
  // The drop-in malloc, opened late by a program that uses another, stays out of the way.
  Expect(in + "LD_PRELOAD= ./host " + Prefix() + "/lib/libtidepool.so.0 2",
         "loaded and unloaded");
}

// The same host, all of whose own memory comes from the drop-in malloc.
TEST_F(InstallTest, LoadedLateBesideTheDropInMalloc) {
  Expect(In(Prefix()) + "LD_PRELOAD=" + Prefix() + "/lib/libtidepool_malloc.so ./host " +
             Prefix() + "/lib/libtidepool.so.0 24",
         "loaded and unloaded");
}

}  // namespace
