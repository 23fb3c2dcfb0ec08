// Module _heapq: a heap in a list, heap[k] <= heap[2k+1] and heap[k] <= heap[2k+2].
//
// Calls are atomic for each other, so one heap may be used by several threads: a lock is held over a call. It is one
// lock for all heaps, and re-entrant, because comparisons may run any code. Every step exchanges two items of the
// list, so that it holds the same items whatever a comparison raises, and other threads never see a stranger in it.
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/list.h"

namespace tidepool::rt {
namespace {

struct HeapLock {
  Mutex mutex;
  Atomic<ThreadState*> owner;  // written by the holder; another thread never finds itself in it
  int depth;
};

class HeapScope {
 public:
  explicit HeapScope(Context& cx) : lock_(cx.rt.State<HeapLock>()) {
    if (lock_.owner.load(kRelaxed) == cx.ts) {
      lock_.depth++;
      return;
    }
    LockMutex(cx.ts, &lock_.mutex);
    lock_.owner.store(cx.ts, kRelaxed);
  }
  ~HeapScope() {
    if (lock_.depth > 0) {
      lock_.depth--;
      return;
    }
    lock_.owner.store(nullptr, kRelaxed);
    lock_.mutex.Unlock();
  }
  HeapScope(const HeapScope&) = delete;
  HeapScope& operator=(const HeapScope&) = delete;

 private:
  HeapLock& lock_;
};

List* HeapOf(Context& cx, const Args& args, const char* function) {
  if (Is<List>(args[0])) return args[0].as<List>();
  RaiseTypeError(cx, "%s() argument%s must be list, not %s", function, args.size() > 1 ? " 1" : "", ClassName(cx, args[0]));
  return nullptr;
}

// heap[i] < heap[j]; -1 too if the list has become shorter.
int LessAt(Context& cx, List* heap, int64_t i, int64_t j, size_t size) {
  Ref a = ListGet(cx, heap, i), b = ListGet(cx, heap, j);
  const int less = a && b ? CompareBool(cx, a, b, CompareOp::kLt) : 0;
  if (less >= 0 && ListSize(heap) != size) return RaiseRuntimeError(cx, "list changed size during iteration"), -1;
  return less;
}

// Moves the item up until its parent is not greater.
bool Rise(Context& cx, List* heap, int64_t start, int64_t position) {
  const size_t size = ListSize(heap);
  while (position > start) {
    const int64_t parent = (position - 1) >> 1;
    const int less = LessAt(cx, heap, position, parent, size);
    if (less < 0) return false;
    if (less == 0) break;
    ListSwap(cx, heap, position, parent);
    position = parent;
  }
  return true;
}

// Moves the smaller child up all the way, then lets the item rise from the bottom.
bool Sink(Context& cx, List* heap, int64_t position) {
  const size_t size = ListSize(heap);
  const int64_t end = static_cast<int64_t>(size), start = position;
  for (uint64_t round = 0; 2 * position + 1 < end; round++) {
    SafepointInLoop(cx, round);
    int64_t child = 2 * position + 1;
    if (child + 1 < end) {
      const int less = LessAt(cx, heap, child, child + 1, size);
      if (less < 0) return false;
      child += less == 0;
    }
    ListSwap(cx, heap, position, child);
    position = child;
  }
  return Rise(cx, heap, start, position);
}

Ref Push(Context& cx, Value, const Args& args) {
  List* heap = HeapOf(cx, args, "heappush");
  if (heap == nullptr) return Ref();
  HeapScope scope(cx);
  if (!ListAppend(cx, heap, args[1]) || !Rise(cx, heap, 0, static_cast<int64_t>(ListSize(heap)) - 1)) return Ref();
  return cx.NoneRef();
}

// Puts `item` in the place of the least one, which is the result.
Ref Replace(Context& cx, List* heap, Ref item) {
  Ref least = ListGet(cx, heap, 0);
  if (!least || !ListSet(cx, heap, 0, std::move(item))) return RaiseIndexError(cx, "index out of range");
  return Sink(cx, heap, 0) ? std::move(least) : Ref();
}

Ref Pop(Context& cx, Value, const Args& args) {
  List* heap = HeapOf(cx, args, "heappop");
  if (heap == nullptr) return Ref();
  HeapScope scope(cx);
  if (ListSize(heap) == 0) return RaiseIndexError(cx, "index out of range");
  Ref last = ListPop(cx, heap, -1);
  if (!last || ListSize(heap) == 0) return last;
  return Replace(cx, heap, std::move(last));
}

Ref HeapReplace(Context& cx, Value, const Args& args) {
  List* heap = HeapOf(cx, args, "heapreplace");
  if (heap == nullptr) return Ref();
  HeapScope scope(cx);
  return Replace(cx, heap, Ref::New(args[1]));
}

Ref PushPop(Context& cx, Value, const Args& args) {
  List* heap = HeapOf(cx, args, "heappushpop");
  if (heap == nullptr) return Ref();
  HeapScope scope(cx);
  Ref least = ListGet(cx, heap, 0);
  if (!least) return Ref::New(args[1]);
  const int less = CompareBool(cx, least, args[1], CompareOp::kLt);
  if (less <= 0) return less < 0 ? Ref() : Ref::New(args[1]);
  return Replace(cx, heap, Ref::New(args[1]));
}

Ref Heapify(Context& cx, Value, const Args& args) {
  List* heap = HeapOf(cx, args, "heapify");
  if (heap == nullptr) return Ref();
  HeapScope scope(cx);
  for (int64_t i = static_cast<int64_t>(ListSize(heap)) / 2 - 1; i >= 0; i--) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    if (!Sink(cx, heap, i)) return Ref();
  }
  return cx.NoneRef();
}

const MethodDef kFunctions[] = {
    {"heappush", Push, 2, 2},       {"heappop", Pop, 1, 1},         {"heapreplace", HeapReplace, 2, 2},
    {"heappushpop", PushPop, 2, 2}, {"heapify", Heapify, 1, 1},     {},
};

}  // namespace

const ModuleDef kHeapqModule = {"_heapq", kFunctions, nullptr};

}  // namespace tidepool::rt
