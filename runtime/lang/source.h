// A source text made fit for the lexer, and errors that point into it.
//
// Newlines are all "\n", there is one at the end, no byte-order mark, no zero byte, valid UTF-8.
#ifndef TIDEPOOL_RUNTIME_LANG_SOURCE_H_
#define TIDEPOOL_RUNTIME_LANG_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tidepool/runtime/lang/bytecode.h"
#include "tidepool/runtime/lang/compile.h"

namespace tidepool::rt::lang {

struct Source {
  std::string text;
  std::string filename;
  // False: *error says why.
  bool Load(std::string_view raw, std::string_view name, SyntaxErrorInfo* error);
  // The text of line `line` (from 1), without its newline.
  std::string_view Line(uint32_t line) const;
  std::string_view Text(uint32_t start, uint32_t end) const { return std::string_view(text).substr(start, end - start); }
  // Fills *error with a place: byte columns from 0 become character columns from 1.
  void MakeError(SyntaxErrorInfo::Kind kind, const Position& pos, std::string message, SyntaxErrorInfo* error) const;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_SOURCE_H_
