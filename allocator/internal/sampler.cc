// The heap profile's samples: see sampler.h.
#include "tidepool/allocator/internal/sampler.h"

#include <cmath>
#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/stack_trace.h"

namespace tidepool::internal {
namespace {

// Page::sampled stays here until the page is empty: more were not counted.
constexpr uint8_t kManySamples = 255;

// splitmix64, by Sebastiano Vigna: enough for a sampling distance.
uint64_t Next(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t Draw(uint64_t* state, uint64_t interval) {
  // In (0, 1]: never the logarithm of 0.
  const double u = static_cast<double>((Next(state) >> 11) + 1) * 0x1p-53;
  const double distance = -std::log(u) * static_cast<double>(interval);
  return distance < 1e18 ? static_cast<uint64_t>(distance) : uint64_t{1} << 59;
}

uint64_t HashText(const char* text, uint64_t hash) {
  for (; *text != 0; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;  // FNV-1a
  }
  return hash;
}

// Blocks in page->free. Where lists were taken whole, that is arithmetic.
uint64_t CountFree(const Page* page) {
  if (page->local_free == nullptr && page->hole_count == 0) {
    return page->extended.load(kRelaxed) - page->used.load(kRelaxed);  // ours
  }
  uint64_t n = 0;
  for (void* p = page->free; p != nullptr; p = NextOf(page, p)) ++n;
  return n;
}

// What was cut off goes behind the blocks that were freed since.
void Reunite(Page* page) {
  if (page->local_free == nullptr) return;
  if (page->free == nullptr) {
    page->free = page->local_free;
  } else {
    void* last = page->free;
    while (void* next = NextOf(page, last)) last = next;
    SetNext(page, last, page->local_free);
  }
  page->local_free = nullptr;
  page->free_is_zero = false;
}

// Takes the block's mark off. False: it has none.
bool TakeMark(SampleMarks* marks, const void* block, double* weight) {
  for (uint32_t i = 0; i < marks->count; ++i) {
    if (marks->marks[i].block != block) continue;
    *weight = marks->marks[i].weight;
    marks->marks[i] = marks->marks[--marks->count];
    return true;
  }
  return false;
}

bool HasMark(const SampleMarks* marks, const void* block) {
  for (uint32_t i = 0; i < marks->count; ++i) {
    if (marks->marks[i].block == block) return true;
  }
  return false;
}

bool AddMark(SampleMarks* marks, void* block, double weight) {
  if (marks->count == SampleMarks::kMost) return false;
  marks->marks[marks->count++] = {block, weight};
  return true;
}

}  // namespace

bool Sampler::Start(uint64_t interval) {
  // Acquire: pairs with the release below.
  if (interval != 0 && buckets_.load(kAcquire) == nullptr) {
    void* table = core_->meta.Take(kBuckets * sizeof(Record*));
    if (table == nullptr) return false;
    Atomic<Record*>* none = nullptr;
    // Release: the table is zero before it is seen.
    if (!buckets_.compare_exchange_strong(none, static_cast<Atomic<Record*>*>(table),
                                          kAcqRel, kAcquire)) {
      core_->meta.Give(table, kBuckets * sizeof(Record*));
    }
  }
  interval_.store(interval, kRelaxed);  // see interval()
  return true;
}

void Sampler::SetFrames(size_t (*frames)(void*, ProfileFrame*, size_t), void* arg) {
  frames_arg_.store(arg, kRelaxed);  // published by the next store
  frames_.store(frames, kRelease);   // pairs with Sample
}

void Sampler::NewThread(ThreadHeap* heap) {
  heap->sample_interval_ = 0;
  heap->sample_left_ = 0;
  heap->sample_now_ = heap->in_sample_ = false;
  heap->sample_weight_ = 0;
  // Other threads, other numbers; a record that is used again goes on with its own.
  heap->sample_random_ += reinterpret_cast<uintptr_t>(heap);
}

void Sampler::Redraw(ThreadHeap* heap) {
  heap->sample_interval_ = interval();
  heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
}

void Sampler::SlotFreed(ThreadHeap* heap, Page* page, void* block, double weight) {
  Page*& current = heap->current_[page->queue_kind][page->size_class];
  // Elsewhere the place is counted anew when its list is taken up. (The fast path of a
  // page that is interrupted already is closed.)
  if (page->slow || page->marks == nullptr ||
      (current != page && !page->marks->interrupted)) {
    return;
  }
  if ((Next(&heap->sample_random_) & 15) == 0) return;
  if (!AddMark(page->marks, block, weight * 16 / 15)) return;
  if (!page->marks->interrupted) page->marks->uncounted = nullptr;
  page->marks->interrupted = true;
  if (current == page) current = &g_no_page;
}

// Looks through the page's list for the first block that is marked or, from `from` on,
// comes to be chosen, and cuts the list before it.
void Sampler::Choose(ThreadHeap* heap, Page* page, void* from) {
  SampleMarks* marks = page->marks;
  const size_t size = page->size();
  marks->interrupted = false;
  marks->uncounted = nullptr;
  bool counting = false;
  void* last = nullptr;
  for (void* block = page->free; block != nullptr;
       last = block, block = NextOf(page, block)) {
    counting |= block == from;
    bool chosen = false;
    if (last == nullptr && TakeMark(marks, block, &heap->sample_weight_)) {
      heap->sample_now_ = true;
      continue;  // counted before
    }
    if (counting) {
      chosen = heap->sample_left_ < size;
      if (!chosen) {
        heap->sample_left_ -= size;
        continue;
      }
      heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
      if (last == nullptr) {
        heap->sample_now_ = true;
        continue;
      }
      if (!AddMark(marks, block, 0)) continue;
    } else if (last == nullptr || !HasMark(marks, block)) {
      continue;
    }
    marks->interrupted = true;
    marks->uncounted = counting ? NextOf(page, block) : from;
    SetNext(page, last, nullptr);
    page->local_free = block;
    return;
  }
}

void Sampler::ListTaken(ThreadHeap* heap, Page* page) {
  if (heap->sample_interval_ != interval()) Redraw(heap);
  if (heap->sample_interval_ == 0) return;  // stopped this very moment
  const size_t size = page->size();
  if (page->slow) {  // each block comes here by itself
    if (heap->sample_left_ >= size) {
      heap->sample_left_ -= size;
    } else {
      heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
      heap->sample_now_ = true;
    }
    return;
  }
  if (Interrupted(page)) {
    void* from = page->marks->uncounted;
    Reunite(page);
    Choose(heap, page, from);
    return;
  }
  Forget(page);
  const uint64_t bytes = CountFree(page) * size;
  if (heap->sample_left_ >= bytes) {
    heap->sample_left_ -= bytes;
    return;
  }
  if (page->marks == nullptr) {
    page->marks = static_cast<SampleMarks*>(core_->meta.Take(sizeof(SampleMarks)));
    if (page->marks == nullptr) return;
  }
  // Blocks that others freed and that wait in local_free are behind the cut then.
  void* from = page->free;
  Reunite(page);
  Choose(heap, page, from);
}

void Sampler::LargeTaken(ThreadHeap* heap, size_t bytes) {
  if (heap->sample_interval_ != interval()) Redraw(heap);
  if (heap->sample_left_ >= bytes) {
    heap->sample_left_ -= bytes;
    return;
  }
  heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
  heap->sample_now_ = true;
}

size_t Sampler::BucketOf(const void* block) {
  return (reinterpret_cast<uintptr_t>(block) >> 4) * 0x9e3779b97f4a7c15u >> 51;
}

// The frame with strings that last. Null: no memory.
const ProfileFrame* Sampler::Intern(const ProfileFrame& frame) {
  const char* function = frame.function != nullptr ? frame.function : "?";
  const char* file = frame.file != nullptr ? frame.file : "";
  const uint64_t hash = HashText(function, HashText(file, 0xcbf29ce484222325u)) +
                        static_cast<uint64_t>(frame.line);
  MutexLock lock(&names_lock_);
  Name*& head = names_[(hash ^ (hash >> 32)) & 255];
  for (Name* n = head; n != nullptr; n = n->next) {
    if (n->frame.line == frame.line && strcmp(n->frame.function, function) == 0 &&
        strcmp(n->frame.file, file) == 0) {
      return &n->frame;
    }
  }
  const size_t function_bytes = strlen(function) + 1, file_bytes = strlen(file) + 1;
  char* memory = static_cast<char*>(
      core_->meta.Take(sizeof(Name) + function_bytes + file_bytes));
  if (memory == nullptr) return nullptr;
  Name* name = reinterpret_cast<Name*>(memory);
  char* text = memory + sizeof(Name);
  memcpy(text, function, function_bytes);
  memcpy(text + function_bytes, file, file_bytes);
  name->frame = {text, text + function_bytes, frame.line};
  name->next = head;
  head = name;
  return &name->frame;
}

__attribute__((noinline)) void Sampler::Sample(ThreadHeap* heap, void* block,
                                               size_t size) {
  if (heap->in_sample_) {
    heap->sample_weight_ = 0;
    return;
  }
  const double armed_weight = heap->sample_weight_;
  heap->sample_weight_ = 0;
  heap->in_sample_ = true;  // what asks for the stack's bounds may allocate
  Page* page = PageMap::Lookup(block);
  uintptr_t stack[kMostStack];
  // Neither this function nor HandOut and the slow path above it.
  size_t stack_count = CaptureStack(stack, kMostStack, 1);
  ProfileFrame given[kMostFrames];
  const ProfileFrame* frames[kMostFrames];
  size_t frame_count = 0;
  // Acquire: pairs with SetFrames.
  auto ask = frames_.load(kAcquire);
  if (ask != nullptr) {
    size_t n = ask(frames_arg_.load(kRelaxed), given, kMostFrames);
    for (size_t i = 0; i < n && i < kMostFrames; ++i) {
      frames[frame_count] = Intern(given[i]);
      if (frames[frame_count] != nullptr) ++frame_count;
    }
  }
  heap->in_sample_ = false;
  const size_t bytes = sizeof(Record) + frame_count * sizeof(frames[0]) +
                       stack_count * sizeof(stack[0]);
  Record* record = static_cast<Record*>(core_->meta.Take(bytes));
  if (record == nullptr) {
    CountUp(core_->counters.samples_lost);
    return;
  }
  char* tail = reinterpret_cast<char*>(record + 1);
  memcpy(tail, frames, frame_count * sizeof(frames[0]));
  memcpy(tail + frame_count * sizeof(frames[0]), stack,
         stack_count * sizeof(stack[0]));
  const double share =
      -std::expm1(-static_cast<double>(page->size()) /
                  static_cast<double>(heap->sample_interval_));
  record->sample = {block,
                    size,
                    armed_weight != 0 ? armed_weight : 1 / share,
                    page->kind,
                    reinterpret_cast<const ProfileFrame* const*>(tail),
                    frame_count,
                    reinterpret_cast<const uintptr_t*>(
                        tail + frame_count * sizeof(frames[0])),
                    stack_count};
  record->bytes = bytes;
  // Relaxed: whoever frees the block got it after this.
  if (page->sampled.load(kRelaxed) != kManySamples) page->sampled.fetch_add(1, kRelaxed);
  if (page->size_class != 0) {
    page->owner.store(HeapOps::OwnerWord(heap, page), kRelaxed);  // ours
  }
  CountUp(core_->counters.samples);
  const size_t bucket = BucketOf(block);
  MutexLock lock(&stripes_[bucket % kStripes]);
  Atomic<Record*>* table = buckets_.load(kAcquire);  // pairs with Start
  // Relaxed, both: under the lock; for the look in Freed see there.
  record->next = table[bucket].load(kRelaxed);
  table[bucket].store(record, kRelaxed);
}

double Sampler::Freed(Page* page, const void* block) {
  Atomic<Record*>* table = buckets_.load(kAcquire);  // pairs with Start
  if (table == nullptr) return 0;
  const size_t bucket = BucketOf(block);
  // Relaxed: who frees a sample got the block after its record was there.
  if (table[bucket].load(kRelaxed) == nullptr) return 0;
  Record* found = nullptr;
  {
    MutexLock lock(&stripes_[bucket % kStripes]);
    Record* before = nullptr;
    found = table[bucket].load(kRelaxed);  // under the lock
    while (found != nullptr && found->sample.block != block) {
      before = found;
      found = found->next;
    }
    if (found == nullptr) return 0;
    if (before == nullptr) {
      table[bucket].store(found->next, kRelaxed);
    } else {
      before->next = found->next;
    }
  }
  // Relaxed: who asks too early looks in vain.
  uint8_t live = page->sampled.load(kRelaxed);
  while (live != kManySamples &&
         !page->sampled.compare_exchange_weak(live, static_cast<uint8_t>(live - 1),
                                              kRelaxed, kRelaxed)) {
  }
  const double weight = found->sample.weight;
  CountDown(core_->counters.samples);
  core_->meta.Give(found, found->bytes);
  return weight;
}

void Sampler::Snapshot(std::vector<HeapSample>* samples, std::vector<char>* memory) {
  samples->clear();
  memory->clear();
  Atomic<Record*>* table = buckets_.load(kAcquire);  // pairs with Start
  if (table == nullptr) return;
  // Room is made without a lock: where malloc is ours, it may take a sample itself.
  const size_t most = core_->counters.samples.load(kRelaxed) + 1024;  // a figure
  samples->reserve(most);
  memory->resize(most * (kMostFrames + kMostStack) * sizeof(void*));
  char* tail = memory->data();
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    MutexLock lock(&stripes_[bucket % kStripes]);
    for (Record* r = table[bucket].load(kRelaxed); r != nullptr && samples->size() < most;
         r = r->next) {
      const size_t bytes = r->bytes - sizeof(Record);
      memcpy(tail, r + 1, bytes);
      HeapSample copy = r->sample;
      copy.frames = reinterpret_cast<const ProfileFrame* const*>(tail);
      copy.stack = reinterpret_cast<const uintptr_t*>(
          tail + copy.frame_count * sizeof(copy.frames[0]));
      samples->push_back(copy);
      tail += bytes;
    }
  }
}

void Sampler::LockAll() {
  names_lock_.Lock();
  for (Mutex& lock : stripes_) lock.Lock();
}

void Sampler::UnlockAll() {
  for (Mutex& lock : stripes_) lock.Unlock();
  names_lock_.Unlock();
}

}  // namespace tidepool::internal
