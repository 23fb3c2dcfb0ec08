// Tokens: indentation, joining of lines, operators, names, the errors of the lexer.
#include "tidepool/runtime/lang/lexer.h"

#include <string>

#include "gtest/gtest.h"

namespace tidepool::rt::lang {
namespace {

// One word per token: NAME:x, 1, 's', operators and keywords as written, NL, IN, DE, END; an error as !message.
std::string Show(const std::string& text) {
  Source source;
  SyntaxErrorInfo error;
  if (!source.Load(text, "t.py", &error)) return "!" + error.message;
  TokenList list = Lex(source);
  std::string out;
  for (const Token& t : list.tokens) {
    if (!out.empty()) out += ' ';
    switch (t.kind) {
      case Tok::kEnd: out += "END"; break;
      case Tok::kError: out += "!" + list.error.message; break;
      case Tok::kNewline: out += "NL"; break;
      case Tok::kIndent: out += "IN"; break;
      case Tok::kDedent: out += "DE"; break;
      default: out += source.Text(t.start, t.end);
    }
  }
  return out;
}

TEST(Lexer, LinesAndIndentation) {
  EXPECT_EQ(Show(""), "END");
  EXPECT_EQ(Show("a"), "a NL END");
  EXPECT_EQ(Show("\n\n  # only a comment\n\na\n"), "a NL END");
  EXPECT_EQ(Show("if a:\n  b\n\n  # c\n  d\ne"), "if a : NL IN b NL d NL DE e NL END");
  EXPECT_EQ(Show("if a:\n\tb\n\tif c:\n\t\td\n"), "if a : NL IN b NL if c : NL IN d NL DE DE END");
  EXPECT_EQ(Show("a = (1,\n   2)\nb"), "a = ( 1 , 2 ) NL b NL END");
  EXPECT_EQ(Show("a = 1 + \\\n  2\n"), "a = 1 + 2 NL END");
  EXPECT_EQ(Show("a\r\nb\rc"), "a NL b NL c NL END");
  EXPECT_EQ(Show("\xef\xbb\xbf" "a"), "a NL END");
  EXPECT_EQ(Show("if a:\n        b\n\tc\n"), "if a : NL IN b NL !inconsistent use of tabs and spaces in indentation");
  EXPECT_EQ(Show("if a:\n    b\n  c\n"), "if a : NL IN b NL DE !unindent does not match any outer indentation level");
}

TEST(Lexer, OperatorsLongestFirst) {
  EXPECT_EQ(Show("a**=b//c<<d>>=e!=f:=g->h...i.j"), "a **= b // c << d >>= e != f := g -> h ... i . j NL END");
  EXPECT_EQ(Show("a<=b>=c==d=e@=f"), "a <= b >= c == d = e @= f NL END");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(Show("0 00 1_000 0xFF 0b1_0 0o17 1.5 .5 5. 1e5 1E-3 1.e+2"), "0 00 1_000 0xFF 0b1_0 0o17 1.5 .5 5. 1e5 1E-3 1.e+2 NL END");
  EXPECT_EQ(Show("1if a else 2"), "1 if a else 2 NL END");
  EXPECT_EQ(Show("1.real"), "!invalid decimal literal");
  EXPECT_EQ(Show("1_"), "!invalid decimal literal");
  EXPECT_EQ(Show("0x"), "!invalid hexadecimal literal");
  EXPECT_EQ(Show("0b2"), "!invalid digit '2' in binary literal");
  EXPECT_EQ(Show("012"), "!leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
  EXPECT_EQ(Show("1j"), "!complex literals are not supported");
}

TEST(Lexer, StringsAndNames) {
  EXPECT_EQ(Show("'a' \"b\" r'\\' + x"), "'a' \"b\" !unterminated string literal (detected at line 1)");
  EXPECT_EQ(Show("rb'x' Rb\"y\" f'{a}' u'z' bf"), "rb'x' Rb\"y\" f'{a}' u'z' bf NL END");
  EXPECT_EQ(Show("'''a\n'b''' c"), "'''a\n'b''' c NL END");
  EXPECT_EQ(Show("'a\\'b'"), "'a\\'b' NL END");
  EXPECT_EQ(Show("'''abc"), "!unterminated triple-quoted string literal (detected at line 1)");
  EXPECT_EQ(Show("größe = данные2"), "größe = данные2 NL END");
  EXPECT_EQ(Show("a × b"), "a !invalid character '×' (U+00D7)");
  EXPECT_EQ(Show("a\u00a0b"), "!invalid non-printable character U+00A0");
  EXPECT_EQ(Show("Nonex not_ None"), "Nonex not_ None NL END");
}

TEST(Lexer, Parentheses) {
  EXPECT_EQ(Show("(a]"), "( a !closing parenthesis ']' does not match opening parenthesis '('");
  EXPECT_EQ(Show("a)"), "a !unmatched ')'");
  EXPECT_EQ(Show("a = [1"), "a = [ 1 !'[' was never closed");
  EXPECT_NE(Show(std::string(kMaxParens, '(') + std::string(kMaxParens, ')')).find("END"), std::string::npos);
  EXPECT_NE(Show(std::string(kMaxParens + 1, '(')).find("!too many nested parentheses"), std::string::npos);
}

TEST(Lexer, BadBytes) {
  EXPECT_EQ(Show(std::string("a\0b", 3)), "!source code string cannot contain null bytes");
  EXPECT_EQ(Show("a = '\xff'"), "!(unicode error) 'utf-8' codec can't decode byte 0xff in position 5: invalid start byte");
}

}  // namespace
}  // namespace tidepool::rt::lang
