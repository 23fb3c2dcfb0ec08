// The dumper: a text form of code units for golden tests and debugging.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {
namespace {

void AppendF(std::string* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
void AppendF(std::string* out, const char* format, ...) {
  char buffer[512];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  *out += buffer;
}

void AppendQuoted(const std::string& s, std::string* out) {
  *out += '\'';
  for (char c : s) {
    if (c == '\n') {
      *out += "\\n";
    } else if (c == '\'' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (static_cast<uint8_t>(c) < 0x20) {
      AppendF(out, "\\x%02x", c);
    } else {
      *out += c;
    }
  }
  *out += '\'';
}

void AppendConst(const Const& c, std::string* out) {
  switch (c.kind) {
    case Const::Kind::kNone: *out += "None"; break;
    case Const::Kind::kTrue: *out += "True"; break;
    case Const::Kind::kFalse: *out += "False"; break;
    case Const::Kind::kEllipsis: *out += "..."; break;
    case Const::Kind::kInt: AppendF(out, "%" PRId64, c.i); break;
    case Const::Kind::kBigInt:
      *out += c.negative ? "-0x" : "0x";
      for (size_t i = c.limbs.size(); i > 0; i--) AppendF(out, i == c.limbs.size() ? "%x" : "%08x", c.limbs[i - 1]);
      break;
    case Const::Kind::kFloat: AppendF(out, "%.17g", c.d); break;
    case Const::Kind::kBytes: *out += 'b'; [[fallthrough]];
    case Const::Kind::kStr: AppendQuoted(c.s, out); break;
    case Const::Kind::kTuple:
    case Const::Kind::kFrozenSet:
      *out += c.kind == Const::Kind::kTuple ? "(" : "frozenset(";
      for (size_t i = 0; i < c.items.size(); i++) {
        if (i > 0) *out += ", ";
        AppendConst(c.items[i], out);
      }
      if (c.kind == Const::Kind::kTuple && c.items.size() == 1) *out += ",";
      *out += ')';
      break;
    case Const::Kind::kCode: *out += "<code " + c.code->qualname + ">"; break;
  }
}

void AppendSlot(const CodeUnit& unit, uint32_t slot, std::string* out) {
  *out += slot < unit.slots.size() ? unit.slots[slot].name : "?";
}

void AppendArg(const CodeUnit& unit, uint32_t word, uint32_t next, std::string* out) {
  static constexpr const char* kBinary[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"};
  uint32_t arg = ArgOf(word);
  switch (kOpInfo[word & 0xff].arg) {
    case ArgKind::kNone: return;
    case ArgKind::kConst: AppendConst(unit.consts[arg], out); return;
    case ArgKind::kName: *out += unit.names[arg]; return;
    case ArgKind::kSlot: AppendSlot(unit, arg, out); return;
    case ArgKind::kSlotPair:
      AppendSlot(unit, PairFirst(arg), out);
      *out += ' ';
      AppendSlot(unit, PairSecond(arg), out);
      return;
    case ArgKind::kSlotInt:
      AppendSlot(unit, PairFirst(arg), out);
      AppendF(out, " %d", static_cast<int32_t>(word) >> 20);
      return;
    case ArgKind::kPair: AppendF(out, "%u|%u", PairFirst(arg), PairSecond(arg)); return;
    case ArgKind::kInt: AppendF(out, "%d", IntArgOf(word)); return;
    case ArgKind::kForward: AppendF(out, "-> %u", next + arg); return;
    case ArgKind::kBack: AppendF(out, "-> %u", next - arg); return;
    case ArgKind::kBinary: *out += arg < kNumBinaryKinds ? kBinary[arg] : "?"; return;
    case ArgKind::kCount:
    case ArgKind::kFlags: AppendF(out, "%u", arg); return;
  }
}

void AppendUnit(const CodeUnit& unit, std::string* out) {
  *out += "code " + unit.qualname + "(";
  static constexpr const char* kKinds[] = {"", " param-cell", " cell", " free"};
  for (size_t i = 0; i < unit.slots.size(); i++) {
    if (i > 0) *out += ", ";
    *out += unit.slots[i].name + kKinds[static_cast<int>(unit.slots[i].kind)];
  }
  AppendF(out, ") args %u/%u/%u flags %u stack %u line %u\n", unit.argcount, unit.posonlyargcount, unit.kwonlyargcount, unit.flags,
          unit.stack_size, unit.first_line);
  uint32_t last_line = 0;
  for (uint32_t i = 0; i < unit.code.size();) {
    uint32_t word = unit.code[i];
    Op op = OpOf(word);
    uint32_t next = i + static_cast<uint32_t>(OpWords(op));
    Position pos = unit.PositionAt(i);
    if (pos.line != last_line && pos.line != 0) {
      AppendF(out, "%5u", pos.line);
      last_line = pos.line;
    } else {
      *out += "     ";
    }
    AppendF(out, " %4u %-22s", i, kOpInfo[static_cast<int>(op)].name);
    AppendArg(unit, word, next, out);
    if (kOpInfo[static_cast<int>(op)].extra == ExtraWord::kConst) {
      *out += ' ';
      AppendConst(unit.consts[unit.code[i + 1]], out);
    }
    while (out->back() == ' ') out->pop_back();
    *out += '\n';
    i = next;
  }
  for (const ExceptionEntry& e : unit.exception_table) {
    AppendF(out, "      except %u..%u -> %u depth %u\n", e.start, e.end, e.handler, e.depth);
  }
  for (const Const& c : unit.consts) {
    if (c.kind == Const::Kind::kCode) AppendUnit(*c.code, out);
  }
}

}  // namespace

std::string Disassemble(const CodeUnit& unit) {
  std::string out;
  AppendUnit(unit, &out);
  return out;
}

}  // namespace tidepool::rt::lang
