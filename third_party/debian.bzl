"""Libraries from Debian packages, under the labels of their own Bazel builds.

debian_library_repository asks pkg-config where a library is and what it links
with, and writes BUILD files whose targets carry that, so that a target such as
@com_google_absl//absl/status:statusor means the same here and in a workspace
that fetches abseil itself.
"""

# Package -> labels of abseil that exist here. The pkg-config name is absl_NAME
# unless _ABSL_OTHER says otherwise.
_ABSL = {
    "absl/algorithm": ["algorithm", "container"],
    "absl/base": ["base", "config", "core_headers", "dynamic_annotations", "endian", "log_severity", "prefetch"],
    "absl/cleanup": ["cleanup"],
    "absl/container": [
        "btree",
        "fixed_array",
        "flat_hash_map",
        "flat_hash_set",
        "inlined_vector",
        "node_hash_map",
        "node_hash_set",
    ],
    "absl/debugging": ["debugging", "failure_signal_handler", "leak_check", "stacktrace", "symbolize"],
    "absl/flags": ["config", "flag", "parse", "reflection", "usage"],
    "absl/functional": ["any_invocable", "bind_front", "function_ref"],
    "absl/hash": ["hash"],
    "absl/memory": ["memory"],
    "absl/meta": ["type_traits"],
    "absl/numeric": ["bits", "int128"],
    "absl/random": ["random"],
    "absl/status": ["status", "statusor"],
    "absl/strings": ["cord", "str_format", "strings"],
    "absl/synchronization": ["synchronization"],
    "absl/time": ["time"],
    "absl/types": ["any", "optional", "span", "variant"],
    "absl/utility": ["utility"],
}

_ABSL_OTHER = {
    "absl/flags:config": "absl_flags_config",
    "absl/flags:flag": "absl_flags",
    "absl/flags:parse": "absl_flags_parse",
    "absl/flags:reflection": "absl_flags_reflection",
    "absl/flags:usage": "absl_flags_usage",
    "absl/container:node_hash_set": "absl_node_hash_set",
    "absl/random:random": "absl_random_random",
    "absl/algorithm:container": "absl_algorithm_container",
}

# googletest's and benchmark's own labels stand at their root.
_ROOT = {
    "googletest": {"gtest": "gtest gmock", "gtest_main": "gmock_main gtest gmock"},
    "benchmark": {"benchmark": "benchmark", "benchmark_main": "benchmark"},
}

_EXTRA_LINKOPTS = {"benchmark_main": ["-lbenchmark_main"]}

def _libs(ctx, packages):
    result = ctx.execute(["pkg-config", "--libs", "--static"] + packages.split(" "))
    if result.return_code != 0:
        return None
    return [w for w in result.stdout.strip().split(" ") if w]

def _library(name, linkopts):
    return """
cc_library(
    name = "{}",
    linkopts = {},
    visibility = ["//visibility:public"],
)
""".format(name, linkopts)

def _debian_library_repository_impl(ctx):
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))
    head = "load(\"@rules_cc//cc:defs.bzl\", \"cc_library\")\n"
    missing = []
    if ctx.attr.library == "abseil":
        for package, names in _ABSL.items():
            text = head
            for name in names:
                pkg = _ABSL_OTHER.get(package + ":" + name, "absl_" + name)
                linkopts = _libs(ctx, pkg)
                if linkopts == None:
                    missing.append(pkg)
                else:
                    text += _library(name, linkopts)
            ctx.file(package + "/BUILD.bazel", text)
        if len(missing) > 20:
            fail("abseil was not found by pkg-config; on Debian: apt-get install libabsl-dev pkg-config")
    else:
        text = head
        for name, pkgs in _ROOT[ctx.attr.library].items():
            linkopts = _libs(ctx, pkgs)
            if linkopts == None:
                fail("{} was not found by pkg-config; on Debian: apt-get install libgtest-dev libgmock-dev libbenchmark-dev pkg-config".format(pkgs))
            text += _library(name, _EXTRA_LINKOPTS.get(name, []) + linkopts + ["-lpthread"])
        ctx.file("BUILD.bazel", text)

debian_library_repository = repository_rule(
    implementation = _debian_library_repository_impl,
    attrs = {"library": attr.string(mandatory = True)},
    configure = True,
    local = True,
)
