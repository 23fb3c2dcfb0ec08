// Chunks, committed in steps, carved from the front. A piece larger than
// 64 KiB has a mapping of its own with the chunk header in front.
#include "tidepool/allocator/internal/meta_pool.h"

#include <cstring>

namespace tidepool::internal {
namespace {
constexpr size_t kHeader = 64;
size_t RoundTo(size_t size, size_t unit) {
  return (size + unit - 1) & ~(unit - 1);
}
}  // namespace

// Chunks of 1 MiB, less where the source of memory is a small one.
MetaPool::MetaPool(Os* os, Budget* budget)
    : os_(os),
      budget_(budget),
      chunk_(os->MemoryTotal() / 32 >= kChunkMost    ? size_t{kChunkMost}
             : os->MemoryTotal() / 32 <= kChunkLeast ? size_t{kChunkLeast}
                                                     : RoundTo(os->MemoryTotal() / 32,
                                                               os->PageSize())),
      lock_(0) {}

MetaPool::~MetaPool() {
  while (chunks_ != nullptr) {
    Chunk* next = chunks_->next;
    size_t size = chunks_->size;
    os_->Release(chunks_, size);
    chunks_ = next;
  }
}

size_t MetaPool::Round(size_t size) {
  return size <= kFine ? RoundTo(size == 0 ? 1 : size, 64)
                       : RoundTo(size, 4096);
}

size_t MetaPool::ListOf(size_t rounded) {
  return rounded <= kFine ? rounded / 64 - 1 : 64 + rounded / 4096 - 1;
}

bool MetaPool::CommitTo(char* end) {
  if (end <= committed_) return true;
  size_t step = RoundTo(static_cast<size_t>(end - committed_),
                        kStep > os_->PageSize() ? kStep : os_->PageSize());
  size_t left = static_cast<size_t>(end_ - committed_);
  if (step > left) step = left;
  if (!budget_->Charge(step)) return false;
  if (!os_->Commit(committed_, step)) {
    budget_->Discharge(step);
    CountUp(budget_->counters().os_refusals);
    return false;
  }
  CountUp(budget_->counters().meta, step);
  committed_ += step;
  return true;
}

bool MetaPool::NewChunk(size_t least) {
  size_t size = RoundTo(least + kHeader, os_->PageSize());
  bool own = least + kHeader > chunk_ / 4;  // does not become the chunk to carve from
  if (!own) size = chunk_;
  void* memory = os_->Reserve(size, os_->PageSize());
  if (memory == nullptr && !own) {
    size = RoundTo(kCoarse + kHeader, os_->PageSize());
    memory = os_->Reserve(size, os_->PageSize());
  }
  if (memory == nullptr) {
    CountUp(budget_->counters().os_refusals);
    return false;
  }
  char* old_next = next_;
  char* old_committed = committed_;
  char* old_end = end_;
  next_ = static_cast<char*>(memory) + kHeader;
  committed_ = static_cast<char*>(memory);
  end_ = committed_ + size;
  if (!CommitTo(own ? end_ : next_)) {
    os_->Release(memory, size);
    next_ = old_next;
    committed_ = old_committed;
    end_ = old_end;
    return false;
  }
  Chunk* chunk = static_cast<Chunk*>(memory);
  chunk->size = size;
  chunk->next = chunks_;
  chunks_ = chunk;
  if (own) {
    // The caller takes all of it; go on carving from the old chunk.
    next_ = old_next;
    committed_ = old_committed;
    end_ = old_end;
  }
  return true;
}

char* MetaPool::Carve(size_t rounded) {
  if (rounded > chunk_ / 4 - kHeader) {
    if (!NewChunk(rounded)) return nullptr;
    return reinterpret_cast<char*>(chunks_) + kHeader;
  }
  // What is left of the old chunk is forgotten (less than a piece).
  if (static_cast<size_t>(end_ - next_) < rounded && !NewChunk(rounded)) {
    return nullptr;
  }
  if (static_cast<size_t>(end_ - next_) < rounded) return nullptr;
  if (!CommitTo(next_ + rounded)) return nullptr;
  char* piece = next_;
  next_ += rounded;
  return piece;
}

void* MetaPool::Take(size_t size) {
  size_t rounded = Round(size);
  MutexLock lock(&lock_);
  if (rounded <= kCoarse) {
    Link*& list = lists_[ListOf(rounded)];
    if (list != nullptr) {
      Link* piece = list;
      list = piece->next;
      memset(static_cast<void*>(piece), 0, rounded);
      return piece;
    }
  }
  return Carve(rounded);
}

void MetaPool::Give(void* memory, size_t size) {
  if (memory == nullptr) return;
  size_t rounded = Round(size);
  MutexLock lock(&lock_);
  if (rounded > kCoarse) {
    // Only arenas have such pieces, and they are rarely let go: keep its
    // mapping until the domain goes unless it is the whole of a chunk.
    for (Chunk** at = &chunks_; *at != nullptr; at = &(*at)->next) {
      Chunk* chunk = *at;
      if (reinterpret_cast<char*>(chunk) + kHeader != memory) continue;
      size_t chunk_size = chunk->size;
      *at = chunk->next;
      if (os_->Release(chunk, chunk_size)) {
        budget_->Discharge(chunk_size);
        CountDown(budget_->counters().meta, chunk_size);
      }
      return;
    }
    return;
  }
  Link* piece = static_cast<Link*>(memory);
  piece->next = lists_[ListOf(rounded)];
  lists_[ListOf(rounded)] = piece;
}

}  // namespace tidepool::internal
