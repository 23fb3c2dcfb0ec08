// String literals: implicit concatenation, bytes, and f-strings with their inner expressions.
//
// As in CPython 3.11 an f-string is one string token; its expressions are found by scanning for the end of each
// and then parsed from the same source text, so that their positions are those of the file. The inside of an expression holds no
// backslash, no comment and no quote of the kind that delimits the string (that would have ended the token).
#include <cstring>
#include <utility>

#include "tidepool/runtime/lang/literal.h"
#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
namespace {

struct Prefix {
  bool raw = false, bytes = false, format = false;
  uint32_t body, end;  // offsets of the inside of the quotes
};

Prefix Split(const Source& source, const Token& token) {
  Prefix p;
  uint32_t at = token.start;
  for (; source.text[at] != '"' && source.text[at] != '\''; at++) {
    char c = static_cast<char>(source.text[at] | 0x20);
    p.raw |= c == 'r';
    p.bytes |= c == 'b';
    p.format |= c == 'f';
  }
  char q = source.text[at];
  bool triple = token.end - at >= 6 && source.text[at + 1] == q && source.text[at + 2] == q;
  p.body = at + (triple ? 3 : 1);
  p.end = token.end - (triple ? 3 : 1);
  return p;
}

}  // namespace

// Positions are asked for in rising order, so the search goes on where the last one ended.
Position Parser::PositionAt(const Token& token, uint32_t offset) const {
  if (place_.token != token.start + 1 || place_.offset > offset) {
    place_ = {token.start + 1, token.start, token.pos.line, token.start - token.pos.col};
  }
  for (; place_.offset < offset; place_.offset++) {
    if (source_.text[place_.offset] == '\n') {
      place_.line++;
      place_.line_start = place_.offset + 1;
    }
  }
  uint32_t col = offset - place_.line_start;
  return {place_.line, place_.line, col, col + 1};
}

void Parser::AddText(const Position& pos, std::string text, std::vector<Expr*>* parts) {
  if (text.empty()) return;
  Const value;
  value.kind = Const::Kind::kStr;
  if (!parts->empty() && parts->back()->kind == ExprKind::kConstant) {
    value.s = static_cast<ConstantExpr*>(parts->back())->value->s;
    parts->pop_back();
  }
  value.s += text;
  parts->push_back(Constant(pos, std::move(value)));
}

Expr* Parser::ParseStrings() {
  Position start = Cur().pos;
  bool any_format = false, bytes = Split(source_, Cur()).bytes;
  std::string plain, message;       // text not yet in `parts`
  std::vector<Expr*> parts;
  size_t first = at_;
  while (Is(Tok::kString)) Advance();
  size_t stop = at_;
  Position whole = From(start);
  for (size_t i = first; i < stop; i++) {
    const Token token = list_.tokens[i];
    Prefix p = Split(source_, token);
    if (p.bytes != bytes) return Fail(whole, "cannot mix bytes and nonbytes literals");
    if (p.format) {
      any_format = true;
      AddText(whole, std::move(plain), &parts);
      plain.clear();
      if (!ParseFString(token, p.body, p.end, p.raw, 0, &parts)) return nullptr;
    } else if (!DecodeString(source_.Text(p.body, p.end), p.raw, p.bytes, &plain, &message)) {
      return Fail(token.pos, message);
    }
  }
  if (!any_format) {
    Const value;
    value.kind = bytes ? Const::Kind::kBytes : Const::Kind::kStr;
    value.s = std::move(plain);
    return Constant(whole, std::move(value));
  }
  AddText(whole, std::move(plain), &parts);
  auto* e = NewExpr<JoinedStrExpr>(ExprKind::kJoinedStr, whole);
  e->parts = arena_.Copy(parts);
  for (Expr* part : parts) {
    if (!Raise(e, part)) return nullptr;
  }
  return e;
}

// Literal text and {fields} of [start, end). level > 0: inside a format spec, where the text of a nested
// field may not hold another spec with fields.
bool Parser::ParseFString(const Token& token, uint32_t start, uint32_t end, bool raw, int level, std::vector<Expr*>* parts) {
  const std::string& text = source_.text;
  std::string literal, message;
  uint32_t at = start, run = start;
  auto flush = [&](uint32_t stop) {
    if (DecodeString(source_.Text(run, stop), raw, false, &literal, &message)) return true;
    Fail(token.pos, message);
    return false;
  };
  while (at < end) {
    char c = text[at];
    if (c == '\\' && !raw && at + 1 < end) {
      // "\{" is a backslash and the start of a field; \N{...} is one escape (refused by DecodeString).
      if (text[at + 1] == 'N') {
        while (at < end && text[at] != '}') at++;
        if (at < end) at++;
        continue;
      }
      at += text[at + 1] == '{' || text[at + 1] == '}' ? 1 : 2;
      continue;
    }
    if (c != '{' && c != '}') {
      at++;
      continue;
    }
    if (level == 0 && at + 1 < end && text[at + 1] == c) {
      if (!flush(at + 1)) return false;
      at += 2;
      run = at;
      continue;
    }
    if (c == '}') {
      Fail(PositionAt(token, at), "f-string: single '}' is not allowed");
      return false;
    }
    if (!flush(at)) return false;
    Expr* field = ParseReplacement(token, &at, end, raw, level, &literal);
    if (field == nullptr) return false;
    AddText(field->pos, std::move(literal), parts);
    literal.clear();
    parts->push_back(field);
    run = at;
  }
  if (!flush(end)) return false;
  AddText(token.pos, std::move(literal), parts);
  return true;
}

// From the start of an expression to the character that ends it: ! : = } at nesting depth 0.
bool Parser::FindExpressionEnd(const Token& token, uint32_t* at, uint32_t end) {
  const std::string& text = source_.text;
  std::string open;
  uint32_t i = *at;
  auto fail = [&](std::string message) {
    Fail(PositionAt(token, i < end ? i : end), "f-string: " + message);
    return false;
  };
  for (; i < end; i++) {
    char c = text[i];
    if (c == '\\') {
      Fail(PositionAt(token, i), "f-string expression part cannot include a backslash");
      return false;
    }
    if (c == '\'' || c == '"') {
      bool triple = i + 2 < end && text[i + 1] == c && text[i + 2] == c;
      uint32_t j = i + (triple ? 3 : 1);
      while (j < end && !(text[j] == c && (!triple || (j + 2 < end && text[j + 1] == c && text[j + 2] == c)))) {
        if (text[j] == '\\') {
          Fail(PositionAt(token, j), "f-string expression part cannot include a backslash");
          return false;
        }
        j++;
      }
      if (j >= end) return fail("unterminated string");
      i = j + (triple ? 2 : 0);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') {
      if (open.size() >= kMaxParens) return fail("too many nested parenthesis");
      open.push_back(c);
      continue;
    }
    if (c == '#') {
      Fail(PositionAt(token, i), "f-string expression part cannot include '#'");
      return false;
    }
    if (open.empty() && (c == '!' || c == ':' || c == '}' || c == '=' || c == '<' || c == '>')) {
      if (i + 1 < end && text[i + 1] == '=' && c != ':' && c != '}') {
        i++;
        continue;
      }
      if (c == '<' || c == '>') continue;
      break;
    }
    if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) return fail(std::string("unmatched '") + c + "'");
      char want = open.back() == '(' ? ')' : open.back() == '[' ? ']' : '}';
      if (c != want) {
        return fail(std::string("closing parenthesis '") + c + "' does not match opening parenthesis '" + open.back() + "'");
      }
      open.pop_back();
    }
  }
  if (!open.empty()) return fail(i >= end ? "expecting '}'" : std::string("unmatched '") + open.back() + "'");
  if (i >= end) return fail("expecting '}'");
  *at = i;
  return true;
}

// *at is at the '{'; leaves it behind the '}'. With `=` the expression's own text is appended to *literal.
Expr* Parser::ParseReplacement(const Token& token, uint32_t* at, uint32_t end, bool raw, int level, std::string* literal) {
  const std::string& text = source_.text;
  uint32_t open = *at, start = open + 1, i = start;
  Position open_pos = PositionAt(token, open), where = PositionAt(token, start);
  if (level >= 2) return Fail(token.pos, "f-string: expressions nested too deeply");
  if (!FindExpressionEnd(token, &i, end)) return nullptr;
  uint32_t expr_end = i;
  if (source_.Text(start, expr_end).find_first_not_of(" \t\n\f") == std::string_view::npos) {
    return Fail(open_pos, "f-string: empty expression not allowed");
  }
  auto expecting = [&] { return Fail(PositionAt(token, i < end ? i : end), "f-string: expecting '}'"); };
  bool debug = text[i] == '=';
  if (debug) {
    i++;
    while (i < end && strchr(" \t\n\f", text[i]) != nullptr) i++;
    literal->append(source_.Text(start, i));
    if (i >= end) return expecting();
  }
  uint8_t conversion = 0;
  if (text[i] == '!') {
    i++;
    if (i >= end) return expecting();
    conversion = static_cast<uint8_t>(text[i++]);
    if (conversion != 's' && conversion != 'r' && conversion != 'a') {
      return Fail(PositionAt(token, i - 1), "f-string: invalid conversion character: expected 's', 'r', or 'a'");
    }
    if (i >= end) return expecting();
  }
  Expr* spec = nullptr;
  if (text[i] == ':') {
    uint32_t spec_start = ++i;
    int depth = 0;
    for (; i < end && !(depth == 0 && text[i] == '}'); i++) {
      if (text[i] == '{') depth++;
      if (text[i] == '}') depth--;
    }
    if (i >= end) return expecting();
    std::vector<Expr*> parts;
    if (!ParseFString(token, spec_start, i, raw, level + 1, &parts)) return nullptr;
    auto* joined = NewExpr<JoinedStrExpr>(ExprKind::kJoinedStr, token.pos);
    joined->parts = arena_.Copy(parts);
    for (Expr* part : parts) {
      if (!Raise(joined, part)) return nullptr;
    }
    spec = joined;
  }
  if (text[i] != '}') return expecting();
  *at = i + 1;
  if (debug && conversion == 0 && spec == nullptr) conversion = 'r';

  Position end_pos = PositionAt(token, i);
  Parser inner(source_, arena_, LexExpression(source_, start, expr_end, where.line, where.col), error_);
  Expr* value = inner.ParseWhole(fstring_level_ + 1, depth_);
  if (value == nullptr) {
    failed_ = true;
    return nullptr;
  }
  auto* e = NewExpr<FormattedExpr>(ExprKind::kFormatted, Span(open_pos, end_pos));
  e->value = value;
  e->conversion = conversion;
  e->spec = spec;
  return Finish(e, {value, spec});
}

Expr* Parser::ParseWhole(int fstring_level, int depth) {
  fstring_level_ = fstring_level;
  depth_ = depth;
  Level level(this);
  if (!level.ok()) return nullptr;
  Expr* e;
  if (Is(Tok::kYield)) {
    e = ParseYield();
  } else if (Is(Tok::kName) && Peek().kind == Tok::kColonEqual) {
    e = ParseNamedExpression();
  } else {
    e = ParseStarExpressions();
  }
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::kStarred) return Fail(e->pos, "cannot use starred expression here");
  if (!Is(Tok::kEnd)) return InvalidInParens(e);
  return e;
}

}  // namespace tidepool::rt::lang
