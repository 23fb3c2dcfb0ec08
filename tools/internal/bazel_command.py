"""Bazel's command lines, with the options that the environment gives.

TIDEPOOL_BAZEL_STARTUP stands before the command, TIDEPOOL_BAZEL_FLAGS behind those that
build or belong to a build (a query takes none of them).
"""

import os


def bazel(command, *words):
    flags = [] if command == "query" else os.environ.get("TIDEPOOL_BAZEL_FLAGS", "").split()
    return ["bazel", *os.environ.get("TIDEPOOL_BAZEL_STARTUP", "").split(), command, *flags,
            *words]
