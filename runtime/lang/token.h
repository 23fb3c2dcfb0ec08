// Tokens, declared once: operators and keywords in two tables.
#ifndef TIDEPOOL_RUNTIME_LANG_TOKEN_H_
#define TIDEPOOL_RUNTIME_LANG_TOKEN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

// Longest first among those with a common start does not matter: the lexer tries three, two, one characters.
#define TIDEPOOL_OPERATORS(V)                                                                                        \
  V(kLParen, "(") V(kRParen, ")") V(kLBracket, "[") V(kRBracket, "]") V(kLBrace, "{") V(kRBrace, "}") V(kComma, ",") \
  V(kColon, ":") V(kSemi, ";") V(kDot, ".") V(kEllipsis, "...") V(kArrow, "->") V(kAt, "@") V(kAssign, "=")          \
  V(kColonEqual, ":=") V(kPlus, "+") V(kMinus, "-") V(kStar, "*") V(kSlash, "/") V(kDoubleSlash, "//")               \
  V(kPercent, "%") V(kDoubleStar, "**") V(kLeftShift, "<<") V(kRightShift, ">>") V(kAmp, "&") V(kBar, "|")           \
  V(kCaret, "^") V(kTilde, "~") V(kLess, "<") V(kGreater, ">") V(kLessEqual, "<=") V(kGreaterEqual, ">=")            \
  V(kEqEqual, "==") V(kNotEqual, "!=") V(kPlusEqual, "+=") V(kMinusEqual, "-=") V(kStarEqual, "*=")                  \
  V(kSlashEqual, "/=") V(kDoubleSlashEqual, "//=") V(kPercentEqual, "%=") V(kAtEqual, "@=") V(kAmpEqual, "&=")       \
  V(kBarEqual, "|=") V(kCaretEqual, "^=") V(kLeftShiftEqual, "<<=") V(kRightShiftEqual, ">>=")                       \
  V(kDoubleStarEqual, "**=")

#define TIDEPOOL_KEYWORDS(V)                                                                                      \
  V(kFalse, "False") V(kNone, "None") V(kTrue, "True") V(kAnd, "and") V(kAs, "as") V(kAssert, "assert")           \
  V(kAsync, "async") V(kAwait, "await") V(kBreak, "break") V(kClass, "class") V(kContinue, "continue")            \
  V(kDef, "def") V(kDel, "del") V(kElif, "elif") V(kElse, "else") V(kExcept, "except") V(kFinally, "finally")     \
  V(kFor, "for") V(kFrom, "from") V(kGlobal, "global") V(kIf, "if") V(kImport, "import") V(kIn, "in")             \
  V(kIs, "is") V(kLambda, "lambda") V(kNonlocal, "nonlocal") V(kNot, "not") V(kOr, "or") V(kPass, "pass")         \
  V(kRaise, "raise") V(kReturn, "return") V(kTry, "try") V(kWhile, "while") V(kWith, "with") V(kYield, "yield")

enum class Tok : uint8_t {
  kEnd,  // end of input; always the last token
  kError,  // the lexer's error follows; always the last token
  kNewline, kIndent, kDedent, kName, kNumber, kString,
#define V(name, text) name,
  TIDEPOOL_OPERATORS(V) TIDEPOOL_KEYWORDS(V)
#undef V
};

inline bool IsKeyword(Tok t) { return t >= Tok::kFalse; }
inline bool IsOperator(Tok t) { return t >= Tok::kLParen && t < Tok::kFalse; }
// Is a statement that begins with it one that has a block?
inline bool OpensBlock(Tok t) {
  switch (t) {
    case Tok::kIf: case Tok::kWhile: case Tok::kFor: case Tok::kTry: case Tok::kWith: case Tok::kDef: case Tok::kClass:
    case Tok::kAt: case Tok::kAsync: return true;
    default: return false;
  }
}

struct Token {
  Tok kind;
  uint32_t start, end;  // offsets in the source
  Position pos;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_TOKEN_H_
