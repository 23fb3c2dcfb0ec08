load(":defs.bzl", _cc_import = "cc_import")

cc_import = _cc_import
