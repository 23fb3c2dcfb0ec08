// The page map: from any address to the page that holds it, or null.
//
// Two levels over the 48-bit address space in slices of 64 KiB: a root of 65,536
// leaf pointers (zero memory in the program's BSS, of which only touched parts
// cost anything) and leaves of 65,536 entries, each covering 4 GiB, reserved when
// an arena first needs them and never given back. It is the one thing of this
// layer that the whole process shares: a lookup needs no domain, so a free finds
// out whose block it has, and a pointer of nobody finds null.
//
// Every slice of a page has an entry, so interior pointers are recognised.
//
// Entry: state             event            next          who
//        null              page made        the page      who makes it (holds the
//                                                         slices), release
//        the page          page let go      null          owner of the page, release
// A lookup is relaxed: whoever frees a block got its pointer from the allocating
// thread by some synchronisation, which orders the entry too. For a pointer of
// nobody any answer but "a live block" is right, and Page memory is never
// unmapped while its domain lives, so a stale answer can be looked at.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_MAP_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_MAP_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/size_class.h"
#include "tidepool/base/atomic.h"

namespace tidepool {
class Os;
}

namespace tidepool::internal {

struct Page;

class PageMap {
 public:
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kLeafBits = 16;
  static constexpr size_t kLeafSize = size_t{1} << kLeafBits;
  static constexpr size_t kRootSize =
      size_t{1} << (kAddressBits - kSliceShift - kLeafBits);

  // The page that holds p, or null. Any value of p may be asked.
  static Page* Lookup(const void* p) {
    const uintptr_t top = reinterpret_cast<uintptr_t>(p) >> kSliceShift >> kLeafBits;
    return __builtin_expect(top >= kRootSize, 0) ? nullptr : LookupAddress(p);
  }

  // As Lookup for addresses, else anything: for whoever then sees whether a block of the
  // page begins at p.
  static Page* LookupAddress(const void* p) {
    uintptr_t slice = reinterpret_cast<uintptr_t>(p) >> kSliceShift;
    // Relaxed: see above.
    Atomic<Page*>* leaf = root_[(slice >> kLeafBits) & (kRootSize - 1)].load(kRelaxed);
    if (__builtin_expect(leaf == nullptr, 0)) return nullptr;
    return leaf[slice & (kLeafSize - 1)].load(kRelaxed);
  }

  // As Lookup, for walks: the page's fields are seen as they were when it was set.
  static Page* LookupAcquire(const void* p) {
    uintptr_t slice = reinterpret_cast<uintptr_t>(p) >> kSliceShift;
    // Relaxed: the walker holds the lock under which the leaf was covered.
    Atomic<Page*>* leaf = root_[slice >> kLeafBits].load(kRelaxed);
    // Acquire: pairs with the release in Set.
    return leaf != nullptr ? leaf[slice & (kLeafSize - 1)].load(kAcquire)
                           : nullptr;
  }

  // Makes sure that entries for the range exist. False: out of memory.
  static bool Cover(const void* start, size_t size, Os* os);

  // Sets the entries of `slices` slices from start on. The range is covered.
  static void Set(const void* start, size_t slices, Page* page);

 private:
  // Hidden: found without a load, and never shared with another copy of this code
  // by chance.
  __attribute__((visibility("hidden"))) static Atomic<Atomic<Page*>*>
      root_[kRootSize];
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_MAP_H_
