// The look-up that dicts and sets do under their mutex.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_FIND_LOCKED_H_
#define TIDEPOOL_RUNTIME_OBJECTS_FIND_LOCKED_H_

#include <type_traits>

#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/support.h"

namespace tidepool::rt {

// Instead of the index of an entry.
inline constexpr int64_t kAbsent = -1;
inline constexpr int64_t kFailed = -2;
inline constexpr int64_t kNoMemory = -3;

// The entry of the key, kAbsent or kFailed (an exception is pending). The mutex is held before and after, maybe
// not all the time in between.
template <class Container>
int64_t FindLocked(Context& cx, Container* c, Value key, int64_t hash, OpenLock& lock) {
  using Table = std::remove_pointer_t<decltype(c->table.load(kRelaxed))>;
  for (;;) {
    Table* table = c->table.load(kRelaxed);
    if (table == nullptr) return kAbsent;
    bool again = false;
    for (typename Table::Probe p(table, hash); !again; p.Next()) {
      uint32_t ix = table->IndexAt(p.at());
      if (ix == Table::kEmpty) return kAbsent;
      if (ix == Table::kDeleted) continue;
      auto& e = table->entries()[ix - 2];
      Value other = PeekSlot(e.key);
      if (other == key) return ix - 2;
      if (e.hash.load(kRelaxed) != hash) continue;
      int same = PlainEqual(cx, other, key);
      if (same < 0) {
        const uint32_t serial = table->serial;
        Ref held = Ref::New(other);
        lock.Unlock();
        same = Equal(cx, held, key);
        held.reset();
        lock.Lock();
        if (same < 0) return kFailed;
        Table* now = c->table.load(kRelaxed);
        if (now == nullptr || now->serial != serial || PeekSlot(now->entries()[ix - 2].key) != other) {
          again = true;
          continue;
        }
      }
      if (same == 1) return ix - 2;
    }
  }
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_FIND_LOCKED_H_
