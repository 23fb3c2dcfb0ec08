load(":defs.bzl", _cc_binary = "cc_binary")

cc_binary = _cc_binary
