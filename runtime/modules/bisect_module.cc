// Module bisect: binary search in sorted sequences.
//
// Positions are decided by `<` alone, asked of the searched value (right) or of the item (left), as in CPython.
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// Arguments of all four functions.
struct Search {
  Value sequence, x, key;  // key null: none
  int64_t low, high;
};

bool Parse(Context& cx, const char* name, const Args& args, Search* s) {
  Value v[5];
  if (!ParseArgs(cx, name, args, {"a", "x", "lo", "hi", "*key"}, 2, v)) return false;
  s->sequence = v[0];
  s->x = v[1];
  s->key = !v[4] || v[4] == cx.None() ? Value() : v[4];
  s->low = 0;
  if (v[2] && !ToInt64(cx, v[2], &s->low)) return false;
  if (s->low < 0) return RaiseValueError(cx, "lo must be non-negative"), false;
  if (!v[3] || v[3] == cx.None()) {
    s->high = Len(cx, s->sequence);
    return s->high >= 0;
  }
  return ToInt64(cx, v[3], &s->high);
}

// The position of x, after equal items if `right`; -1: exception pending.
int64_t Find(Context& cx, const Search& s, Value x, bool right) {
  int64_t low = s.low, high = s.high;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    Ref item = IsExact(s.sequence, cx.rt.cls.list) ? ListGet(cx, s.sequence.as<List>(), middle) : Ref();
    if (!item) item = GetItem(cx, s.sequence, Value::Small(middle));
    if (item && s.key) item = Call(cx, s.key, item);
    if (!item) return -1;
    int less;
    if (x.is_small_int() && item.get().is_small_int()) {
      less = right ? x.small_int() < item.get().small_int() : item.get().small_int() < x.small_int();
    } else {
      less = right ? CompareBool(cx, x, item, CompareOp::kLt) : CompareBool(cx, item, x, CompareOp::kLt);
      if (less < 0) return -1;
    }
    if ((less != 0) == right) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Ref Bisect(Context& cx, const char* name, const Args& args, bool right) {
  Search s;
  if (!Parse(cx, name, args, &s)) return nullptr;
  const int64_t at = Find(cx, s, s.x, right);
  return at < 0 ? nullptr : Ref::Small(at);
}

Ref Insort(Context& cx, const char* name, const Args& args, bool right) {
  Search s;
  if (!Parse(cx, name, args, &s)) return nullptr;
  Ref x = s.key ? Call(cx, s.key, s.x) : Ref::New(s.x);
  if (!x) return nullptr;
  const int64_t at = Find(cx, s, x, right);
  if (at < 0) return nullptr;
  if (IsExact(s.sequence, cx.rt.cls.list)) {
    if (!ListInsert(cx, s.sequence.as<List>(), at, s.x)) return nullptr;
    return cx.NoneRef();
  }
  Ref insert = GetAttr(cx, s.sequence, "insert");
  if (!insert || !Call(cx, insert, Value::Small(at), s.x)) return nullptr;
  return cx.NoneRef();
}

Ref BisectLeft(Context& cx, Value, const Args& args) { return Bisect(cx, "bisect_left", args, false); }
Ref BisectRight(Context& cx, Value, const Args& args) { return Bisect(cx, "bisect_right", args, true); }
Ref InsortLeft(Context& cx, Value, const Args& args) { return Insort(cx, "insort_left", args, false); }
Ref InsortRight(Context& cx, Value, const Args& args) { return Insort(cx, "insort_right", args, true); }

const MethodDef kFunctions[] = {
    {"bisect", BisectRight, 0, -1, kMethodKeywords},
    {"bisect_left", BisectLeft, 0, -1, kMethodKeywords},
    {"bisect_right", BisectRight, 0, -1, kMethodKeywords},
    {"insort", InsortRight, 0, -1, kMethodKeywords},
    {"insort_left", InsortLeft, 0, -1, kMethodKeywords},
    {"insort_right", InsortRight, 0, -1, kMethodKeywords},
    {},
};

bool InitModule(Context&, Module*) { return true; }

}  // namespace

const ModuleDef kBisectModule = {"bisect", kFunctions, InitModule};

}  // namespace tidepool::rt
