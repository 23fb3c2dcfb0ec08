// The names of the types that objects had which were freed last, so that a report of a drop
// too many can say what it was: the type word of a dead block holds a link or a fill.
//
// One table per isolate, in debug builds and where `hardening` is on; elsewhere there is
// none, and FreeObject only asks whether there is (one compare). An entry is overwritten by
// the next object whose address falls on it. Any thread, without locks: a name that two
// threads write at once may be mixed, which is why it is only for people. Names are copied,
// as a type may be gone before its last instance is dropped once more.
#ifndef TIDEPOOL_OBJECT_FREED_TYPES_H_
#define TIDEPOOL_OBJECT_FREED_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidepool/base/atomic.h"
#include "tidepool/object/header.h"

namespace tidepool {

class FreedTypes {
 public:
  static constexpr size_t kName = 32;  // longer names are cut

  void Note(const ObjectHeader* obj, const char* name) {
    Entry& entry = EntryOf(obj);
    uint64_t words[kName / 8] = {};
    std::strncpy(reinterpret_cast<char*>(words), name, kName - 1);
    // Relaxed, all of them: see above.
    entry.object.store(reinterpret_cast<uintptr_t>(obj), kRelaxed);
    for (size_t i = 0; i < kName / 8; ++i) entry.name[i].store(words[i], kRelaxed);
  }

  // "?" if it is not known (any more).
  void Find(const ObjectHeader* obj, char (&name)[kName]) const {
    const Entry& entry = const_cast<FreedTypes*>(this)->EntryOf(obj);
    if (entry.object.load(kRelaxed) != reinterpret_cast<uintptr_t>(obj)) {
      std::strcpy(name, "?");
      return;
    }
    uint64_t words[kName / 8];
    for (size_t i = 0; i < kName / 8; ++i) words[i] = entry.name[i].load(kRelaxed);
    std::memcpy(name, words, kName);
    name[kName - 1] = 0;
  }

 private:
  static constexpr size_t kEntries = 1024;
  struct Entry {
    Atomic<uintptr_t> object{0};
    Atomic<uint64_t> name[kName / 8] = {};
  };
  Entry& EntryOf(const ObjectHeader* obj) {
    return entries_[(reinterpret_cast<uintptr_t>(obj) >> 4) * 0x9e3779b97f4a7c15 >> 54];
  }

  Entry entries_[kEntries];
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_FREED_TYPES_H_
