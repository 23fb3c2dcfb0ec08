// dict as a type: construction, update from anything, methods, slots.
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"

namespace tidepool::rt {
namespace {

// The pairs of an iterable of two-item iterables.
bool MergePairs(Context& cx, Dict* d, Value iterable) {
  int64_t number = 0;
  return Iterate(cx, iterable, [&](Value item) {
    Ref pair = TupleFromIterable(cx, item);
    if (!pair) {
      if (PendingIs(cx, cx.rt.exc.TypeError)) {
        cx.ClearException();
        RaiseTypeError(cx, "cannot convert dictionary update sequence element #%lld to a sequence",
                       static_cast<long long>(number));
      }
      return false;
    }
    auto* t = pair.as<Tuple>();
    if (t->size() != 2) {
      RaiseValueError(cx, "dictionary update sequence element #%lld has length %zu; 2 is required",
                      static_cast<long long>(number), t->size());
      return false;
    }
    ++number;
    return DictSet(cx, d, t->Get(0), t->Get(1));
  });
}

bool Overrides(Context& cx, Value v, Ref (*iter)(Context&, Value)) { return ClassOf(cx, v)->slots.iter != iter; }

Ref DictIter(Context& cx, Value self) { return NewDictIterator(cx, cx.rt.cls.dict_keyiterator, self); }

bool UpdateFromArgs(Context& cx, Dict* d, const Args& args, const char* name) {
  if (!CheckArgCount(cx, name, Args(args.pos, args.npos), 0, 1)) return false;
  if (args.npos == 1 && !DictUpdate(cx, d, args[0])) return false;
  return DictUpdateKeywords(cx, d, args);
}

Ref DictCreate(Context& cx, Class* cls, const Args&) {
  if (cls == cx.rt.cls.dict) return NewDict(cx);
  return NewInstance(cx, cls);
}

bool DictInit(Context& cx, Value self, const Args& args) { return UpdateFromArgs(cx, self.as<Dict>(), args, "dict"); }

Ref DictRepr(Context& cx, Value self) {
  auto* d = self.as<Dict>();
  if (DictSize(d) == 0) return NewStr(cx, "{}");
  if (!CheckNativeStack(cx)) return nullptr;
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (scope.recursive()) return NewStr(cx, "{...}");
  TextBuffer out;
  out.Put(U'{');
  size_t pos = 0;
  Ref key;
  Ref value;
  bool first = true;
  while (DictNext(cx, d, &pos, &key, &value)) {
    SafepointInLoop(cx, pos);
    if (!first) out.PutBytes(", ", 2);
    first = false;
    Ref k = Repr(cx, key);
    if (!k) return nullptr;
    out.Put(k.as<Str>()->view());
    out.PutBytes(": ", 2);
    Ref v = Repr(cx, value);
    if (!v) return nullptr;
    out.Put(v.as<Str>()->view());
  }
  out.Put(U'}');
  return NewStrFromBuffer(cx, out);
}

int64_t DictLen(Context&, Value self) { return static_cast<int64_t>(DictSize(self.as<Dict>())); }

bool DictSetItem(Context& cx, Value self, Value key, Value value) {
  if (value) return DictSet(cx, self.as<Dict>(), key, value);
  int done = DictDelete(cx, self.as<Dict>(), key);
  if (done == 0) RaiseKeyError(cx, key);
  return done == 1;
}

int DictContainsSlot(Context& cx, Value self, Value key) { return DictContains(cx, self.as<Dict>(), key); }
int DictTruth(Context&, Value self) { return DictSize(self.as<Dict>()) != 0; }

Ref DictCompare(Context& cx, Value a, Value b, CompareOp op) {
  if ((op != CompareOp::kEq && op != CompareOp::kNe) || !Is<Dict>(a) || !Is<Dict>(b)) return cx.NotImplementedRef();
  if (!CheckNativeStack(cx)) return nullptr;
  bool equal = DictSize(a.as<Dict>()) == DictSize(b.as<Dict>());
  size_t pos = 0;
  Ref key;
  Ref value;
  while (equal && DictNext(cx, a.as<Dict>(), &pos, &key, &value)) {
    SafepointInLoop(cx, pos);
    Ref other;
    int found = DictGet(cx, b.as<Dict>(), key, &other);
    if (found < 0) return nullptr;
    int same = found == 0 ? 0 : Equal(cx, value, other);
    if (same < 0) return nullptr;
    equal = same == 1;
  }
  return cx.BoolRef(equal == (op == CompareOp::kEq));
}

Ref DictOr(Context& cx, Value a, Value b) {
  if (!Is<Dict>(a) || !Is<Dict>(b)) return cx.NotImplementedRef();
  Ref copy = DictCopy(cx, a.as<Dict>());
  if (!copy || !DictUpdate(cx, copy.as<Dict>(), b)) return nullptr;
  return copy;
}

Ref DictInplaceOr(Context& cx, Value self, Value other) {
  if (!DictUpdate(cx, self.as<Dict>(), other)) return nullptr;
  return Ref::New(self);
}

Ref Get(Context& cx, Value self, const Args& args) {
  Ref out;
  int found = DictGet(cx, self.as<Dict>(), args[0], &out);
  if (found < 0) return nullptr;
  if (found == 1) return out;
  return args.npos > 1 ? Ref::New(args[1]) : cx.NoneRef();
}

Ref SetDefault(Context& cx, Value self, const Args& args) {
  return DictSetDefault(cx, self.as<Dict>(), args[0], args.npos > 1 ? args[1] : cx.None());
}

Ref Pop(Context& cx, Value self, const Args& args) {
  Ref out;
  int found = DictPop(cx, self.as<Dict>(), args[0], &out);
  if (found < 0) return nullptr;
  if (found == 1) return out;
  return args.npos > 1 ? Ref::New(args[1]) : RaiseKeyError(cx, args[0]);
}

Ref PopItem(Context& cx, Value self, const Args&) {
  Ref key;
  Ref value;
  if (!DictPopItem(cx, self.as<Dict>(), &key, &value)) {
    Ref text = NewStr(cx, "popitem(): dictionary is empty");
    return text ? RaiseKeyError(cx, text) : nullptr;
  }
  return Pack(cx, key, value);
}

Ref Update(Context& cx, Value self, const Args& args) {
  return UpdateFromArgs(cx, self.as<Dict>(), args, "update") ? cx.NoneRef() : nullptr;
}

Ref Clear(Context& cx, Value self, const Args&) {
  DictClear(cx, self.as<Dict>());
  return cx.NoneRef();
}

Ref Copy(Context& cx, Value self, const Args&) { return DictCopy(cx, self.as<Dict>()); }
Ref Keys(Context& cx, Value self, const Args&) { return NewDictView(cx, cx.rt.cls.dict_keys, self); }
Ref Values(Context& cx, Value self, const Args&) { return NewDictView(cx, cx.rt.cls.dict_values, self); }
Ref Items(Context& cx, Value self, const Args&) { return NewDictView(cx, cx.rt.cls.dict_items, self); }
Ref Reversed(Context& cx, Value self, const Args&) {
  return NewDictIterator(cx, cx.rt.cls.dict_reversekeyiterator, self);
}

Ref FromKeys(Context& cx, Value self, const Args& args) {
  Ref d = Call(cx, self);
  if (!d) return nullptr;
  Value value = args.npos > 1 ? args[1] : cx.None();
  bool plain = IsExact(d, cx.rt.cls.dict);
  bool ok = Iterate(cx, args[0], [&](Value key) {
    return plain ? DictSet(cx, d.as<Dict>(), key, value) : SetItem(cx, d, key, value);
  });
  return ok ? std::move(d) : nullptr;
}

const MethodDef kDictMethods[] = {
    {"get", Get, 1, 2},
    {"setdefault", SetDefault, 1, 2},
    {"pop", Pop, 1, 2},
    {"popitem", PopItem, 0, 0},
    {"update", Update, 0, 0, kMethodKeywords},
    {"clear", Clear, 0, 0},
    {"copy", Copy, 0, 0},
    {"keys", Keys, 0, 0},
    {"values", Values, 0, 0},
    {"items", Items, 0, 0},
    {"__reversed__", Reversed, 0, 0},
    {"fromkeys", FromKeys, 1, 2, kMethodClass},
    {},
};

NativeType MakeDictType() {
  NativeType t;
  t.name = "dict";
  t.layout = Layout::kDict;
  t.size = sizeof(Dict);
  t.flags = kTypeSubclassable | kTypeHasRefs | kTypeUnhashable;
  t.slots.repr = DictRepr;
  t.slots.iter = DictIter;
  t.slots.len = DictLen;
  t.slots.getitem = DictGetItem;
  t.slots.setitem = DictSetItem;
  t.slots.contains = DictContainsSlot;
  t.slots.truth = DictTruth;
  t.slots.compare = DictCompare;
  t.slots.binary[static_cast<int>(BinaryOp::kOr)] = DictOr;
  t.slots.inplace[static_cast<int>(BinaryOp::kOr)] = DictInplaceOr;
  t.slots.create = DictCreate;
  t.slots.init = DictInit;
  t.methods = kDictMethods;
  t.traverse = TraverseDict;
  t.clear = ClearDict;
  t.destroy = DestroyDict;
  return t;
}

}  // namespace

const NativeType kDictType = MakeDictType();

Ref DictGetItem(Context& cx, Value dict, Value key) {
  Ref out;
  int found = DictGet(cx, dict.as<Dict>(), key, &out);
  if (found < 0) return nullptr;
  if (found == 1) return out;
  if (!IsExact(dict, cx.rt.cls.dict)) {
    bool has = false;
    out = CallSpecial(cx, dict, cx.rt.names.missing, Args(&key, 1), &has);
    if (has) return out;
  }
  return RaiseKeyError(cx, key);
}

bool DictUpdate(Context& cx, Dict* d, Value source) {
  // A subclass that iterates in its own way goes through its keys().
  if (Is<Dict>(source) && !Overrides(cx, source, DictIter)) return DictMergeDict(cx, d, source.as<Dict>());
  Ref keys_method = GetAttrOptional(cx, source, cx.rt.names.keys);
  if (!keys_method) return !cx.has_exception() && MergePairs(cx, d, source);
  Ref keys = Call(cx, keys_method);
  if (!keys) return false;
  return Iterate(cx, keys, [&](Value key) {
    Ref value = GetItem(cx, source, key);
    return value && DictSet(cx, d, key, value);
  });
}

bool DictUpdateKeywords(Context& cx, Dict* d, const Args& args) {
  for (size_t i = 0; i < args.nkw; ++i) {
    if (!DictSet(cx, d, args.KwName(i), args.kwvals[i])) return false;
  }
  return true;
}

}  // namespace tidepool::rt
