// Encoded links, tails and the quarantine; see hardened.h.
#include "tidepool/allocator/internal/hardened.h"

#include <new>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/internal/heap_record.h"

namespace tidepool::internal {
namespace {

constexpr unsigned char kFill = 0xc5;   // behind a block
constexpr unsigned char kDead = 0xdb;   // in a block that waits
constexpr uint64_t kBytes = 0x0101010101010101;
using Word __attribute__((may_alias)) = uint64_t;
constexpr size_t kCheckedFill = 64;     // of the fill, at most

uint64_t Mix(uint64_t x) {  // splitmix64's finisher (Steele, Lea, Flood)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t BlockSecret(const Page* page, const void* block) {
  return Mix(reinterpret_cast<uintptr_t>(block) ^ page->secret);
}

// These look at memory that a sanitizer may have poisoned. Bytes are volatile so that
// no call of memset or memcmp is made of the loops, which it would look into.
TIDEPOOL_NO_ASAN void Fill(void* from, size_t n, unsigned char byte) {
  volatile unsigned char* p = static_cast<volatile unsigned char*>(from);
  size_t i = 0;
  while (i < n && (reinterpret_cast<uintptr_t>(p + i) & 7) != 0) p[i++] = byte;
  for (; i + 8 <= n; i += 8) {
    *reinterpret_cast<volatile Word*>(p + i) = byte * kBytes;
  }
  while (i < n) p[i++] = byte;
}
TIDEPOOL_NO_ASAN bool IsFilled(const void* from, size_t n, unsigned char byte) {
  const volatile unsigned char* p =
      static_cast<const volatile unsigned char*>(from);
  uint64_t other = 0;
  size_t i = 0;
  while (i < n && (reinterpret_cast<uintptr_t>(p + i) & 7) != 0) {
    other |= static_cast<unsigned char>(p[i++] ^ byte);
  }
  for (; i + 8 <= n; i += 8) {
    other |= *reinterpret_cast<const volatile Word*>(p + i) ^ (byte * kBytes);
  }
  while (i < n) other |= static_cast<unsigned char>(p[i++] ^ byte);
  return other == 0;
}

size_t FillBytes(size_t room) { return room < kCheckedFill ? room : kCheckedFill; }

uint64_t TailWord(const Page* page, const void* block) {
  return reinterpret_cast<uint64_t>(GetLink(block, page->size() - kTailWord));
}

}  // namespace

uint64_t NextRandom(DomainCore* core) {
  // Relaxed: only that each value is taken once.
  uint64_t n = core->random.fetch_add(0x9e3779b97f4a7c15, kRelaxed);
  uint64_t value = Mix(n + 0x9e3779b97f4a7c15);
  return value != 0 ? value : 1;
}

void EncodeLink(const Page* page, void* block, void* next) {
  uint64_t secret = BlockSecret(page, block);
  SetLink(block, page->link_offset,
          reinterpret_cast<void*>(reinterpret_cast<uint64_t>(next) ^ secret));
}

void* DecodeLink(const Page* page, const void* block) {
  uint64_t word =
      reinterpret_cast<uint64_t>(GetLink(block, page->link_offset)) ^
      BlockSecret(page, block);
  if (word == 0) return nullptr;
  void* next = reinterpret_cast<void*>(word);
  // Relaxed: the list is ours.
  if (word >= reinterpret_cast<uint64_t>(page->start) &&
      word < reinterpret_cast<uint64_t>(page->end()) &&
      page->IndexOf(next) < page->extended.load(kRelaxed)) {
    return next;
  }
  // The rest of the list is lost, which is better than to hand out what it leads to.
  HeapOps::BadUse(page->domain->core(), MemoryFault::kCorruptLink,
                  "a free list was cut at", block,
                  "its link was overwritten after the block was freed");
  return nullptr;
}

void SetTail(Page* page, void* block, size_t requested) {
  char* end = static_cast<char*>(block) + requested;
  if (page->size_class == 0) {
    page->requested = requested;
    size_t room = page->size() - requested;
    Fill(end, room < kLargeTail ? room : kLargeTail, kFill);
    return;
  }
  Fill(end, FillBytes(page->size() - kTailWord - requested), kFill);
  SetLink(block, page->size() - kTailWord,
          reinterpret_cast<void*>(requested ^ BlockSecret(page, block)));
}

size_t TailSize(const Page* page, const void* block) {
  if (page->size_class == 0) return page->requested;
  uint64_t size = TailWord(page, block) ^ BlockSecret(page, block);
  return size <= page->size() - kTailWord ? size : page->size();
}

bool TailIsGood(const Page* page, const void* block) {
  size_t requested = TailSize(page, block);
  const char* end = static_cast<const char*>(block) + requested;
  if (page->size_class == 0) {
    if (page->may_zero) return true;  // its inside was given back, tail and all
    size_t room = page->size() - requested;
    return IsFilled(end, room < kLargeTail ? room : kLargeTail, kFill);
  }
  return requested <= page->size() - kTailWord &&
         IsFilled(end, FillBytes(page->size() - kTailWord - requested), kFill);
}

void FillDead(const Page* page, void* block) {
  size_t from = PoisonOffset(page->kind);
  Fill(static_cast<char*>(block) + from, page->size() - from, kDead);
}

bool StillFilled(const Page* page, const void* block) {
  size_t from = PoisonOffset(page->kind);
  return IsFilled(static_cast<const char*>(block) + from, page->size() - from,
                  kDead);
}

void* Quarantine::Swap(void* block) {
  MutexLock lock(&lock_);
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  // Full after a while; then which one goes cannot be foretold.
  uint32_t i = held_ < kSlots ? held_ : static_cast<uint32_t>(random_ >> 54);
  void* out = slots_[i];
  slots_[i] = block;
  if (out == nullptr) ++held_;
  return out;
}

void* Quarantine::Take() {
  MutexLock lock(&lock_);
  if (held_ == 0) return nullptr;
  void* block = slots_[--held_];
  slots_[held_] = nullptr;
  return block;
}

void Quarantine::Forget(const HeapRecord* thing) {
  MutexLock lock(&lock_);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < held_; ++i) {
    void* block = slots_[i];
    slots_[i] = nullptr;
    if (PageMap::Lookup(block)->thing != thing) slots_[kept++] = block;
  }
  held_ = kept;
}

// --- Steps of HeapOps. ---

bool HeapOps::StartHardening(DomainCore* core) {
  if (core->hardening == 0) return true;
  uint64_t seed = 0;
  if (!core->os->RandomBytes(&seed, sizeof(seed))) {
    seed = Mix(core->os->NowNs() ^ reinterpret_cast<uintptr_t>(core));
  }
  core->random.store(seed, kRelaxed);  // nobody uses the domain yet
  if ((core->hardening & kHardenQuarantine) == 0) return true;
  void* memory = core->meta.Take(sizeof(Quarantine));
  if (memory == nullptr) return false;
  core->quarantine = new (memory) Quarantine(NextRandom(core));
  return true;
}

void HeapOps::HardenPage(DomainCore* core, Page* page) {
  page->secret = NextRandom(core);
  page->links = (core->hardening & kHardenLinks) != 0;
  page->tails = (core->hardening & kHardenCanaries) != 0;
}

bool HeapOps::IsLive(const Page* page, const void* block) {
  uint32_t i = page->IndexOf(block);
  // Relaxed: the pointer's way here orders the bit.
  return ((page->live_bits[i >> 6].load(kRelaxed) >> (i & 63)) & 1) != 0;
}

bool HeapOps::IsWaiting(const Page* page, const void* block) {
  uint32_t i = page->IndexOf(block);
  // Relaxed: as IsLive.
  uint64_t word = page->live_bits[page->BitWords() + (i >> 6)].load(kRelaxed);
  return ((word >> (i & 63)) & 1) != 0;
}

void HeapOps::MarkWaiting(const Page* page, const void* block, bool waits) {
  uint32_t i = page->IndexOf(block);
  Atomic<uint64_t>& word = page->live_bits[page->BitWords() + (i >> 6)];
  const uint64_t bit = uint64_t{1} << (i & 63);
  if (waits) {
    word.fetch_or(bit, kRelaxed);  // as IsLive
  } else {
    word.fetch_and(~bit, kRelaxed);
  }
}

void HeapOps::CheckTail(DomainCore* core, const Page* page, const void* block) {
  if (TailIsGood(page, block)) return;
  BadUse(core, MemoryFault::kOverrun, "damage found at the free of", block,
         "bytes behind its end were overwritten");
}

void HeapOps::TailBeforeLimbo(DomainCore* core, Page* page, void* block) {
  CheckTail(core, page, block);
  size_t size = TailSize(page, block);
  if (size >= sizeof(void*)) return;
  SetTail(page, block, sizeof(void*));
  UnpoisonMemory(block, sizeof(void*));
}

void HeapOps::PutInQuarantine(DomainCore* core, ThreadHeap* heap, Page* page,
                              void* block) {
  FillDead(page, block);
  TrackFreed(block, PoisonOffset(page->kind), page->size());
  if (HeapRecord* thing = page->thing) {
    CountUp(thing->quarantined_bytes, page->size());
    CountUp(thing->quarantined_blocks);
  }
  void* out = core->quarantine->Swap(block);
  if (out != nullptr) EndQuarantine(core, heap, out);
}

void HeapOps::EndQuarantine(DomainCore* core, ThreadHeap* heap, void* block) {
  Page* page = PageMap::Lookup(block);
  if (!StillFilled(page, block)) {
    BadUse(core, MemoryFault::kWriteAfterFree, "damage found in the dead block",
           block, "it was written to after its free");
  }
  HeapRecord* thing = page->thing;
  if (thing != nullptr) {
    CountDown(thing->quarantined_bytes, page->size());
    CountDown(thing->quarantined_blocks);
  }
  // Its thread may be in the middle of its own lists: then as a stranger.
  bool ours = heap != nullptr && heap->domain() == core->domain;
  FreeChecked(core, ours ? heap : nullptr, block, page, SamplePlace());
}

void HeapOps::GuardBehind(DomainCore* core, Page* page) {
  constexpr uint32_t kGuardsMost = 8192;
  char* at = page->end();
  // Relaxed: a bound that may be passed by a few.
  page->guarded = core->guards.load(kRelaxed) < kGuardsMost &&
                  core->arenas.Guard(page->arena, at);
  if (page->guarded) {
    core->guards.fetch_add(1, kRelaxed);
  } else {
    core->arenas.Give(page->arena, at, 1);
  }
}

void HeapOps::DropGuard(DomainCore* core, Page* page) {
  if (!page->guarded) return;
  page->guarded = false;
  // One that cannot be undone stays as it is, and its slice is lost.
  if (!core->arenas.Unguard(page->end())) return;
  core->guards.fetch_sub(1, kRelaxed);  // as above
  core->arenas.Give(page->arena, page->end(), 1);
}

}  // namespace tidepool::internal
