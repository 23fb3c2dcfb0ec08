load(":defs.bzl", _cc_library = "cc_library")

cc_library = _cc_library
