// Parsing and printing of the option table.
//
// Everything here is generated from TIDEPOOL_OPTIONS by one helper per type
// (ParseInt, PrintInt, ...), so a new row needs no code and a new type needs
// three functions.
#include "tidepool/allocator/options.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern char** environ;

namespace tidepool {
namespace {

struct Name {
  const char* text;
  int value;
};

constexpr Name kPurgeNames[] = {{"low_water", 0},
                                {"immediate", 1},
                                {"delayed", 2},
                                {"bounded", 3},
                                {"never", 4}};
constexpr Name kBadFreeNames[] = {{"ignore", 0}, {"log", 1}, {"abort", 2}};
constexpr Name kBoolNames[] = {{"0", 0},     {"1", 1},  {"false", 0},
                               {"true", 1},  {"off", 0}, {"on", 1},
                               {"no", 0},    {"yes", 1}};

std::string Str(absl::string_view text) {
  return std::string(text.data(), text.size());
}

absl::Status Bad(absl::string_view name, absl::string_view value,
                 const std::string& allowed) {
  return absl::InvalidArgumentError("option " + Str(name) + ": '" +
                                    Str(value) + "' is not " + allowed);
}

absl::Status ParseNumber(absl::string_view name, absl::string_view value,
                         int64_t min, int64_t max, bool suffix, int64_t* out) {
  std::string allowed = "a number between " + std::to_string(min) + " and " +
                        std::to_string(max);
  if (suffix) allowed += " (K, M or G may follow)";
  std::string text = Str(value);
  int shift = 0;
  if (suffix && !text.empty()) {
    switch (text.back()) {
      case 'k': case 'K': shift = 10; break;
      case 'm': case 'M': shift = 20; break;
      case 'g': case 'G': shift = 30; break;
      default: break;
    }
    if (shift != 0) text.pop_back();
  }
  if (text.empty() || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))) {
    return Bad(name, value, allowed);
  }
  errno = 0;
  char* end = nullptr;
  long long number = strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || errno != 0) return Bad(name, value, allowed);
  if (number > (INT64_MAX >> shift) || number < -(INT64_MAX >> shift)) {
    return Bad(name, value, allowed);
  }
  number *= int64_t{1} << shift;
  if (number < min || number > max) return Bad(name, value, allowed);
  *out = number;
  return absl::OkStatus();
}

template <size_t n>
absl::Status ParseName(absl::string_view name, absl::string_view value,
                       const Name (&names)[n], int* out) {
  std::string allowed = "one of";
  for (const Name& row : names) {
    if (value == row.text) {
      *out = row.value;
      return absl::OkStatus();
    }
    allowed += std::string(" ") + row.text;
  }
  return Bad(name, value, allowed);
}

absl::Status SetInt(absl::string_view name, absl::string_view value,
                    int64_t min, int64_t max, int64_t* out) {
  return ParseNumber(name, value, min, max, false, out);
}
absl::Status SetSize(absl::string_view name, absl::string_view value,
                     int64_t min, int64_t max, uint64_t* out) {
  int64_t number = 0;
  absl::Status status = ParseNumber(name, value, min, max, true, &number);
  if (status.ok()) *out = static_cast<uint64_t>(number);
  return status;
}
absl::Status SetBool(absl::string_view name, absl::string_view value, int64_t,
                     int64_t, bool* out) {
  int number = 0;
  absl::Status status = ParseName(name, value, kBoolNames, &number);
  if (status.ok()) *out = number != 0;
  return status;
}
absl::Status SetPurge(absl::string_view name, absl::string_view value, int64_t,
                      int64_t, PurgePolicyKind* out) {
  int number = 0;
  absl::Status status = ParseName(name, value, kPurgeNames, &number);
  if (status.ok()) *out = static_cast<PurgePolicyKind>(number);
  return status;
}
absl::Status SetBadFree(absl::string_view name, absl::string_view value,
                        int64_t, int64_t, BadFreePolicy* out) {
  int number = 0;
  absl::Status status = ParseName(name, value, kBadFreeNames, &number);
  if (status.ok()) *out = static_cast<BadFreePolicy>(number);
  return status;
}
absl::Status SetHarden(absl::string_view name, absl::string_view value, int64_t,
                       int64_t, uint32_t* out) {
  // 0 and 1 are what the levels were called once.
  if (value == "none" || value == "0") {
    *out = kHardenNone;
    return absl::OkStatus();
  }
  uint32_t bits = kHardenDoubleFree;  // part of every set
  for (absl::string_view rest = value;;) {
    size_t plus = rest.find('+');
    absl::string_view word = rest.substr(0, plus);
    uint32_t found = word == "checked" || word == "1" ? uint32_t{kHardenChecked}
                     : word == "hardened"             ? uint32_t{kHardened}
                                                      : 0;
    for (const Mitigation* m = MitigationTable(); m->name != nullptr; ++m) {
      if (word == m->name) found = m->bit;
    }
    if (found == 0) {
      std::string allowed = "none, checked, hardened, or some of";
      for (const Mitigation* m = MitigationTable(); m->name != nullptr; ++m) {
        allowed += std::string(" ") + m->name;
      }
      return Bad(name, value, allowed + " joined by +");
    }
    bits |= found;
    if (plus == absl::string_view::npos) break;
    rest = rest.substr(plus + 1);
  }
  *out = bits;
  return absl::OkStatus();
}
absl::Status SetText(absl::string_view name, absl::string_view value, int64_t,
                     int64_t, OptionText* out) {
  if (value.empty() || value.size() >= sizeof(out->text)) {
    return Bad(name, value, "a name of 1 to 47 characters");
  }
  memset(out->text, 0, sizeof(out->text));
  memcpy(out->text, value.data(), value.size());
  return absl::OkStatus();
}

std::string PrintInt(int64_t value) { return std::to_string(value); }
std::string PrintSize(uint64_t value) { return std::to_string(value); }
std::string PrintBool(bool value) { return value ? "1" : "0"; }
std::string PrintPurge(PurgePolicyKind value) { return PurgePolicyName(value); }
std::string PrintBadFree(BadFreePolicy value) {
  return BadFreePolicyName(value);
}
std::string PrintHarden(uint32_t value) {
  if (value == kHardenNone) return "none";
  if (value == kHardenChecked) return "checked";
  if (value == kHardened) return "hardened";
  std::string out;
  for (const Mitigation* m = MitigationTable(); m->name != nullptr; ++m) {
    if ((value & m->bit) == 0) continue;
    if (!out.empty()) out += '+';
    out += m->name;
  }
  return out;
}
std::string PrintText(const OptionText& value) { return value.text; }

std::string JsonInt(int64_t value) { return std::to_string(value); }
std::string JsonSize(uint64_t value) { return std::to_string(value); }
std::string JsonBool(bool value) { return value ? "true" : "false"; }
std::string JsonPurge(PurgePolicyKind value) {
  return std::string("\"") + PurgePolicyName(value) + "\"";
}
std::string JsonBadFree(BadFreePolicy value) {
  return std::string("\"") + BadFreePolicyName(value) + "\"";
}
std::string JsonHarden(uint32_t value) { return "\"" + PrintHarden(value) + "\""; }
std::string JsonText(const OptionText& value) {
  std::string out = "\"";
  for (const char* c = value.text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') out += '\\';
    if (static_cast<unsigned char>(*c) >= 0x20) out += *c;
  }
  return out + "\"";
}

}  // namespace

const Mitigation* MitigationTable() {
  static constexpr Mitigation kTable[] = {
#define TIDEPOOL_X(name, constant, bit, catches, cost) \
  {#name, bit, catches, cost},
      TIDEPOOL_MITIGATIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
      {nullptr, 0, nullptr, nullptr}};
  return kTable;
}

bool OptionText::operator==(const OptionText& other) const {
  return strcmp(text, other.text) == 0;
}

const char* PurgePolicyName(PurgePolicyKind kind) {
  return kPurgeNames[static_cast<int>(kind)].text;
}

const char* BadFreePolicyName(BadFreePolicy policy) {
  return kBadFreeNames[static_cast<int>(policy)].text;
}

absl::Status Options::Set(absl::string_view name, absl::string_view value) {
#define TIDEPOOL_X(type, field, def, min, max, unit, doc) \
  if (name == #field) return Set##type(name, value, min, max, &field);
  TIDEPOOL_OPTIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
  return absl::NotFoundError("there is no option named '" + Str(name) + "'");
}

std::string Options::Get(absl::string_view name) const {
#define TIDEPOOL_X(type, field, def, min, max, unit, doc) \
  if (name == #field) return Print##type(field);
  TIDEPOOL_OPTIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
  return "";
}

absl::StatusOr<Options> Options::FromEnvironment() {
  return FromEnvironment(Options());
}

absl::StatusOr<Options> Options::FromEnvironment(const Options& defaults) {
  Options options = defaults;
  constexpr size_t kPrefix = sizeof("TIDEPOOL_") - 1;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* text = *entry;
    const char* equals = strchr(text, '=');
    if (equals == nullptr || strncmp(text, "TIDEPOOL_", kPrefix) != 0) continue;
    std::string name(text + kPrefix, equals);
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    absl::Status status = options.Set(name, equals + 1);
    if (!status.ok() && !absl::IsNotFound(status)) return status;
  }
  return options;
}

namespace {
// How many letters must be changed, added, left out or swapped with their neighbour.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t least = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least = std::min({least, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least = std::min(least, d[i - 2][j - 2] + 1);
      }
      d[i][j] = least;
    }
  }
  return d[a.size()][b.size()];
}
}  // namespace

std::string MisspeltVariables(const char* const* more) {
  std::string out;
  constexpr size_t kPrefix = sizeof("TIDEPOOL_") - 1;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* text = *entry;
    const char* equals = strchr(text, '=');
    if (equals == nullptr || strncmp(text, "TIDEPOOL_", kPrefix) != 0) continue;
    std::string name(text + kPrefix, equals);
    if (name.size() > 64) continue;
    std::string folded = name;
    for (char& c : folded) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if (c == '-') c = '_';
    }
    std::string best;
    size_t least = folded.size() < 8 ? 2 : 3;  // letters that may differ, and one
    bool known = false;
    auto compare = [&](const char* option) {
      known = known || name == option || folded == option;
      const size_t distance = Distance(folded, option);
      if (distance >= least) return;
      least = distance;
      best = option;
    };
    for (const OptionInfo* row = OptionTable(); row->name != nullptr; ++row) {
      compare(row->name);
    }
    for (const char* const* m = more; m != nullptr && *m != nullptr; ++m) compare(*m);
    if (known || best.empty()) continue;
    for (char& c : best) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    out += "tidepool: TIDEPOOL_" + name + " in the environment is not an option; did you mean TIDEPOOL_" +
           best + "?\n";
  }
  return out;
}

std::string Options::ToJson() const {
  std::string out = "{";
#define TIDEPOOL_X(type, field, def, min, max, unit, doc) \
  out += "\"" #field "\":" + Json##type(field) + ",";
  TIDEPOOL_OPTIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
  out.back() = '}';
  return out;
}

const OptionInfo* OptionTable() {
  static const struct Texts {
    std::string defaults[64];
    OptionInfo rows[64] = {};
    Texts() {
      Options options;
      size_t n = 0;
#define TIDEPOOL_X(type, field, def, min, max, unit, doc)       \
  defaults[n] = Print##type(options.field);                     \
  rows[n] = {#field, #type, defaults[n].c_str(), unit, doc};    \
  ++n;
      TIDEPOOL_OPTIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
    }
  }* texts = new Texts;
  return texts->rows;
}

std::string OptionHelp() {
  std::string out;
  for (const OptionInfo* row = OptionTable(); row->name != nullptr; ++row) {
    out += std::string("  --") + row->name + "=" + row->default_text;
    if (row->unit[0] != '\0') out += std::string(" ") + row->unit;
    out += "\n";
    std::string line = "     ";
    absl::string_view rest = row->doc;
    while (!rest.empty()) {
      size_t space = rest.find(' ');
      absl::string_view word = rest.substr(0, space);
      if (line.size() + 1 + word.size() > 78) {
        out += line + "\n";
        line = "     ";
      }
      line += " " + Str(word);
      rest = space == absl::string_view::npos ? "" : rest.substr(space + 1);
    }
    out += line + "\n";
  }
  return out;
}

std::string OptionsMarkdown() {
  std::string out =
      "# Options\n\n"
      "Every option can be set in the `Options` struct, in the environment as\n"
      "`TIDEPOOL_<NAME>` in capitals, and on the command line of the toy runtime as\n"
      "`--name=value`. Sizes take the suffixes K, M and G. A value that is not\n"
      "understood is an error. This page is printed from the table in\n"
      "`allocator/options.h` (`OptionsMarkdown()`), and a test compares them.\n\n"
      "Under every setting readers are safe, errors are errors and figures are\n"
      "right. The memory bounds hold by default; an option that gives one up says\n"
      "so. A page with a single block is never retained, so the bounds for large\n"
      "blocks hold under every value.\n";
  for (const OptionInfo* row = OptionTable(); row->name != nullptr; ++row) {
    std::string env = "TIDEPOOL_";
    for (const char* c = row->name; *c != '\0'; ++c) {
      env += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
    }
    out += std::string("\n## ") + row->name + "\n\n`" + env + "`, " + row->type +
           ", default `" + row->default_text + "`";
    if (row->unit[0] != '\0') out += std::string(" (") + row->unit + ")";
    out += ".\n\n";
    std::string line;
    absl::string_view rest = row->doc;
    while (!rest.empty()) {
      size_t space = rest.find(' ');
      absl::string_view word = rest.substr(0, space);
      if (!line.empty() && line.size() + 1 + word.size() > 78) {
        out += line + "\n";
        line.clear();
      }
      if (!line.empty()) line += " ";
      line += Str(word);
      rest = space == absl::string_view::npos ? "" : rest.substr(space + 1);
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace tidepool
