"""The rules that tidepool's BUILD files use.

They add what every target has: the include prefix that makes a header of
<layer> reachable as tidepool/<layer>/<name>.h, and a main for tests.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def _with_prefix(name, srcs):
    """What tools/prefix adds to the copts and deps of C++ sources, where it is on."""
    layer = native.package_name().split("/")[0]
    if layer in ["base", "qsbr"] or not srcs or [s for s in srcs if s.endswith(".c")]:
        return [], []
    header = "$(GENDIR)/tools/prefix/%s.h" % name
    return (
        select({
            "//:prefix": ["-include", header],
            "//conditions:default": [],
        }),
        select({
            "//:prefix": ["//tools/prefix:" + name],
            "//conditions:default": [],
        }),
    )

def tp_library(
        name,
        srcs = [],
        hdrs = [],
        deps = [],
        copts = [],
        include_prefix = None,
        precompiled = True,
        **kwargs):
    """A library of one layer; its headers are tidepool/<package>/<name>.h.

    Args:
      name: the target's name.
      srcs: sources and headers that only this target includes.
      hdrs: headers that other targets may include.
      deps: what it includes.
      copts: options of its own.
      precompiled: False where the sources include other headers by the same names.
      include_prefix: instead of tidepool/<package>.
      **kwargs: passed on to cc_library.
    """
    if include_prefix == None:
        include_prefix = "tidepool/" + native.package_name()
    sources = [s for s in srcs if not s.endswith(".h")]
    more_copts, more_deps = _with_prefix("library_prefix", sources if precompiled else [])
    cc_library(
        name = name,
        srcs = sources,
        copts = copts + more_copts,
        hdrs = hdrs + [s for s in srcs if s.endswith(".h")],
        include_prefix = include_prefix,
        strip_include_prefix = "",
        # Every program here is linked statically: no second compilation as PIC.
        linkstatic = True,
        deps = deps + more_deps,
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

def tp_test(name, srcs, deps = [], copts = [], size = "small", **kwargs):
    """A googletest test with gtest's main."""
    more_copts, more_deps = _with_prefix("test_prefix", srcs)
    cc_test(
        name = name,
        srcs = srcs,
        copts = copts + more_copts,
        deps = deps + ["@com_google_googletest//:gtest_main"] + more_deps,
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
