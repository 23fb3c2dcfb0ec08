// Source text to tokens, with Python's indentation rules.
//
// The whole text is lexed before parsing starts. An error ends the token list with a kError token, so that the
// parser reports whichever comes first, its own error or the lexer's.
#ifndef TIDEPOOL_RUNTIME_LANG_LEXER_H_
#define TIDEPOOL_RUNTIME_LANG_LEXER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tidepool/runtime/lang/source.h"
#include "tidepool/runtime/lang/token.h"

namespace tidepool::rt::lang {

inline constexpr int kMaxParens = 200;
inline constexpr int kMaxIndents = 100;

struct TokenList {
  std::vector<Token> tokens;  // never empty; the last is kEnd or kError
  SyntaxErrorInfo error;      // if the last is kError
};

// The whole source: logical lines with indentation.
TokenList Lex(const Source& source);

// Part of the source that holds one expression, as if in parentheses (newlines are blanks): the inside of an f-string's
// braces. `line` and `col` are the place of `start`.
TokenList LexExpression(const Source& source, uint32_t start, uint32_t end, uint32_t line, uint32_t col);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_LEXER_H_
