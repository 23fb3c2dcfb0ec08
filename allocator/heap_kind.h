// The four kinds of heap, and where a block of each keeps what.
//
// Blocks of different kinds never share a page, because what a lock-free
// reader may find in dead memory depends on the kind:
//
//   kind      holds                           header at   link of a dead block
//   kRaw      buffers, no header              -           block + 0
//   kObject   objects without references      block + 0   header + 24
//   kGc       objects that are traversed      block + 0   header + 24
//   kGcPre    traversed, two words in front   block + 16  header + 24
//
// The link of a dead object lies in its header's type word, the last of the
// four. The three words before it (tid; flags, mutex, gc bits, local count;
// shared count) are looked at by readers that hold no reference, so nothing in
// this layer writes them while a page keeps its layout.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_KIND_H_
#define TIDEPOOL_ALLOCATOR_HEAP_KIND_H_

#include <cstddef>
#include <cstdint>

namespace tidepool {

enum class HeapKind : uint8_t { kRaw = 0, kObject = 1, kGc = 2, kGcPre = 3 };

inline constexpr size_t kHeapKindCount = 4;

// Bytes of a header that belong to lock-free readers, and the whole header.
inline constexpr size_t kReaderWords = 24;
inline constexpr size_t kHeaderSize = 32;

inline constexpr uint32_t KindBit(HeapKind kind) {
  return 1u << static_cast<uint32_t>(kind);
}
inline constexpr uint32_t kAllKinds = 15;
inline constexpr uint32_t kGcKinds =
    KindBit(HeapKind::kGc) | KindBit(HeapKind::kGcPre);

inline constexpr bool IsObjectKind(HeapKind kind) {
  return kind != HeapKind::kRaw;
}

// Offset of the header in a block.
inline constexpr size_t HeaderOffset(HeapKind kind) {
  return kind == HeapKind::kGcPre ? 16 : 0;
}

// Offset of the free-list link in a dead block.
inline constexpr size_t LinkOffset(HeapKind kind) {
  return kind == HeapKind::kRaw ? 0 : HeaderOffset(kind) + kReaderWords;
}

// The smallest block of a kind: it must hold the header and the link.
inline constexpr size_t MinBlockSize(HeapKind kind) {
  return kind == HeapKind::kRaw ? 16 : HeaderOffset(kind) + kHeaderSize;
}

inline constexpr const char* HeapKindName(HeapKind kind) {
  switch (kind) {
    case HeapKind::kRaw: return "raw";
    case HeapKind::kObject: return "object";
    case HeapKind::kGc: return "gc";
    case HeapKind::kGcPre: return "gc_pre";
  }
  return "?";
}

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HEAP_KIND_H_
