"""The rules that tidepool's BUILD files use.

They add what every target has: the include prefix that makes a header of
<layer> reachable as tidepool/<layer>/<name>.h, and a main for tests.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def tp_library(name, srcs = [], hdrs = [], deps = [], include_prefix = None, **kwargs):
    """A library of one layer; its headers are tidepool/<package>/<name>.h.

    Args:
      name: the target's name.
      srcs: sources and headers that only this target includes.
      hdrs: headers that other targets may include.
      deps: what it includes.
      include_prefix: instead of tidepool/<package>.
      **kwargs: passed on to cc_library.
    """
    if include_prefix == None:
        include_prefix = "tidepool/" + native.package_name()
    cc_library(
        name = name,
        srcs = [s for s in srcs if not s.endswith(".h")],
        hdrs = hdrs + [s for s in srcs if s.endswith(".h")],
        include_prefix = include_prefix,
        strip_include_prefix = "",
        # Every program here is linked statically: no second compilation as PIC.
        linkstatic = True,
        deps = deps,
        **kwargs
    )

def tp_layer_files():
    """The files of this layer, for //allocator:heap_alone, which compiles them itself.

    As CMakeLists.txt takes them: all but those that only tests use.
    """
    native.filegroup(
        name = "sources",
        srcs = native.glob(
            ["*.cc", "internal/*.cc"],
            exclude = ["*_test.cc", "*_benchmark.cc", "*_fuzz.cc"],
        ),
    )
    tp_library(
        name = "headers",
        hdrs = native.glob(["*.h", "internal/*.h"], exclude = ["*_testing.h"]),
    )

def tp_test(name, srcs, deps = [], size = "small", **kwargs):
    """A googletest test with gtest's main."""
    cc_test(
        name = name,
        srcs = srcs,
        deps = deps + ["@com_google_googletest//:gtest_main"],
        linkstatic = True,
        size = size,
        **kwargs
    )

def tp_binary(name, srcs = [], deps = [], **kwargs):
    """A program."""
    cc_binary(
        name = name,
        srcs = srcs,
        deps = deps,
        **kwargs
    )
