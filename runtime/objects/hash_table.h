// The compact ordered hash table under dict and set.
//
// A table is one raw block: head | index[1 << log2_size] | entries[capacity]. The index is open-addressed
// and holds 0 (never used), 1 (deleted) or entry number + 2, in 1, 2 or 4 bytes. Entries are filled in
// order of insertion and never used twice: deleting one leaves a hole until the table is replaced.
//
// Invariants:
//   T1  In one table an entry goes empty -> full -> deleted, once. Value before key before index, each by release.
//   T2  A table that has been replaced is never written again; it keeps its pointers and is freed delayed. The
//       container that has the table owns the references in it.
//   T3  The container's table pointer never returns to an earlier table while a reader may still hold that one
//       (readers pass no safepoint, and the memory is not reused before all have).
//   T4  So a reader that finds a key by address in table T, loads the value and then finds T still current has
//       found what the container held at that moment.
//   T5  An index entry 0 ends a search. Freed tables must not be zeroed early: zero means "absent" here.
//
// This file holds the parts that need no container: layout, probing, building. Look-ups that may call
// __eq__ live in dict.cc, set.cc and find_locked.h.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_HASH_TABLE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_HASH_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/object/type_info.h"

namespace tidepool::rt {

struct DictEntry {
  Slot key;
  Slot value;
  Atomic<int64_t> hash;
};

struct SetEntry {
  Slot key;
  Atomic<int64_t> hash;
};

template <class Entry>
struct HashTable {
  Atomic<uintptr_t> limbo_link;   // the allocator's, when freed delayed
  uint32_t capacity;              // entries there is room for: two thirds of the index
  Atomic<uint32_t> filled;        // entries used up, holes included; written under the mutex
  uint32_t tail;                  // entries at and beyond it are holes or unused (mutex); for popitem
  uint32_t serial;                // the container's keys_version when the table was made: tells tables of one
                                  // container apart, which the address does not (memory is used again)
  size_t entries_offset;
  uint8_t log2_size;
  uint8_t width;                  // bytes per index entry

  static constexpr uint32_t kEmpty = 0;
  static constexpr uint32_t kDeleted = 1;

  Entry* entries() { return reinterpret_cast<Entry*>(reinterpret_cast<char*>(this) + entries_offset); }
  const Entry* entries() const {
    return reinterpret_cast<const Entry*>(reinterpret_cast<const char*>(this) + entries_offset);
  }
  size_t mask() const { return (size_t{1} << log2_size) - 1; }
  template <class W>
  Atomic<W>* index() const {
    return reinterpret_cast<Atomic<W>*>(const_cast<char*>(reinterpret_cast<const char*>(this)) + sizeof(HashTable));
  }
  uint32_t IndexAt(size_t i) const {
    // Acquire: pairs with SetIndex, so the entry is seen whole.
    switch (width) {
      case 1: return index<uint8_t>()[i].load(kAcquire);
      case 2: return index<uint16_t>()[i].load(kAcquire);
      default: return index<uint32_t>()[i].load(kAcquire);
    }
  }
  void SetIndex(size_t i, uint32_t v) {
    // Release: pairs with IndexAt.
    switch (width) {
      case 1: index<uint8_t>()[i].store(static_cast<uint8_t>(v), kRelease); break;
      case 2: index<uint16_t>()[i].store(static_cast<uint16_t>(v), kRelease); break;
      default: index<uint32_t>()[i].store(v, kRelease); break;
    }
  }

  static uint32_t CapacityFor(uint8_t log2_size) {
    return static_cast<uint32_t>(((size_t{1} << log2_size) << 1) / 3);
  }
  static uint8_t WidthFor(uint8_t log2_size) { return log2_size <= 7 ? 1 : log2_size <= 15 ? 2 : 4; }
  // The smallest table for n entries.
  static uint8_t LogFor(size_t n) {
    uint8_t log = 3;
    while (CapacityFor(log) < n) ++log;
    return log;
  }
  static size_t EntriesOffset(uint8_t log2_size) {
    return (sizeof(HashTable) + (size_t{WidthFor(log2_size)} << log2_size) + 7) & ~size_t{7};
  }
  static size_t BytesFor(uint8_t log2_size) {
    return EntriesOffset(log2_size) + CapacityFor(log2_size) * sizeof(Entry);
  }
  // Makes a fresh table in a block of BytesFor(log2_size) bytes.
  static HashTable* Format(void* block, uint8_t log2_size, uint32_t serial) {
    auto* t = static_cast<HashTable*>(block);
    t->capacity = CapacityFor(log2_size);
    t->filled.store(0, kRelaxed);
    t->tail = 0;
    t->serial = serial;
    t->entries_offset = EntriesOffset(log2_size);
    t->log2_size = log2_size;
    t->width = WidthFor(log2_size);
    // Index and entries to empty. Nobody else sees the block: plain memory.
    __builtin_memset(static_cast<void*>(t->template index<uint8_t>()), 0, BytesFor(log2_size) - sizeof(HashTable));
    return t;
  }

  // A walk over the index places of a hash.
  class Probe {
   public:
    Probe(const HashTable* t, int64_t hash)
        : mask_(t->mask()), perturb_(static_cast<uint64_t>(hash)), at_(static_cast<size_t>(hash) & mask_) {}
    size_t at() const { return at_; }
    void Next() {
      perturb_ >>= 5;
      at_ = (at_ * 5 + perturb_ + 1) & mask_;
    }

   private:
    size_t mask_;
    uint64_t perturb_;
    size_t at_;
  };

  // The index place that leads to entry `number` (which is in the table).
  size_t PlaceOf(int64_t hash, uint32_t number) const {
    Probe p(this, hash);
    while (IndexAt(p.at()) != number + 2) p.Next();
    return p.at();
  }
  // Links entry `number` of a table that has no equal key.
  void Link(int64_t hash, uint32_t number) {
    Probe p(this, hash);
    while (IndexAt(p.at()) > kDeleted) p.Next();
    SetIndex(p.at(), number + 2);
  }
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_HASH_TABLE_H_
