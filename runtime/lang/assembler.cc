// Emission, and the passes of Finish: jump threading, boundness of fast slots, fusion, layout.
#include "tidepool/runtime/lang/assembler.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tidepool::rt::lang {
namespace {

bool EndsBlock(Op op) {
  return op == Op::kJump || op == Op::kJumpBack || op == Op::kReturnValue || op == Op::kReturnConst || op == Op::kRaise || op == Op::kReraise;
}

constexpr uint32_t kPairLimit = 0xfff;
// Boundness costs blocks * slots bits; larger functions keep their checks.
constexpr size_t kMaxBoundnessBits = size_t{1} << 24;

}  // namespace

Label Assembler::NewLabel() {
  labels_.emplace_back();
  return static_cast<Label>(labels_.size()) - 1;
}

void Assembler::Bind(Label label) {
  LabelInfo& l = labels_[label];
  l.index = static_cast<int>(code_.size());
  if (reachable_) {
    assert(l.depth == -1 || l.depth == depth_);
    l.depth = depth_;
  } else if (l.depth != -1) {
    reachable_ = true;
    depth_ = l.depth;
  }
}

void Assembler::Append(Op op, uint32_t arg, uint32_t extra, Label target, const Position& pos) {
  if (*budget_ <= 0) {
    reachable_ = false;
    return;
  }
  --*budget_;
  if (!reachable_) return;
  if (region_ >= 0) handler_used_[region_] = true;
  code_.push_back({op, false, arg, extra, target, region_, pos});
  int jumped = depth_ + StackEffect(op, arg, true);
  depth_ += StackEffect(op, arg, false);
  assert(depth_ >= 0);
  max_depth_ = std::max(max_depth_, depth_);
  if (target >= 0) {
    LabelInfo& l = labels_[target];
    assert(l.depth == -1 || l.depth == jumped);
    l.depth = jumped;
  }
  if (EndsBlock(op)) reachable_ = false;
}

void Assembler::Emit(Op op, uint32_t arg, const Position& pos, uint32_t extra) { Append(op, arg, extra, -1, pos); }

void Assembler::EmitJump(Op op, Label target, const Position& pos) { Append(op, 0, 0, target, pos); }

int Assembler::NewHandler(Label label, int drop) {
  handlers_.push_back({label, depth_ - drop});
  handler_used_.push_back(false);
  return static_cast<int>(handlers_.size()) - 1;
}

void Assembler::BindHandler(int handler) {
  assert(!reachable_);
  labels_[handlers_[handler].label].index = static_cast<int>(code_.size());
  if (!handler_used_[handler]) return;
  reachable_ = *budget_ > 0;
  depth_ = handlers_[handler].depth + 1;
  labels_[handlers_[handler].label].depth = depth_;
  max_depth_ = std::max(max_depth_, depth_);
}

// A jump to a jump goes to its end; a jump to the next instruction goes away.
void Assembler::ThreadJumps() {
  for (size_t i = 0; i < code_.size(); i++) {
    Instr& in = code_[i];
    if (in.target < 0 || in.op == Op::kForIter || kOpInfo[static_cast<int>(in.op)].arg != ArgKind::kForward) continue;
    for (int hops = 0; hops < 8; hops++) {
      size_t to = static_cast<size_t>(labels_[in.target].index);
      if (to >= code_.size() || code_[to].op != Op::kJump) break;
      in.target = code_[to].target;
    }
  }
  for (size_t i = 0; i < code_.size(); i++) {
    if (code_[i].op == Op::kJump && labels_[code_[i].target].index == static_cast<int>(i) + 1) code_[i].removed = true;
  }
}

// Forward data flow over "slot is surely bound". LOAD_FAST_CHECKs that are proven become LOAD_FASTs.
void Assembler::CheckBoundness(CodeUnit* unit) {
  size_t slots = unit->slots.size(), words = (slots + 63) / 64;
  if (slots == 0) return;
  // Blocks start at labels and behind jumps.
  std::vector<int> block_at(code_.size() + 1, -1);
  std::vector<bool> starts(code_.size() + 1, false);
  starts[0] = true;
  for (const LabelInfo& l : labels_) {
    if (l.index >= 0) starts[l.index] = true;
  }
  for (size_t i = 0; i < code_.size(); i++) {
    if (code_[i].target >= 0 || EndsBlock(code_[i].op)) starts[i + 1] = true;
  }
  std::vector<size_t> first;
  for (size_t i = 0; i < code_.size(); i++) {
    if (starts[i]) first.push_back(i);
    block_at[i] = static_cast<int>(first.size()) - 1;
  }
  if (first.size() * words * 64 > kMaxBoundnessBits) return;
  std::vector<uint64_t> in(first.size() * words, ~uint64_t{0});
  uint32_t params = unit->argcount + unit->kwonlyargcount + ((unit->flags & kVarArgs) != 0) + ((unit->flags & kVarKeywords) != 0);
  for (size_t s = 0; s < words * 64; s++) {
    if (s >= params) in[s / 64] &= ~(uint64_t{1} << (s % 64));
  }
  std::vector<bool> seen(first.size(), false), queued(first.size(), false);
  std::vector<int> work{0};
  seen[0] = queued[0] = true;
  std::vector<uint64_t> state(words);
  auto flow = [&](int block) {
    bool changed = !seen[block];
    for (size_t w = 0; w < words; w++) {
      uint64_t merged = in[block * words + w] & state[w];
      changed |= merged != in[block * words + w];
      in[block * words + w] = merged;
    }
    seen[block] = true;
    if (changed && !queued[block]) {
      queued[block] = true;
      work.push_back(block);
    }
  };
  auto run = [&](int block, bool rewrite) {
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(block * words), words, state.begin());
    size_t end = static_cast<size_t>(block) + 1 < first.size() ? first[block + 1] : code_.size();
    int last_region = -1;
    for (size_t i = first[block]; i < end; i++) {
      Instr& c = code_[i];
      auto flow_handler = [&] {
        if (c.region >= 0 && !rewrite) flow(block_at[labels_[handlers_[c.region].label].index]);
      };
      if (c.region != last_region) flow_handler();
      last_region = c.region;
      uint64_t bit = uint64_t{1} << (c.arg % 64);
      if (c.op == Op::kStoreFast) {
        state[c.arg / 64] |= bit;
      } else if (c.op == Op::kDeleteFast || c.op == Op::kClearFast) {
        state[c.arg / 64] &= ~bit;
        flow_handler();
      } else if (c.op == Op::kLoadFastCheck) {
        if (rewrite && (state[c.arg / 64] & bit) != 0) c.op = Op::kLoadFast;
        state[c.arg / 64] |= bit;  // or it raised
      }
      if (rewrite) continue;
      if (c.target >= 0) flow(block_at[labels_[c.target].index]);
      if (i + 1 == end && !EndsBlock(c.op) && end < code_.size()) flow(block + 1);
    }
  };
  while (!work.empty()) {
    int block = work.back();
    work.pop_back();
    queued[block] = false;
    run(block, false);
  }
  for (size_t b = 0; b < first.size(); b++) {
    if (seen[b]) run(static_cast<int>(b), true);
  }
}

void Assembler::Fuse(const CodeUnit& unit) {
  std::vector<bool> target(code_.size() + 1, false);
  for (const LabelInfo& l : labels_) {
    if (l.index >= 0) target[l.index] = true;
  }
  (void)unit;
  for (size_t i = 0; i + 1 < code_.size(); i++) {
    Instr &a = code_[i], &b = code_[i + 1];
    if (a.removed || b.removed || target[i + 1] || a.region != b.region) continue;
    Op fused = Op::kNop;
    uint32_t arg = 0;
    bool pair = a.arg <= kPairLimit && b.arg <= kPairLimit;
    if (pair && a.op == Op::kLoadFast && b.op == Op::kLoadFast) fused = Op::kLoadFastLoadFast;
    if (pair && a.op == Op::kStoreFast && b.op == Op::kLoadFast) fused = Op::kStoreFastLoadFast;
    if (pair && a.op == Op::kStoreFast && b.op == Op::kStoreFast) fused = Op::kStoreFastStoreFast;
    if (fused != Op::kNop) {
      arg = a.arg | b.arg << 12;
    } else if (a.op == Op::kLoadInt) {
      arg = a.arg;
      if (b.op == Op::kBinaryAdd) fused = Op::kBinaryAddInt;
      if (b.op == Op::kBinarySub) fused = Op::kBinarySubInt;
      if (b.op == Op::kInplaceAdd) fused = Op::kInplaceAddInt;
      if (b.op == Op::kInplaceSub) fused = Op::kInplaceSubInt;
    }
    if (fused == Op::kNop) continue;
    a.op = fused;
    a.arg = arg;
    a.pos = b.pos;
    b.removed = true;
    i++;
  }
}

bool Assembler::Layout(CodeUnit* unit) {
  std::vector<uint32_t> at(code_.size() + 1);
  uint32_t word = 0;
  for (size_t i = 0; i < code_.size(); i++) {
    at[i] = word;
    if (!code_[i].removed) word += static_cast<uint32_t>(OpWords(code_[i].op));
  }
  at[code_.size()] = word;
  if (word > kMaxArg) return false;
  unit->code.reserve(word);
  const Position* last_pos = nullptr;
  int last_region = -1;
  for (size_t i = 0; i < code_.size(); i++) {
    const Instr& in = code_[i];
    if (in.removed) continue;
    const OpInfo& info = kOpInfo[static_cast<int>(in.op)];
    uint32_t arg = in.arg & kMaxArg;
    if (in.target >= 0) {
      uint32_t next = at[i] + static_cast<uint32_t>(OpWords(in.op)), to = at[labels_[in.target].index];
      arg = info.arg == ArgKind::kBack ? next - to : to - next;
      assert(arg <= kMaxArg);
    } else if (info.arg != ArgKind::kInt && in.arg > kMaxArg) {
      return false;
    }
    if (last_pos == nullptr || last_pos->line != in.pos.line || last_pos->end_line != in.pos.end_line || last_pos->col != in.pos.col ||
        last_pos->end_col != in.pos.end_col) {
      unit->positions.push_back({at[i], in.pos});
      last_pos = &in.pos;
    }
    if (in.region >= 0) {
      if (in.region == last_region) {
        unit->exception_table.back().end = at[i] + static_cast<uint32_t>(OpWords(in.op));
      } else {
        const Handler& h = handlers_[in.region];
        unit->exception_table.push_back({at[i], at[i] + static_cast<uint32_t>(OpWords(in.op)), at[labels_[h.label].index], static_cast<uint32_t>(h.depth)});
      }
    }
    last_region = in.region;
    unit->code.push_back(static_cast<uint32_t>(in.op) | arg << 8);
    if (info.extra == ExtraWord::kCache) {
      unit->code.push_back(unit->num_caches++);
    } else if (info.extra == ExtraWord::kConst) {
      unit->code.push_back(in.extra);
    }
  }
  return true;
}

bool Assembler::Finish(bool superinstructions, CodeUnit* unit) {
  if (*budget_ <= 0) return false;
  assert(!reachable_);
  ThreadJumps();
  CheckBoundness(unit);
  if (superinstructions) Fuse(*unit);
  unit->stack_size = static_cast<uint32_t>(max_depth_);
  unit->num_slots = static_cast<uint32_t>(unit->slots.size());
  return Layout(unit);
}

}  // namespace tidepool::rt::lang
