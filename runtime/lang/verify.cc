// The bytecode verifier: an abstract run over stack depths and bound slots.
#include "tidepool/runtime/lang/verify.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tidepool::rt::lang {
namespace {

class Verifier {
 public:
  explicit Verifier(const CodeUnit& unit) : unit_(unit) {}
  std::string Run();

 private:
  struct State {
    int depth = -1;  // -1: not reached
    std::vector<bool> bound;
  };

  void Error(uint32_t at, const std::string& what) {
    if (error_.empty()) error_ = unit_.qualname + " word " + std::to_string(at) + ": " + what;
  }
  void CheckArg(uint32_t at, Op op, uint32_t arg);
  void Flow(uint32_t from, uint32_t to, int depth, const std::vector<bool>& bound);
  void Step(uint32_t at);
  bool Ends(Op op) const {
    return op == Op::kJump || op == Op::kJumpBack || op == Op::kReturnValue || op == Op::kReturnConst || op == Op::kRaise || op == Op::kReraise;
  }

  const CodeUnit& unit_;
  std::vector<bool> starts_;
  std::vector<State> states_;
  std::vector<uint32_t> work_;
  std::set<uint32_t> caches_;
  std::string error_;
};

void Verifier::CheckArg(uint32_t at, Op op, uint32_t arg) {
  uint32_t slots = static_cast<uint32_t>(unit_.slots.size());
  bool ok = true;
  switch (kOpInfo[static_cast<int>(op)].arg) {
    case ArgKind::kConst: ok = arg < unit_.consts.size(); break;
    case ArgKind::kName: ok = arg < unit_.names.size(); break;
    case ArgKind::kSlot: ok = arg < slots; break;
    case ArgKind::kSlotPair: ok = PairFirst(arg) < slots && PairSecond(arg) < slots; break;
    case ArgKind::kBinary: ok = arg < kNumBinaryKinds; break;
    case ArgKind::kNone: ok = arg == 0; break;
    default: break;
  }
  if (!ok) Error(at, std::string("argument out of range for ") + kOpInfo[static_cast<int>(op)].name);
}

void Verifier::Flow(uint32_t from, uint32_t to, int depth, const std::vector<bool>& bound) {
  if (to >= unit_.code.size() || !starts_[to]) return Error(from, "flows to " + std::to_string(to) + ", which is no instruction");
  if (depth < 0 || depth > static_cast<int>(unit_.stack_size)) return Error(from, "stack depth " + std::to_string(depth));
  State& s = states_[to];
  bool changed = s.depth < 0;
  if (changed) {
    s.depth = depth;
    s.bound = bound;
  } else if (s.depth != depth) {
    return Error(to, "stack depths " + std::to_string(s.depth) + " and " + std::to_string(depth));
  } else {
    for (size_t i = 0; i < bound.size(); i++) {
      if (s.bound[i] && !bound[i]) {
        s.bound[i] = false;
        changed = true;
      }
    }
  }
  if (changed) work_.push_back(to);
}

void Verifier::Step(uint32_t at) {
  State s = states_[at];
  uint32_t word = unit_.code[at], arg = ArgOf(word);
  Op op = OpOf(word);
  uint32_t next = at + static_cast<uint32_t>(OpWords(op));
  const ExceptionEntry* handler = unit_.FindHandler(at);
  auto flow_handler = [&] {
    if (handler == nullptr) return;
    if (static_cast<int>(handler->depth) > s.depth) Error(at, "handler keeps more than there is");
    Flow(at, handler->handler, static_cast<int>(handler->depth) + 1, s.bound);
  };
  flow_handler();
  auto need = [&](uint32_t slot) {
    if (slot < s.bound.size() && !s.bound[slot]) Error(at, "LOAD_FAST of a slot that may be empty: " + unit_.slots[slot].name);
  };
  auto set = [&](uint32_t slot, bool value) {
    if (slot < s.bound.size()) s.bound[slot] = value;
  };
  switch (op) {
    case Op::kLoadFast: need(arg); break;
    case Op::kLoadFastCheck: set(arg, true); break;
    case Op::kStoreFast: set(arg, true); break;
    case Op::kDeleteFast:
    case Op::kClearFast:
      set(arg, false);
      flow_handler();
      break;
    case Op::kLoadFastLoadFast:
      need(PairFirst(arg));
      need(PairSecond(arg));
      break;
    case Op::kStoreFastLoadFast:
      set(PairFirst(arg), true);
      need(PairSecond(arg));
      break;
    case Op::kStoreFastStoreFast:
      set(PairFirst(arg), true);
      set(PairSecond(arg), true);
      break;
    case Op::kCopy:
      if (arg < 1 || static_cast<int>(arg) > s.depth) Error(at, "COPY from below the stack");
      break;
    case Op::kSwap:
      if (arg < 2 || static_cast<int>(arg) > s.depth) Error(at, "SWAP from below the stack");
      break;
    default: break;
  }
  ArgKind kind = kOpInfo[static_cast<int>(op)].arg;
  if (kind == ArgKind::kForward) Flow(at, next + arg, s.depth + StackEffect(op, arg, true), s.bound);
  if (kind == ArgKind::kBack) {
    if (arg > next) {
      Error(at, "jumps before the start");
    } else {
      Flow(at, next - arg, s.depth + StackEffect(op, arg, true), s.bound);
    }
  }
  int depth = s.depth + StackEffect(op, arg, false);
  if (depth < 0) Error(at, "pops from an empty stack");
  if (!Ends(op)) Flow(at, next, depth, s.bound);
}

std::string Verifier::Run() {
  uint32_t size = static_cast<uint32_t>(unit_.code.size());
  if (size == 0) return unit_.qualname + ": no code";
  starts_.assign(size, false);
  for (uint32_t at = 0; at < size;) {
    uint32_t word = unit_.code[at];
    if ((word & 0xff) >= kNumOpcodes) return unit_.qualname + ": unknown opcode";
    Op op = OpOf(word);
    starts_[at] = true;
    CheckArg(at, op, ArgOf(word));
    uint32_t next = at + static_cast<uint32_t>(OpWords(op));
    if (next > size) return unit_.qualname + ": the last instruction is cut off";
    ExtraWord extra = kOpInfo[static_cast<int>(op)].extra;
    if (extra == ExtraWord::kConst && unit_.code[at + 1] >= unit_.consts.size()) Error(at, "extra word out of range");
    if (extra == ExtraWord::kCache && (unit_.code[at + 1] >= unit_.num_caches || !caches_.insert(unit_.code[at + 1]).second)) {
      Error(at, "bad cache slot");
    }
    at = next;
  }
  if (unit_.num_slots != unit_.slots.size() || unit_.num_free > unit_.num_slots) Error(0, "slot counts");
  uint32_t last = 0;
  for (const ExceptionEntry& e : unit_.exception_table) {
    if (e.start < last || e.end <= e.start || e.end > size) Error(e.start, "bad exception range");
    last = e.end;
  }
  if (!error_.empty()) return error_;

  states_.resize(size);
  uint32_t params = unit_.argcount + unit_.kwonlyargcount + ((unit_.flags & kVarArgs) != 0) + ((unit_.flags & kVarKeywords) != 0);
  std::vector<bool> bound(unit_.slots.size(), false);
  for (uint32_t i = 0; i < params && i < bound.size(); i++) bound[i] = true;
  Flow(0, 0, 0, bound);
  while (!work_.empty() && error_.empty()) {
    uint32_t at = work_.back();
    work_.pop_back();
    Step(at);
  }
  for (const Const& c : unit_.consts) {
    if (error_.empty() && c.kind == Const::Kind::kCode) error_ = Verify(*c.code);
  }
  return error_;
}

}  // namespace

std::string Verify(const CodeUnit& unit) { return Verifier(unit).Run(); }

}  // namespace tidepool::rt::lang
