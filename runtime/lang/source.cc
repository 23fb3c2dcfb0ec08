// Loading of source text, and the text of syntax errors.
#include "tidepool/runtime/lang/source.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "tidepool/runtime/lang/unicode_id.h"

namespace tidepool::rt::lang {
namespace {

uint32_t CharColumn(std::string_view line, uint32_t byte_col) {
  uint32_t column = 1;
  for (uint32_t i = 0; i < byte_col && i < line.size(); i++) {
    if ((static_cast<uint8_t>(line[i]) & 0xc0) != 0x80) column++;
  }
  if (byte_col > line.size()) column += byte_col - static_cast<uint32_t>(line.size());
  return column;
}

}  // namespace

bool Source::Load(std::string_view raw, std::string_view name, SyntaxErrorInfo* error) {
  filename.assign(name);
  text.clear();
  auto fail = [&](std::string message, uint32_t line) {
    *error = SyntaxErrorInfo{};
    error->message = std::move(message);
    error->filename = filename;
    error->line = line;
    return false;
  };
  if (raw.size() > 0x7fffffff) return fail("source is too large", 0);
  if (raw.substr(0, 3) == "\xef\xbb\xbf") raw.remove_prefix(3);
  text.reserve(raw.size() + 1);
  uint32_t line = 1;
  const char* end = raw.data() + raw.size();
  for (const char* p = raw.data(); p < end;) {
    char c = *p;
    if (c == '\0') return fail("source code string cannot contain null bytes", line);
    if (c == '\r') {
      p++;
      if (p < end && *p == '\n') p++;
      text.push_back('\n');
      line++;
      continue;
    }
    int length = 1;
    if (static_cast<uint8_t>(c) >= 0x80) {
      DecodeUtf8(p, end, &length);
      if (length == 0) {
        char buffer[120];
        snprintf(buffer, sizeof buffer, "(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %zu: invalid start byte",
                 static_cast<uint8_t>(c), static_cast<size_t>(p - raw.data()));
        return fail(buffer, line);
      }
    }
    if (c == '\n') line++;
    text.append(p, length);
    p += length;
  }
  if (text.empty() || text.back() != '\n') text.push_back('\n');
  return true;
}

std::string_view Source::Line(uint32_t line) const {
  size_t start = 0;
  for (uint32_t i = 1; i < line; i++) {
    size_t newline = text.find('\n', start);
    if (newline == std::string::npos) return {};
    start = newline + 1;
  }
  if (line == 0 || start >= text.size()) return {};
  return std::string_view(text).substr(start, text.find('\n', start) - start);
}

void Source::MakeError(SyntaxErrorInfo::Kind kind, const Position& pos, std::string message, SyntaxErrorInfo* error) const {
  *error = SyntaxErrorInfo{};
  error->kind = kind;
  error->message = std::move(message);
  error->filename = filename;
  error->line = pos.line;
  error->end_line = pos.end_line;
  std::string_view line = Line(pos.line);
  error->text.assign(line);
  error->column = CharColumn(line, pos.col);
  if (pos.end_line == pos.line) {
    error->end_column = CharColumn(line, pos.end_col);
  } else {
    error->end_column = CharColumn(Line(pos.end_line), pos.end_col);
  }
}

const char* SyntaxErrorInfo::KindName() const {
  return kind == Kind::kSyntax ? "SyntaxError" : kind == Kind::kIndentation ? "IndentationError" : "TabError";
}

namespace {
// Lines longer than this are shown in part: some columns around the error.
constexpr size_t kWholeLine = 1000, kBefore = 60, kShown = 160;

// Cuts `line`, whose mark is columns [*from, *to) of it (0-based, in characters), down to kShown characters around the
// mark, with "..." where something was left out.
std::string CutLine(std::string_view line, size_t* from, size_t* to) {
  std::vector<size_t> starts;  // of characters
  for (size_t i = 0; i < line.size(); i++) {
    if ((static_cast<uint8_t>(line[i]) & 0xc0) != 0x80) starts.push_back(i);
  }
  const size_t count = starts.size();
  starts.push_back(line.size());
  const size_t mark = *from < count ? *from : count;
  const size_t first = mark > kBefore ? mark - kBefore : 0;
  const size_t last = first + kShown < count ? first + kShown : count;
  std::string out = first > 0 ? "..." : "";
  const size_t shift = out.size();
  out.append(line.substr(starts[first], starts[last] - starts[first]));
  if (last < count) out += "...";
  *from = mark - first + shift;
  *to = (*to < last ? (*to > first ? *to : first) : last) - first + shift;
  return out;
}
}  // namespace

std::string SyntaxErrorInfo::Format() const {
  std::string out = "  File \"" + filename + "\", line " + std::to_string(line == 0 ? 1 : line) + "\n";
  size_t lead = text.find_first_not_of(" \t\f");
  if (line != 0 && lead != std::string::npos) {
    std::string_view shown = std::string_view(text).substr(lead);
    while (!shown.empty() && (shown.back() == ' ' || shown.back() == '\t')) shown.remove_suffix(1);
    out += "    ";
    if (shown.size() > kWholeLine) {
      const size_t stop = end_line == line ? end_column : CharColumn(text, static_cast<uint32_t>(text.size()));
      size_t from = column > lead ? column - 1 - lead : 0;
      size_t to = stop > lead + 1 ? stop - 1 - lead : 0;
      out += CutLine(shown, &from, &to);
      out += '\n';
      if (column > lead) {
        out.append(4 + from, ' ');
        out.append(to > from ? to - from : 1, '^');
        out += '\n';
      }
      return out + KindName() + ": " + message + "\n";
    }
    out += shown;
    out += '\n';
    if (column > lead) {
      size_t stop = end_line == line ? end_column : CharColumn(text, static_cast<uint32_t>(text.size()));
      out.append(4 + column - 1 - lead, ' ');
      out.append(stop > column ? stop - column : 1, '^');
      out += '\n';
    }
  }
  return out + KindName() + ": " + message + "\n";
}

}  // namespace tidepool::rt::lang
