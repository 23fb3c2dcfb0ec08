// list.sort: the merge sort of stable_sort.h over a list whose array is taken away meanwhile.
//
// While comparisons and key functions run, the list looks empty; the items are owned by this call (to
// the collector they are referenced from outside, so they live). At the end the array goes back;
// whatever a script put into the list meanwhile is dropped and reported as ValueError.
#include <cmath>
#include <cstring>

#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/stable_sort.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

struct Keyed {
  Value key;
  Value value;
};

Value KeyOf(Value v) { return v; }
Value KeyOf(const Keyed& k) { return k.key; }

enum class KeyKind { kSmallInt, kFloat, kStr, kAny };

template <class T>
KeyKind KindOf(Context& cx, const T* items, size_t n) {
  auto one = [&](Value v) {
    if (v.is_small_int()) return KeyKind::kSmallInt;
    if (IsExactFloat(cx, v)) return KeyKind::kFloat;
    if (IsExact(v, cx.rt.cls.str)) return KeyKind::kStr;
    return KeyKind::kAny;
  };
  KeyKind kind = one(KeyOf(items[0]));
  for (size_t i = 1; i < n && kind != KeyKind::kAny; ++i) {
    PauseInLoop(cx, i);
    if (one(KeyOf(items[i])) != kind) kind = KeyKind::kAny;
  }
  return kind;
}

template <class T>
bool SortItems(Context& cx, T* items, size_t n, bool reverse) {
  if (n < 2) return true;
  auto* buffer = static_cast<T*>(AllocateRaw(cx, (n / 2 + 1) * sizeof(T)));
  if (buffer == nullptr) return false;
  auto turn = [&] {
    for (size_t i = 0, j = n - 1; i < j; ++i, --j) {
      PauseInLoop(cx, i);
      std::swap(items[i], items[j]);
    }
  };
  // Turned before and after, so that equal items keep their order under `reverse` too.
  if (reverse) turn();
  bool ok = true;
  uint64_t steps = 0;  // the array is private and its items are owned: a safepoint may come between any two
  switch (KindOf(cx, items, n)) {
    case KeyKind::kSmallInt:
      ok = StableSort(items, n, buffer, [&](const T& a, const T& b) {
        SafepointInLoop(cx, ++steps);
        return KeyOf(a).small_int() < KeyOf(b).small_int() ? 1 : 0;
      });
      break;
    case KeyKind::kFloat:
      ok = StableSort(items, n, buffer, [&](const T& a, const T& b) {
        SafepointInLoop(cx, ++steps);
        return FloatValue(KeyOf(a)) < FloatValue(KeyOf(b)) ? 1 : 0;
      });
      break;
    case KeyKind::kStr:
      ok = StableSort(items, n, buffer, [&](const T& a, const T& b) {
        SafepointInLoop(cx, ++steps);
        return StrCompare(KeyOf(a).template as<Str>(), KeyOf(b).template as<Str>()) < 0 ? 1 : 0;
      });
      break;
    case KeyKind::kAny:
      ok = StableSort(items, n, buffer, [&](const T& a, const T& b) {
        SafepointInLoop(cx, ++steps);
        return CompareBool(cx, KeyOf(a), KeyOf(b), CompareOp::kLt);
      });
      break;
  }
  if (reverse) turn();
  FreeRaw(cx, buffer);
  return ok;
}

bool SortByKey(Context& cx, Value* items, size_t n, Value key, bool reverse) {
  auto* keyed = static_cast<Keyed*>(AllocateRaw(cx, n * sizeof(Keyed)));
  if (keyed == nullptr) return false;
  size_t made = 0;
  bool ok = true;
  for (; made < n && ok; ++made) {
    Ref k = Call(cx, key, items[made]);
    if (!k) {
      ok = false;
      break;
    }
    keyed[made] = {k.release(), items[made]};
  }
  if (ok) {
    ok = SortItems(cx, keyed, n, reverse);
    for (size_t i = 0; i < n; ++i) items[i] = keyed[i].value;
  }
  PendingScope pending(cx);  // dropping keys may run scripts
  for (size_t i = 0; i < made; ++i) DecrefValue(cx.ts, keyed[i].key);
  FreeRaw(cx, keyed);
  return ok;
}

}  // namespace

bool ListSort(Context& cx, List* list, Value key, bool reverse) {
  ListArray* array;
  int64_t n;
  {
    ObjectLock lock(cx.ts, list);
    array = list->array.load(kRelaxed);
    n = list->size.load(kRelaxed);
    if (n == 0) return true;
    list->size.store(0, kRelease);
    list->array.store(nullptr, kRelease);
  }
  // Nobody writes the slots now, and readers that still look at them only load: sort them as plain words, on a copy,
  // so that those loads and our stores do not race.
  auto* items = static_cast<Value*>(AllocateRaw(cx, static_cast<size_t>(n) * sizeof(Value)));
  bool ok = items != nullptr;
  if (ok) {
    for (int64_t i = 0; i < n; ++i) {
      PauseInLoop(cx, static_cast<uint64_t>(i));
      items[i] = PeekSlot(array->items[i]);
    }
    if (!key || key == cx.None()) {
      ok = SortItems(cx, items, static_cast<size_t>(n), reverse);
    } else {
      ok = SortByKey(cx, items, static_cast<size_t>(n), key, reverse);
    }
    for (int64_t i = 0; i < n; ++i) {
      PauseInLoop(cx, static_cast<uint64_t>(i));
      array->items[i].store(items[i].bits(), kRelease);
    }
    FreeRaw(cx, items);
  }
  ListArray* intruder;
  int64_t intruders;
  {
    ObjectLock lock(cx.ts, list);
    intruder = list->array.load(kRelaxed);
    intruders = list->size.load(kRelaxed);
    list->array.store(array, kRelease);
    list->size.store(n, kRelease);
  }
  if (intruder != nullptr) {
    PendingScope pending(cx);
    DropListArray(cx, intruder, intruders, true);
  }
  if (ok && intruder != nullptr) {
    RaiseValueError(cx, "list modified during sort");
    return false;
  }
  return ok;
}

}  // namespace tidepool::rt
