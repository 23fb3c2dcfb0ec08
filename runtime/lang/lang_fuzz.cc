// libFuzzer target: any bytes through lexer, parser, symbol table and compiler, and Look. What compiles must pass the verifier.
//
// Build: bazel build --config=fuzz //runtime/lang:lang_fuzz; a corpus is tests/scripts/*.py.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidepool::rt::lang;
  SyntaxErrorInfo error;
  Look(std::string_view(reinterpret_cast<const char*>(data), size));
  for (bool super : {true, false}) {
    CompileOptions options;
    options.superinstructions = super;
    auto unit = CompileModule(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.py", options, &error);
    if (unit == nullptr) {
      if (error.message.empty() || error.Format().empty()) abort();
      return 0;
    }
    std::string problem = Verify(*unit);
    if (!problem.empty()) {
      fprintf(stderr, "verifier: %s\n", problem.c_str());
      abort();
    }
  }
  return 0;
}
