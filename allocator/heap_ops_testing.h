// Lists of allocator operations, for the property test and the fuzzer.
//
// A program is a list of operations on one domain with several thread heaps (all
// driven from one thread, so a run is deterministic) and with heaps of their own
// (heap.h). The runner keeps a shadow of
// what must be true: contents of every live block, no overlap, dead headers in front
// of recycled objects, zeros where zeros were promised, readable memory in limbo
// until its readers are quiescent, and figures that match. CheckInvariants of the
// domain runs in between. A failure prints the program in a form that can be pasted
// into a test.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_OPS_TESTING_H_
#define TIDEPOOL_ALLOCATOR_HEAP_OPS_TESTING_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"

namespace tidepool::testing {

enum class OpCode : uint8_t {
  kAllocate,
  kAllocateMany,
  kZeroed,
  kAligned,
  kFree,
  kFreeMany,
  kRealloc,
  kFreeDelayed,
  kReallocDelayed,
  kSafepoint,
  kDetachAttach,
  kExit,
  kPurge,
  kStop,
  kLimit,
  kThingAllocate,
  kThingZeroed,
  kThingFree,
  kThingReset,
  kThingRenew,
  kThingTake,
  kThingLimit,
  kCount
};

// What the fields mean depends on the operation; all are taken modulo what fits.
struct Op {
  OpCode code;
  uint8_t heap;
  uint8_t kind;
  uint32_t a;
  uint32_t b;

  std::string Print() const {
    char line[96];
    snprintf(line, sizeof(line), "{OpCode(%d), %u, %u, %u, %u},",
             static_cast<int>(code), heap, kind, a, b);
    return line;
  }
};

class OpsRunner {
 public:
  static constexpr unsigned kHeaps = 3;
  static constexpr int kThings = 2;

  explicit OpsRunner(const Options& options, Os* os = RealOs()) {
    absl::StatusOr<std::unique_ptr<HeapDomain>> domain =
        HeapDomain::Create(options, os);
    if (domain.ok()) domain_ = std::move(*domain);
    if (domain_ == nullptr) return;
    for (ThreadHeap*& heap : heaps_) Renew(&heap);
  }
  ~OpsRunner() {
    if (domain_ == nullptr) return;
    for (Heap& thing : things_) thing.Destroy();
    for (ThreadHeap*& heap : heaps_) {
      if (heap != nullptr) domain_->ExitThread(heap);
    }
  }

  HeapDomain* domain() { return domain_.get(); }
  bool may_fail = false;  // the OS or a limit refuses at times

  void Run(const std::vector<Op>& program) {
    if (domain_ == nullptr) return;
    program_ = &program;
    for (at_ = 0; at_ < program.size(); ++at_) {
      Perform(program[at_]);
      if (at_ % 64 == 63) Check();
    }
    Check();
    FreeAll();
    Check();
    for (ThreadHeap* heap : heaps_) {
      if (heap != nullptr) heap->Safepoint();  // all were quiescent by now
    }
    Expect(domain_->GetStats().live_blocks == Limbo(), "blocks left over");
  }

  void Perform(const Op& op) {
    ThreadHeap*& heap = heaps_[op.heap % kHeaps];
    if (heap == nullptr && !Renew(&heap)) return;
    HeapKind kind = static_cast<HeapKind>(op.kind % kHeapKindCount);
    int thing = op.kind % kThings;
    if (op.code >= OpCode::kThingAllocate && !things_[thing].alive()) {
      RenewThing(thing);
    }
    switch (op.code) {
      case OpCode::kAllocate:
        Add(heap->Allocate(kind, Size(op.a)), kind, Size(op.a), false);
        break;
      case OpCode::kAllocateMany:
        for (uint32_t i = 0; i < op.b % 300; ++i) {
          Add(heap->Allocate(kind, op.a % 2048), kind, op.a % 2048, false);
        }
        break;
      case OpCode::kZeroed:
        Add(heap->AllocateZeroed(kind, Size(op.a)), kind, Size(op.a), true);
        break;
      case OpCode::kAligned: {
        size_t alignment = size_t{1} << (op.b % 18);
        void* p = heap->AllocateAligned(kind, Size(op.a), alignment);
        Expect(reinterpret_cast<uintptr_t>(p) % alignment == 0, "alignment");
        Add(p, kind, Size(op.a), false);
        break;
      }
      case OpCode::kFree:
        if (!blocks_.empty()) FreeAt(heap, op.a % blocks_.size());
        break;
      case OpCode::kFreeMany:
        for (uint32_t i = 0; i < op.b % 400 && !blocks_.empty(); ++i) {
          FreeAt(heap, (op.a + i * (op.b % 7)) % blocks_.size());
        }
        break;
      case OpCode::kRealloc:
        Resize(heap, op, false);
        break;
      case OpCode::kReallocDelayed:
        Resize(heap, op, true);
        break;
      case OpCode::kFreeDelayed: {
        if (blocks_.empty()) break;
        size_t i = op.a % blocks_.size();
        if (blocks_[i].kind != HeapKind::kRaw || blocks_[i].thing >= 0) break;
        Block block = Remove(i);
        heap->FreeDelayed(block.p, op.b % 2 != 0);
        break;
      }
      case OpCode::kSafepoint:
        heap->Safepoint();
        break;
      case OpCode::kDetachAttach:
        heap->Detach();
        if (op.a % 2 != 0) domain_->Purge();
        heap->Attach();
        break;
      case OpCode::kExit:
        if (op.a % 4 != 0) break;
        for (int i = 0; i < kThings; ++i) {
          if (holder_[i] == heap) LoseThing(i);
        }
        domain_->ExitThread(heap);
        heap = nullptr;
        Renew(&heap);
        break;
      case OpCode::kPurge:
        domain_->Purge();
        break;
      case OpCode::kStop:
        domain_->AfterStop();
        Expect(domain_->LimboBytes() == 0, "limbo after a stop");
        break;
      case OpCode::kLimit:
        if (!may_fail) break;
        domain_->SetHardLimit(op.a % 4 == 0 ? 0 : (1 << 20) + op.a % (64 << 20));
        break;
      case OpCode::kThingAllocate:
      case OpCode::kThingZeroed: {
        int i = op.kind % kThings;
        if (!Held(i)) break;
        bool zero = op.code == OpCode::kThingZeroed;
        bool many = op.b % 8 == 0 && Size(op.a) < 2048;
        for (uint32_t n = many ? op.b % 200 + 1 : 1; n != 0; --n) {
          void* p = zero ? holds_[i].AllocateZeroed(Size(op.a))
                    : op.b % 8 == 1
                        ? holds_[i].AllocateAligned(Size(op.a), 64 << op.b % 12)
                        : holds_[i].Allocate(Size(op.a));
          if (!Add(p, HeapKind::kRaw, Size(op.a), zero, i)) break;
        }
        break;
      }
      case OpCode::kThingFree: {
        if (blocks_.empty()) break;
        size_t i = op.a % blocks_.size();
        // A block of a heap, or any, through a hold of whichever.
        if (blocks_[i].thing >= 0) thing = blocks_[i].thing;
        if (Held(thing)) holds_[thing].Free(Remove(i).p);
        break;
      }
      case OpCode::kThingReset:
      case OpCode::kThingRenew: {
        int i = op.kind % kThings;
        if (op.a % 8 != 0 || !things_[i].alive()) break;
        DropThing(i);
        if (op.code == OpCode::kThingReset) {
          Expect(things_[i].Reset(), "a reset");
        } else {
          Expect(things_[i].Destroy(), "a destruction");
          Expect(!holds_[i].valid(), "a hold of what is gone");
          RenewThing(i);
        }
        break;
      }
      case OpCode::kThingTake: {
        int i = op.kind % kThings;
        if (op.b % 4 == 0) things_[i].Purge();
        HeapHold old = holds_[i];
        if (!things_[i].Take(heap, &holds_[i])) break;
        holder_[i] = heap;
        Expect(!old.valid(), "a hold that was taken");
        break;
      }
      case OpCode::kThingLimit:
        if (!may_fail) break;
        things_[op.kind % kThings].SetLimits(
            {op.a % 3 == 0 ? 0 : op.a % (8 << 20),
             op.b % 3 == 0 ? 0 : op.b % (16 << 20)});
        break;
      case OpCode::kCount:
        break;
    }
  }

  void Check() {
    domain_->CheckInvariants();
    for (const Block& block : blocks_) CheckContent(block);
    Stats stats = domain_->GetStats();
    Expect(stats.live_blocks == blocks_.size() + Limbo(),
           "live blocks");
    size_t visited = 0;
    domain_->VisitPages(kAllKinds, [&](const PageInfo& info) {
      auto it = by_address_.lower_bound(info.first_block);
      char* end = info.first_block + info.count * info.block_size;
      for (; it != by_address_.end() && it->first < end; ++it) {
        ++visited;
        Expect((it->first - info.first_block) % info.block_size == 0,
               "a visited block");
      }
    });
    Expect(visited == blocks_.size(), "every block visited once");
    for (int i = 0; i < kThings; ++i) {
      if (!things_[i].alive()) continue;
      HeapFigures figures = {};
      Expect(things_[i].Figures(&figures), "figures");
      uint64_t blocks = 0, bytes = 0;
      for (const Block& block : blocks_) {
        if (block.thing != i) continue;
        ++blocks;
        bytes += block.size;
        Expect(Heap::Of(block.p) == things_[i], "the heap of a block");
      }
      Expect(figures.live_blocks == blocks, "live blocks of a heap");
      Expect(figures.live_bytes >= bytes, "live bytes of a heap");
      Expect(figures.committed >= bytes, "committed bytes of a heap");
    }
  }

  void FreeAll() {
    while (!blocks_.empty()) {
      ThreadHeap*& heap = heaps_[blocks_.size() % kHeaps];
      if (heap == nullptr && !Renew(&heap)) {
        domain_->FreeFromAnywhere(Remove(blocks_.size() - 1).p);
        continue;
      }
      FreeAt(heap, blocks_.size() - 1);
    }
    for (ThreadHeap* heap : heaps_) {
      if (heap != nullptr) heap->Safepoint();
    }
  }

 private:
  struct Block {
    char* p;
    size_t size;
    HeapKind kind;
    uint8_t fill;
    int thing;  // the Heap it is of, or -1
  };

  // --- Heaps as things. ---
  bool Held(int i) const { return things_[i].alive() && holds_[i].valid(); }
  void RenewThing(int i) {
    absl::StatusOr<Heap> thing = Heap::Create(domain_.get());
    Expect(thing.ok() || may_fail, "a heap");
    things_[i] = thing.ok() ? *thing : Heap();
    holds_[i] = HeapHold();
    holder_[i] = heaps_[static_cast<unsigned>(i) % kHeaps];
    if (holder_[i] != nullptr) things_[i].Take(holder_[i], &holds_[i]);
  }
  void LoseThing(int i) {
    holds_[i].Release();
    holds_[i] = HeapHold();
    holder_[i] = nullptr;
  }
  // Its blocks are about to end.
  void DropThing(int thing) {
    for (size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].thing == thing) Remove(i);
    }
  }

  static size_t Size(uint32_t a) {
    switch (a & 7) {
      case 0: case 1: case 2: case 3: return (a >> 3) % 1100;
      case 4: case 5: return (a >> 3) % 20000;
      case 6: return (a >> 3) % 200000;
      default: return (a >> 3) % (5 << 20);
    }
  }

  bool Renew(ThreadHeap** heap) {
    *heap = domain_->NewThread();
    if (*heap == nullptr) return false;
    (*heap)->Attach();
    return true;
  }

  void Expect(bool ok, const char* what) {
    if (ok) return;
    fprintf(stderr, "failed after operation %zu: %s\n", at_, what);
    if (program_ != nullptr) {
      for (size_t i = 0; i <= at_ && i < program_->size(); ++i) {
        fprintf(stderr, "  %s\n", (*program_)[i].Print().c_str());
      }
    }
    fprintf(stderr, "%s\n", domain_->StatsJson().c_str());
    abort();
  }

  // Where the test may write: not the first 24 header bytes.
  static size_t Begin(HeapKind kind) {
    return kind == HeapKind::kRaw ? 0 : HeaderOffset(kind) + kReaderWords;
  }

  bool Add(void* memory, HeapKind kind, size_t size, bool zero,
           int thing = -1) {
    if (memory == nullptr) {
      Expect(may_fail, "out of memory");
      return false;
    }
    char* p = static_cast<char*>(memory);
    Expect(HeapDomain::UsableSize(p) >= size, "usable size");
    if (size < MinBlockSize(kind)) {  // with canaries nobody may use more
      size = std::min(MinBlockSize(kind), HeapDomain::UsableSize(p));
    }
    auto next = by_address_.upper_bound(p);
    Expect(next == by_address_.end() || p + size <= next->first, "overlap");
    if (next != by_address_.begin()) {
      --next;
      Expect(next->first + next->second <= p, "overlap");
    }
    if (IsObjectKind(kind)) {
      for (size_t i = 0; i < kReaderWords; ++i) {
        Expect(p[HeaderOffset(kind) + i] == 0, "a dead header");
      }
    }
    if (zero) {
      for (size_t i = 0; i < size; ++i) Expect(p[i] == 0, "zeroed memory");
    }
    Block block = {p, size, kind, static_cast<uint8_t>(++fill_ | 1), thing};
    Fill(block);
    blocks_.push_back(block);
    by_address_[p] = size;
    return true;
  }

  void Fill(const Block& block) {
    size_t begin = Begin(block.kind);
    memset(block.p, block.fill, HeaderOffset(block.kind));
    size_t body = block.size - begin;
    if (body <= 512) {
      memset(block.p + begin, block.fill, body);
    } else {
      memset(block.p + begin, block.fill, 256);
      memset(block.p + block.size - 256, block.fill, 256);
    }
  }

  void CheckContent(const Block& block, size_t upto = SIZE_MAX) {
    size_t begin = Begin(block.kind);
    size_t size = block.size;
    size_t body = size - begin;
    char fill = static_cast<char>(block.fill);
    for (size_t i = 0; i < body; ++i) {
      if (body > 512 && i == 256) i = body - 256;
      if (begin + i >= upto) break;
      Expect(block.p[begin + i] == fill, "contents");
    }
  }

  Block Remove(size_t i) {
    Block block = blocks_[i];
    CheckContent(block);
    by_address_.erase(block.p);
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    return block;
  }

  void FreeAt(ThreadHeap* heap, size_t i) { heap->Free(Remove(i).p); }

  void Resize(ThreadHeap* heap, const Op& op, bool delayed) {
    if (blocks_.empty()) return;
    size_t i = op.a % blocks_.size();
    if (blocks_[i].kind != HeapKind::kRaw) return;
    Block old = blocks_[i];
    if (old.thing >= 0 && (delayed || !Held(old.thing))) return;
    size_t size = op.b % 3 == 0 ? old.size + op.b % 64 : Size(op.b);
    if (size < 16) size = 16;
    CheckContent(old);
    void* p = old.thing >= 0 ? holds_[old.thing].Reallocate(old.p, size)
              : delayed      ? heap->ReallocateDelayed(old.p, old.size, size, true)
                             : heap->Reallocate(old.p, size);
    if (p == nullptr) {
      Expect(may_fail, "out of memory");
      CheckContent(old);
      return;
    }
    by_address_.erase(old.p);
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
    Block fresh = old;
    fresh.p = static_cast<char*>(p);
    CheckContent(fresh, size < old.size ? size : old.size);
    Add(p, HeapKind::kRaw, size, false, old.thing);
  }

  // Blocks that were freed and that pages still count.
  size_t Limbo() {
    // Counted in bytes there; the runner only needs to know whether it is empty.
    if (domain_->LimboBytes() == 0) return 0;
    Stats stats = domain_->GetStats();
    return stats.live_blocks > blocks_.size() ? stats.live_blocks - blocks_.size()
                                              : 0;
  }

  std::unique_ptr<HeapDomain> domain_;
  ThreadHeap* heaps_[kHeaps] = {};
  Heap things_[kThings];
  HeapHold holds_[kThings];
  ThreadHeap* holder_[kThings] = {};
  std::vector<Block> blocks_;
  std::map<char*, size_t> by_address_;
  uint8_t fill_ = 0;
  const std::vector<Op>* program_ = nullptr;
  size_t at_ = 0;
};

// A program that swings between growing and shrinking.
inline std::vector<Op> RandomProgram(uint64_t seed, size_t length) {
  std::mt19937_64 random(seed);
  std::vector<Op> program;
  for (size_t i = 0; i < length; ++i) {
    bool grow = (i / 100) % 2 == 0;
    uint64_t dice = random() % 100;
    OpCode code;
    if (dice < 4) {
      code = OpCode::kAllocateMany;
    } else if (dice < (grow ? 40u : 15u)) {
      code = OpCode::kAllocate;
    } else if (dice < (grow ? 48u : 20u)) {
      code = OpCode::kZeroed;
    } else if (dice < (grow ? 52u : 24u)) {
      code = OpCode::kAligned;
    } else if (dice < 66) {
      code = OpCode::kFree;
    } else if (dice < (grow ? 67u : 74u)) {
      code = OpCode::kFreeMany;
    } else if (dice < 82) {
      code = OpCode::kRealloc;
    } else if (dice < 86) {
      code = OpCode::kFreeDelayed;
    } else if (dice < 90) {
      code = OpCode::kReallocDelayed;
    } else if (dice < 94) {
      code = OpCode::kSafepoint;
    } else if (dice < 96) {
      code = OpCode::kDetachAttach;
    } else if (dice < 97) {
      code = OpCode::kExit;
    } else if (dice < 98) {
      code = OpCode::kPurge;
    } else if (dice < 99) {
      code = OpCode::kLimit;
    } else {
      code = OpCode::kStop;
    }
    if (random() % 5 == 0) {  // the same on a heap of its own
      constexpr OpCode kOf[] = {OpCode::kThingAllocate, OpCode::kThingAllocate,
                                OpCode::kThingZeroed,   OpCode::kThingFree,
                                OpCode::kThingReset,    OpCode::kThingRenew,
                                OpCode::kThingTake,     OpCode::kThingLimit};
      code = kOf[random() % 8];
    }
    program.push_back({code, static_cast<uint8_t>(random()),
                       static_cast<uint8_t>(random()),
                       static_cast<uint32_t>(random()),
                       static_cast<uint32_t>(random())});
  }
  return program;
}

// A program and the options to run it under, from the bytes of a fuzzer: 4 bytes of
// options, then 7 bytes an operation.
inline void RunFuzzInput(const uint8_t* data, size_t size) {
  if (size < 4) return;
  Options options;
  options.arena_reserve = 4 << 20;
  options.purge_policy = static_cast<PurgePolicyKind>(data[0] % 5);
  options.purge_delay_ms = data[0] / 64;
  options.page_full_retain = data[1] % 4 - 1;
  options.page_reclaim_on_free = data[1] / 4 % 3 - 1;
  options.limbo_budget = data[1] >= 128 ? 4096 : 8 << 20;
  options.hardening = data[2] % 4 == 0 ? data[2] >> 2 : data[2] % 2;
  options.max_memory = data[3] % 2 == 0 ? 0 : uint64_t{data[3]} << 17;
  std::vector<Op> program;
  for (size_t i = 4; i + 7 <= size && program.size() < 2000; i += 7) {
    const uint8_t* p = data + i;
    program.push_back(
        {static_cast<OpCode>(p[0] % static_cast<unsigned>(OpCode::kCount)),
         static_cast<uint8_t>(p[1] % 16), static_cast<uint8_t>(p[1] / 16),
         static_cast<uint32_t>(p[2] | p[3] << 8 | (p[4] & 0x7f) << 16),
         static_cast<uint32_t>(p[5] | p[6] << 8)});
  }
  OpsRunner runner(options);
  runner.may_fail = true;
  runner.Run(program);
}

}  // namespace tidepool::testing

#endif  // TIDEPOOL_ALLOCATOR_HEAP_OPS_TESTING_H_
