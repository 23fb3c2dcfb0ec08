// Linking: from a CodeUnit of the front end to a code object.
#include "tidepool/runtime/vm/code.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/set.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/quicken.h"

namespace tidepool::rt {
namespace {

Ref MakeConst(Context& cx, const lang::Const& c);

Ref MakeItems(Context& cx, const lang::Const& c, bool set) {
  std::vector<Ref> items;
  std::vector<Value> values;
  for (const lang::Const& i : c.items) {
    items.push_back(MakeConst(cx, i));
    if (!items.back()) return Ref();
    values.push_back(items.back().get());
  }
  return set ? NewFrozenSet(cx, values.data(), values.size()) : NewTuple(cx, values.data(), values.size());
}

Ref MakeConst(Context& cx, const lang::Const& c) {
  using Kind = lang::Const::Kind;
  Ref r;
  switch (c.kind) {
    case Kind::kNone: return cx.NoneRef();
    case Kind::kTrue: return cx.BoolRef(true);
    case Kind::kFalse: return cx.BoolRef(false);
    case Kind::kEllipsis: return Ref::Steal(cx.rt.ellipsis);
    case Kind::kInt: r = NewInt(cx, c.i); break;
    case Kind::kBigInt: r = NewIntFromLimbs(cx, c.limbs.data(), c.limbs.size(), c.negative); break;
    case Kind::kFloat: r = NewFloat(cx, c.d); break;
    case Kind::kStr: {
      if (c.s.size() <= 64) {
        Str* s = Intern(cx, c.s);
        return s == nullptr ? Ref() : Ref::New(s);
      }
      r = NewStr(cx, c.s);
      break;
    }
    case Kind::kBytes: r = NewBytes(cx, c.s); break;
    case Kind::kTuple: r = MakeItems(cx, c, false); break;
    case Kind::kFrozenSet: r = MakeItems(cx, c, true); break;
    case Kind::kCode: {
      Code* code = LinkCode(cx, c.code);
      return code == nullptr ? Ref() : Ref::New(code);
    }
  }
  if (r.is_object()) SetImmortal(cx.ts, r.get().object());
  return r;
}

Str** InternAll(Context& cx, const std::vector<std::string>& names) {
  Str** out = static_cast<Str**>(AllocateRaw(cx, (names.size() + 1) * sizeof(Str*)));
  if (out == nullptr) return nullptr;
  for (size_t i = 0; i < names.size(); i++) {
    out[i] = Intern(cx, names[i]);
    if (out[i] == nullptr) return nullptr;
  }
  return out;
}

}  // namespace

void Quicken(uint32_t* words, size_t n) {
  for (size_t i = 0; i + 1 < n;) {
    const lang::Op first = lang::OpOf(words[i]), second = lang::OpOf(words[i + 1]);
    const size_t next = i + static_cast<size_t>(lang::OpWords(first));
#define V(name, a, b) \
  if (first == lang::Op::k##a && second == lang::Op::k##b) words[i] = (words[i] & ~0xffu) | kPair##name;
    TIDEPOOL_PAIRS(V)
#undef V
    i = next;
  }
}

Code* LinkCode(Context& cx, std::shared_ptr<lang::CodeUnit> unit) {
  const lang::CodeUnit& u = *unit;
  Ref ref = NewInstance(cx, cx.rt.cls.code);
  if (!ref) return nullptr;
  Code* c = ref.as<Code>();
  SetImmortal(cx.ts, c);
  c->unit = &u;
  cx.rt.KeepUnit(std::move(unit));
  auto* words = static_cast<uint32_t*>(AllocateRaw(cx, (u.code.size() + 1) * sizeof(uint32_t)));
  if (words == nullptr) return nullptr;
  std::copy(u.code.begin(), u.code.end(), words);
  Quicken(words, u.code.size());
  c->words = words;
  c->num_slots = u.num_slots;
  c->stack_size = u.stack_size + 2;  // one more for `self` of a call, one to spare
  c->argcount = u.argcount;
  c->kwonlyargcount = u.kwonlyargcount;
  c->posonlyargcount = u.posonlyargcount;
  c->num_free = u.num_free;
  c->flags = u.flags;
  c->total_args = u.argcount + u.kwonlyargcount + ((u.flags & lang::kVarArgs) != 0) + ((u.flags & lang::kVarKeywords) != 0);
  c->simple_args = c->total_args == u.argcount;
  c->name = Intern(cx, u.name);
  c->qualname = Intern(cx, u.qualname);
  c->filename = Intern(cx, u.filename);
  c->names = InternAll(cx, u.names);
  std::vector<std::string> slot_names;
  for (const lang::SlotInfo& s : u.slots) slot_names.push_back(s.name);
  c->slot_names = InternAll(cx, slot_names);
  c->caches = static_cast<InlineCache*>(AllocateRaw(cx, (u.num_caches + 1) * sizeof(InlineCache)));
  c->consts = static_cast<Value*>(AllocateRaw(cx, (u.consts.size() + 1) * sizeof(Value)));
  if (c->name == nullptr || c->qualname == nullptr || c->filename == nullptr || c->names == nullptr ||
      c->slot_names == nullptr || c->caches == nullptr || c->consts == nullptr) {
    return nullptr;
  }
  std::memset(static_cast<void*>(c->caches), 0, (u.num_caches + 1) * sizeof(InlineCache));
  for (size_t i = 0; i < u.consts.size(); i++) {
    Ref r = MakeConst(cx, u.consts[i]);
    if (!r) return nullptr;
    c->consts[i] = r.release();
  }
  return c;
}

int LineAt(const Code* code, const uint32_t* pc) {
  if (pc == nullptr) return static_cast<int>(code->unit->first_line);
  return static_cast<int>(code->unit->PositionAt(static_cast<uint32_t>(pc - code->words)).line);
}

}  // namespace tidepool::rt
