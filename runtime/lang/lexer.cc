// The lexer: one pass over the text, a stack of open parentheses, a stack of indentations.
#include "tidepool/runtime/lang/lexer.h"

#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "tidepool/runtime/lang/unicode_id.h"

namespace tidepool::rt::lang {
namespace {

struct Spelling {
  std::string_view text;
  Tok kind;
};

constexpr Spelling kOperators[] = {
#define V(name, text) {text, Tok::name},
    TIDEPOOL_OPERATORS(V)
#undef V
};
constexpr Spelling kKeywords[] = {
#define V(name, text) {text, Tok::name},
    TIDEPOOL_KEYWORDS(V)
#undef V
};

Tok KeywordOrName(std::string_view text) {
  if (text.size() < 2 || text.size() > 8) return Tok::kName;
  for (const Spelling& k : kKeywords) {
    if (k.text == text) return k.kind;
  }
  return Tok::kName;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(const Source& source, uint32_t start, uint32_t end, uint32_t line, uint32_t col)
      : source_(source), text_(source.text.data()), pos_(start), end_(end), line_(line), line_start_(start - col) {}

  TokenList Run(bool whole);

 private:
  struct Paren {
    char open;
    Position pos;
  };

  char At(uint32_t i) const { return i < end_ ? text_[i] : '\0'; }
  char Cur() const { return At(pos_); }

  void Push(Tok kind, uint32_t start, uint32_t start_line, uint32_t start_col) {
    list_.tokens.push_back({kind, start, pos_, {start_line, line_, start_col, pos_ - line_start_}});
  }
  bool Fail(std::string message, uint32_t from, uint32_t to, SyntaxErrorInfo::Kind kind = SyntaxErrorInfo::Kind::kSyntax) {
    Position p{line_, line_, from - line_start_, to - line_start_};
    return FailAt(std::move(message), p, kind);
  }
  bool FailAt(std::string message, const Position& p, SyntaxErrorInfo::Kind kind = SyntaxErrorInfo::Kind::kSyntax) {
    source_.MakeError(kind, p, std::move(message), &list_.error);
    list_.tokens.push_back({Tok::kError, pos_, pos_, p});
    return false;
  }
  void NewLine() {  // the newline at pos_ - 1 was consumed
    line_++;
    line_start_ = pos_;
  }

  bool IndentedLine(bool* blank);
  bool Next();
  bool Number();
  bool DigitRun(bool (*ok)(char), const char* what);
  bool EndOfNumber(const char* what);
  bool NameOrString();
  bool String(uint32_t start);
  bool Operator();
  bool BadCharacter();

  const Source& source_;
  const char* text_;
  uint32_t pos_, end_, line_, line_start_;
  bool whole_ = true;
  std::vector<uint32_t> indents_{0}, alt_indents_{0};
  std::vector<Paren> parens_;
  TokenList list_;
};

// Measures the indentation of a fresh logical line and emits INDENT and DEDENT. *blank: nothing on the line.
bool Lexer::IndentedLine(bool* blank) {
  uint32_t col = 0, alt = 0;
  for (;; pos_++) {
    char c = Cur();
    if (c == ' ') {
      col++;
      alt++;
    } else if (c == '\t') {
      col = (col / 8 + 1) * 8;
      alt++;
    } else if (c == '\f') {
      col = alt = 0;
    } else if (c == '\\' && At(pos_ + 1) == '\n') {  // a continuation line joins, with its own indentation ignored
      pos_ += 1;
      pos_++;
      NewLine();
      pos_--;
    } else {
      break;
    }
  }
  if (Cur() == '#') {
    while (pos_ < end_ && Cur() != '\n') pos_++;
  }
  if (pos_ >= end_ || Cur() == '\n') {
    *blank = true;
    if (pos_ < end_) {
      pos_++;
      NewLine();
    }
    return true;
  }
  *blank = false;
  auto tab_error = [&] { return Fail("inconsistent use of tabs and spaces in indentation", line_start_, pos_, SyntaxErrorInfo::Kind::kTab); };
  if (col == indents_.back()) {
    if (alt != alt_indents_.back()) return tab_error();
    return true;
  }
  if (col > indents_.back()) {
    if (alt <= alt_indents_.back()) return tab_error();
    if (indents_.size() >= kMaxIndents) {
      return Fail("too many levels of indentation", line_start_, pos_, SyntaxErrorInfo::Kind::kIndentation);
    }
    indents_.push_back(col);
    alt_indents_.push_back(alt);
    Push(Tok::kIndent, line_start_, line_, 0);
    return true;
  }
  while (col < indents_.back()) {
    indents_.pop_back();
    alt_indents_.pop_back();
    Push(Tok::kDedent, pos_, line_, pos_ - line_start_);
  }
  if (col != indents_.back()) {
    uint32_t line_end = pos_;
    while (line_end < end_ && text_[line_end] != '\n') line_end++;
    return Fail("unindent does not match any outer indentation level", line_end, line_end + 1, SyntaxErrorInfo::Kind::kIndentation);
  }
  if (alt != alt_indents_.back()) return tab_error();
  return true;
}

TokenList Lexer::Run(bool whole) {
  whole_ = whole;
  bool fresh = whole;
  while (true) {
    if (fresh && parens_.empty()) {
      if (pos_ >= end_) break;
      bool blank = false;
      if (!IndentedLine(&blank)) return std::move(list_);
      if (blank) continue;
    }
    fresh = false;
    while (Cur() == ' ' || Cur() == '\t' || Cur() == '\f') pos_++;
    if (Cur() == '#') {
      while (pos_ < end_ && Cur() != '\n') pos_++;
    }
    if (pos_ >= end_) break;
    if (Cur() == '\n') {
      bool logical = whole && parens_.empty();
      pos_++;
      if (logical) {
        Push(Tok::kNewline, pos_ - 1, line_, pos_ - 1 - line_start_);
        fresh = true;
      }
      NewLine();
      continue;
    }
    if (Cur() == '\\') {
      if (At(pos_ + 1) != '\n') {
        Fail("unexpected character after line continuation character", pos_ + 1, pos_ + 2);
        return std::move(list_);
      }
      pos_ += 2;
      NewLine();
      if (pos_ >= end_) {
        Fail("unexpected EOF while parsing", pos_, pos_);
        list_.error.at_end = true;
        return std::move(list_);
      }
      continue;
    }
    if (!Next()) return std::move(list_);
  }
  if (!parens_.empty() && whole) {
    const Paren& p = parens_.back();
    FailAt(std::string("'") + p.open + "' was never closed", p.pos);
    list_.error.at_end = true;
    return std::move(list_);
  }
  if (whole) {
    while (indents_.size() > 1) {
      indents_.pop_back();
      Push(Tok::kDedent, pos_, line_, 0);
    }
  }
  Push(Tok::kEnd, pos_, line_, pos_ - line_start_);
  return std::move(list_);
}

bool Lexer::Next() {
  char c = Cur();
  if (IsDigit(c) || (c == '.' && IsDigit(At(pos_ + 1)))) return Number();
  if (IsIdStart(static_cast<uint8_t>(c) < 0x80 ? c : 0) || static_cast<uint8_t>(c) >= 0x80) return NameOrString();
  if (c == '"' || c == '\'') return String(pos_);
  return Operator();
}

// Digits with single underscores between them, at least one.
bool Lexer::DigitRun(bool (*ok)(char), const char* what) {
  while (true) {
    if (!ok(Cur())) return Fail(std::string("invalid ") + what + " literal", pos_ > 0 ? pos_ - 1 : pos_, pos_);
    while (ok(Cur())) pos_++;
    if (Cur() != '_') return true;
    pos_++;
  }
}

// A number must not run into a name, other than the keywords that may follow an expression ("1if x else y").
bool Lexer::EndOfNumber(const char* what) {
  uint32_t p = pos_;
  while (p < end_ && text_[p] >= 'a' && text_[p] <= 'z') p++;
  std::string_view word(text_ + pos_, p - pos_);
  for (std::string_view k : {"and", "else", "for", "if", "in", "is", "not", "or"}) {
    if (word == k) return true;
  }
  int length = 0;
  uint32_t c = pos_ < end_ ? DecodeUtf8(text_ + pos_, text_ + end_, &length) : 0;
  if (length > 0 && (IsIdStart(c) || IsDigit(static_cast<char>(c < 0x80 ? c : 0)))) {
    return Fail(std::string("invalid ") + what + " literal", pos_ - 1, pos_);
  }
  return true;
}

bool Lexer::Number() {
  uint32_t start = pos_, col = pos_ - line_start_;
  auto dec = [](char c) { return IsDigit(c); };
  auto done = [&](const char* what) {
    if (!EndOfNumber(what)) return false;
    Push(Tok::kNumber, start, line_, col);
    return true;
  };
  if (Cur() == '0') {
    char kind = static_cast<char>(At(pos_ + 1) | 0x20);
    bool (*ok)(char) = nullptr;
    const char* what = nullptr;
    if (kind == 'x') {
      ok = [](char c) { return IsDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); };
      what = "hexadecimal";
    } else if (kind == 'o') {
      ok = [](char c) { return c >= '0' && c <= '7'; };
      what = "octal";
    } else if (kind == 'b') {
      ok = [](char c) { return c == '0' || c == '1'; };
      what = "binary";
    }
    if (ok != nullptr) {
      pos_ += 2;
      if (Cur() == '_') pos_++;
      if (IsDigit(Cur()) && !ok(Cur())) {
        return Fail(std::string("invalid digit '") + Cur() + "' in " + what + " literal", pos_, pos_ + 1);
      }
      if (!DigitRun(ok, what)) return false;
      if (IsDigit(Cur())) return Fail(std::string("invalid digit '") + Cur() + "' in " + what + " literal", pos_, pos_ + 1);
      return done(what);
    }
  }
  bool is_float = false;
  if (Cur() != '.') {
    if (!DigitRun(dec, "decimal")) return false;
  }
  if (Cur() == '.') {
    is_float = true;
    pos_++;
    if (IsDigit(Cur()) && !DigitRun(dec, "decimal")) return false;
  }
  if ((Cur() | 0x20) == 'e') {
    uint32_t p = pos_ + 1;
    if (At(p) == '+' || At(p) == '-') p++;
    if (IsDigit(At(p))) {
      is_float = true;
      pos_ = p;
      if (!DigitRun(dec, "decimal")) return false;
    }
  }
  if ((Cur() | 0x20) == 'j') {
    pos_++;
    return Fail("complex literals are not supported", start, pos_);
  }
  if (!is_float && text_[start] == '0') {
    for (uint32_t i = start; i < pos_; i++) {
      if (text_[i] >= '1' && text_[i] <= '9') {
        return Fail("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers", start, pos_);
      }
    }
  }
  return done("decimal");
}

bool Lexer::BadCharacter() {
  int length = 0;
  uint32_t c = DecodeUtf8(text_ + pos_, text_ + end_, &length);
  if (length == 0) length = 1;
  char buffer[80];
  if (IsUnprintable(c)) {
    snprintf(buffer, sizeof buffer, "invalid non-printable character U+%04X", c);
  } else {
    snprintf(buffer, sizeof buffer, "invalid character '%.*s' (U+%04X)", length, text_ + pos_, c);
  }
  return Fail(buffer, pos_, pos_ + length);
}

bool Lexer::NameOrString() {
  uint32_t start = pos_, col = pos_ - line_start_;
  while (pos_ < end_) {
    int length = 0;
    uint32_t c = DecodeUtf8(text_ + pos_, text_ + end_, &length);
    if (length == 0) break;
    if (!(pos_ == start ? IsIdStart(c) : IsIdContinue(c))) {
      if (c >= 0x80) return BadCharacter();
      break;
    }
    pos_ += length;
  }
  std::string_view text(text_ + start, pos_ - start);
  if (text.size() <= 2 && (Cur() == '"' || Cur() == '\'')) {
    char a = static_cast<char>(text[0] | 0x20), b = text.size() == 2 ? static_cast<char>(text[1] | 0x20) : '\0';
    bool prefix = b == '\0' ? (a == 'r' || a == 'b' || a == 'f' || a == 'u')
                            : ((a == 'r' && (b == 'b' || b == 'f')) || (b == 'r' && (a == 'b' || a == 'f')));
    if (prefix) return String(start);
  }
  Push(KeywordOrName(text), start, line_, col);
  return true;
}

// pos_ is at the opening quote; the prefix started at `start`.
bool Lexer::String(uint32_t start) {
  uint32_t start_line = line_, col = start - line_start_;
  char quote = Cur();
  bool triple = At(pos_ + 1) == quote && At(pos_ + 2) == quote;
  pos_ += triple ? 3 : 1;
  while (true) {
    if (pos_ >= end_ || (!triple && Cur() == '\n')) {
      Position p{start_line, start_line, col, col + 1};
      char buffer[100];
      uint32_t last = pos_ >= end_ && end_ > 0 && text_[end_ - 1] == '\n' && line_ > start_line ? line_ - 1 : line_;
      snprintf(buffer, sizeof buffer, "unterminated %sstring literal (detected at line %u)", triple ? "triple-quoted " : "", last);
      FailAt(buffer, p);
      list_.error.at_end = triple;
      return false;
    }
    char c = text_[pos_++];
    if (c == '\n') {
      NewLine();
    } else if (c == '\\') {
      if (pos_ < end_ && text_[pos_++] == '\n') NewLine();
    } else if (c == quote) {
      if (!triple) break;
      if (Cur() == quote && At(pos_ + 1) == quote) {
        pos_ += 2;
        break;
      }
    }
  }
  Push(Tok::kString, start, start_line, col);
  return true;
}

bool Lexer::Operator() {
  uint32_t start = pos_, col = pos_ - line_start_;
  for (uint32_t length = 3; length >= 1; length--) {
    if (pos_ + length > end_) continue;
    std::string_view text(text_ + pos_, length);
    for (const Spelling& op : kOperators) {
      if (op.text != text) continue;
      char c = text[0];
      if (length == 1 && (c == '(' || c == '[' || c == '{')) {
        if (parens_.size() >= kMaxParens) return Fail("too many nested parentheses", pos_, pos_ + 1);
        parens_.push_back({c, {line_, line_, col, col + 1}});
      } else if (length == 1 && (c == ')' || c == ']' || c == '}')) {
        if (parens_.empty()) return Fail(std::string("unmatched '") + c + "'", pos_, pos_ + 1);
        Paren open = parens_.back();
        char want = open.open == '(' ? ')' : open.open == '[' ? ']' : '}';
        if (c != want) {
          std::string m = std::string("closing parenthesis '") + c + "' does not match opening parenthesis '" + open.open + "'";
          if (open.pos.line != line_) m += " on line " + std::to_string(open.pos.line);
          return Fail(m, pos_, pos_ + 1);
        }
        parens_.pop_back();
      }
      pos_ += length;
      Push(op.kind, start, line_, col);
      return true;
    }
  }
  char c = Cur();
  if (c == '$' || c == '?' || c == '!' || c == '`') return Fail("invalid syntax", pos_, pos_ + 1);
  return BadCharacter();
}

}  // namespace

TokenList Lex(const Source& source) {
  return Lexer(source, 0, static_cast<uint32_t>(source.text.size()), 1, 0).Run(true);
}

TokenList LexExpression(const Source& source, uint32_t start, uint32_t end, uint32_t line, uint32_t col) {
  return Lexer(source, start, end, line, col).Run(false);
}

}  // namespace tidepool::rt::lang
