// The mitigations, each by name: what it catches and what it costs.
//
// The option `hardening` is a set of them: none, checked (double_free), hardened (all),
// or names joined by `+`. Every set but none includes double_free, and sends each
// allocation and free through the slow paths; with none the fast paths have no trace
// of any of it. Measured costs stand in docs/hardening.md.
#ifndef TIDEPOOL_ALLOCATOR_HARDENING_H_
#define TIDEPOOL_ALLOCATOR_HARDENING_H_

#include <cstdint>

namespace tidepool {

// X(name, constant, bit, what it catches, what it costs)
#define TIDEPOOL_MITIGATIONS(X)                                                 \
  X(double_free, kHardenDoubleFree, 1,                                          \
    "a second free of a block, at once or any time before its memory is handed "\
    "out again; a free of what was never handed out",                           \
    "no inline paths; one bit per block")                                       \
  X(links, kHardenLinks, 2,                                                     \
    "a free list that was overwritten: links are encoded with a secret of the " \
    "page and must lead to a block of it",                                      \
    "a few instructions per allocation and free")                               \
  X(canaries, kHardenCanaries, 4,                                               \
    "writes behind a block's end, from the first byte on, when it is freed",    \
    "8 to 40 bytes per block")                                                  \
  X(guards, kHardenGuards, 8,                                                   \
    "reads and writes that run off a page or a large block, at once, by a fault",\
    "64 KiB of address space and a mapping for each page, a system call when it "\
    "is made")                                                                  \
  X(random, kHardenRandom, 16,                                                  \
    "nothing by itself: which block comes next cannot be foretold",             \
    "neighbours in time are no neighbours in memory")                           \
  X(quarantine, kHardenQuarantine, 32,                                          \
    "writes to a block after its free; and reads of it find a pattern: a freed "\
    "block of up to 4 KiB waits behind 1,024 others",                           \
    "up to 4 MiB; each block is filled and checked")

enum : uint32_t {
  kHardenNone = 0,
#define TIDEPOOL_X(name, constant, bit, catches, cost) constant = bit,
  TIDEPOOL_MITIGATIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
  kHardenChecked = kHardenDoubleFree,
  kHardened = 63,
};

struct Mitigation {
  const char* name;
  uint32_t bit;
  const char* catches;
  const char* cost;
};
// In order of the table, ended by a null name.
const Mitigation* MitigationTable();

// What was found. Given to the fault handler (HeapDomain::SetFaultHandler).
struct MemoryFault {
  enum Kind : uint8_t {
    kForeignPointer,   // no block of tidepool
    kInteriorPointer,  // into a block, not to its start
    kDoubleFree,
    kOverrun,          // written behind its end
    kWriteAfterFree,
    kCorruptLink,
    kWrongUse,         // realloc of what cannot be, a heap that is gone, ...
    kDeadReference,    // a reference that nobody had was dropped (object/refcount.h)
  } kind;
  const void* pointer;  // what the program passed, or the block
  const char* text;     // for people; lasts as long as the call
};

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HARDENING_H_
