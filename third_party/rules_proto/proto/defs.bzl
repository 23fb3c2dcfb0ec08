"""Stand-in for rules_proto where Bazel still has the proto rules built in."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
