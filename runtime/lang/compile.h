// Entry point of the front end: source text in, CodeUnit or a description of the syntax error out.
//
// The front end depends on nothing of the runtime and keeps no global state: any number of threads may
// compile at once. It never crashes and never recurses without bound on any input (see ast.h for the
// limits); what it cannot take is reported as an error with a place in the source.
#ifndef TIDEPOOL_RUNTIME_LANG_COMPILE_H_
#define TIDEPOOL_RUNTIME_LANG_COMPILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

// What SyntaxError carries. Lines and columns count from 1, columns in characters; 0 = unknown.
struct SyntaxErrorInfo {
  enum class Kind : uint8_t { kSyntax, kIndentation, kTab };
  Kind kind = Kind::kSyntax;
  std::string message;   // "invalid syntax", ...
  std::string filename;
  std::string text;      // the source line, without its newline
  uint32_t line = 0, column = 0;
  uint32_t end_line = 0, end_column = 0;  // end_column exclusive
  bool at_end = false;   // the text stops too early: an open bracket or string, a block without a body

  const char* KindName() const;  // "SyntaxError", "IndentationError", "TabError"
  // The report as CPython prints it: file, line, the line's text with carets, kind and message; ends with a newline.
  std::string Format() const;
};

struct CompileOptions {
  bool superinstructions = true;
  bool optimize_asserts = false;  // drop assert statements, __debug__ is False
  bool interactive = false;       // what an expression statement outside functions gives is passed to __displayhook__
};

// Compiles a whole module. Null on a syntax error, which is then described in *error.
std::shared_ptr<CodeUnit> CompileModule(std::string_view source, std::string_view filename, const CompileOptions& options,
                                        SyntaxErrorInfo* error);

// What a person has typed so far at a prompt, whole lines.
enum class Typed : uint8_t {
  kComplete,  // compile it
  kMore,      // ask for another line
};
// A statement with a block ends with an empty line, everything else with its line, unless a bracket, a triple-quoted string
// or a backslash goes on. Text with a syntax error that no further line mends is complete.
Typed Look(std::string_view source);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_COMPILE_H_
