// The heap profile's samples: see sampler.h.
#include "tidepool/allocator/internal/sampler.h"

#include <cmath>
#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/stack_trace.h"

namespace tidepool::internal {
namespace {

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

void Append(Page* page, void* list) {
  if (page->free == nullptr) {
    page->free = list;
    return;
  }
  void* last = page->free;
  while (void* next = NextOf(page, last)) last = next;
  SetNext(page, last, list);
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
  heap->sample_home_ = nullptr;
  // Other threads, other numbers, and each run of a program the same. Relaxed: only that
  // each is taken once.
  heap->sample_random_ = threads_.fetch_add(1, kRelaxed);
  heap->sample_random_ = Next(&heap->sample_random_);
}

void Sampler::Redraw(ThreadHeap* heap) {
  heap->sample_interval_ = interval();
  heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
}

// The page's cuts, made if there are none. Null: no memory.
SampleCuts* Sampler::CutsOf(Page* page) {
  if (page->cuts == nullptr) {
    page->cuts = static_cast<SampleCuts*>(core_->meta.Take(sizeof(SampleCuts)));
  }
  return page->cuts;
}

void Sampler::Reunite(Page* page) {
  if (page->cuts == nullptr) return;
  for (uint32_t i = page->cuts->count; i-- > 0;) Append(page, page->cuts->cuts[i].list);
  Forget(page);
}

// Counts a block that is being handed out.
void Sampler::CountOne(ThreadHeap* heap, size_t bytes) {
  if (heap->sample_left_ >= bytes) {
    heap->sample_left_ -= bytes;
    return;
  }
  heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
  heap->sample_now_ = true;
}

// `page` has a whole list of so many blocks that nobody has counted. Chooses the next
// allocation, or one further down, or none.
void Sampler::Count(ThreadHeap* heap, Page* page, uint64_t blocks) {
  const size_t size = page->size();
  if (heap->sample_left_ >= blocks * size) {
    heap->sample_left_ -= blocks * size;
    return;
  }
  uint64_t before = heap->sample_left_ / size;
  heap->sample_left_ = Draw(&heap->sample_random_, heap->sample_interval_);
  if (before == 0 && !heap->sample_now_) {
    heap->sample_now_ = true;
    heap->sample_home_ = page;
    return Count(heap, page, blocks);
  }
  SampleCuts* cuts = CutsOf(page);
  if (cuts == nullptr) {
    CountUp(core_->counters.samples_lost);
    return;
  }
  cuts->uncounted = static_cast<uint32_t>(blocks - before);
  cuts->count = 1;
  cuts->cuts[0] = {page->free, 0};
  if (before == 0) {
    page->free = nullptr;
    return;
  }
  void* last = page->free;
  while (--before != 0) last = NextOf(page, last);
  cuts->cuts[0].list = NextOf(page, last);
  SetNext(page, last, nullptr);
}

void Sampler::ListTaken(ThreadHeap* heap, Page* page) {
  if (heap->sample_interval_ != interval()) Redraw(heap);
  if (heap->sample_interval_ == 0) return;  // stopped this very moment
  if (!page->slow) {
    Count(heap, page, CountFree(page));
    return;
  }
  CountOne(heap, page->size());  // each block comes here by itself
}

void Sampler::CutReached(ThreadHeap* heap, Page* page) {
  SampleCuts* cuts = page->cuts;
  if (heap->sample_interval_ != interval()) {
    // What was chosen under another interval is lost.
    Reunite(page);
    ListTaken(heap, page);
    return;
  }
  const auto& cut = cuts->cuts[--cuts->count];
  page->free = cut.list;
  heap->sample_weight_ = cut.weight;
  heap->sample_home_ = page;
  heap->sample_now_ = true;
  if (cuts->count != 0 || cuts->uncounted == 0) return;
  const uint32_t blocks = cuts->uncounted;
  cuts->uncounted = 0;
  Count(heap, page, blocks);
}

void Sampler::Miss(ThreadHeap* heap, Page* page) {
  heap->sample_now_ = false;
  heap->sample_weight_ = 0;
  heap->sample_home_ = nullptr;
  CountUp(core_->counters.samples_lost);
  Reunite(page);
}

void Sampler::PlaceFreed(ThreadHeap* heap, unsigned queue_kind, unsigned c,
                         const SamplePlace& place) {
  Page* home = heap->current_[queue_kind][c];
  if (home != place.home || home->sample_epoch != place.epoch || interval() == 0 ||
      (Next(&heap->sample_random_) & 15) == 0) {
    return;
  }
  SampleCuts* cuts = CutsOf(home);
  if (cuts == nullptr || cuts->count == SampleCuts::kMost) return;
  cuts->cuts[cuts->count++] = {home->free, place.weight * 16 / 15};
  home->free = nullptr;
}

void Sampler::LargeTaken(ThreadHeap* heap, size_t bytes) {
  if (heap->sample_interval_ != interval()) Redraw(heap);
  CountOne(heap, bytes);
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
  const double armed_weight = heap->sample_weight_;
  Page* home = heap->sample_home_;
  heap->sample_weight_ = 0;
  heap->sample_home_ = nullptr;
  if (heap->in_sample_) return;
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
  record->place = {home, home != nullptr ? home->sample_epoch : 0, record->sample.weight};
  // Relaxed: whoever frees the block got it after this.
  if (page->size_class == 0) page->sampled.store(1, kRelaxed);
  CountUp(core_->counters.samples);
  const size_t bucket = BucketOf(block);
  MutexLock lock(&stripes_[bucket % kStripes]);
  Atomic<Record*>* table = buckets_.load(kAcquire);  // pairs with Start
  // Relaxed, both: under the lock; for the look in Freed see there.
  record->next = table[bucket].load(kRelaxed);
  table[bucket].store(record, kRelaxed);
}

SamplePlace Sampler::Freed(const void* block) {
  Atomic<Record*>* table = buckets_.load(kAcquire);  // pairs with Start
  if (table == nullptr) return {};
  const size_t bucket = BucketOf(block);
  // Relaxed: who frees a sample got the block after its record was there.
  if (table[bucket].load(kRelaxed) == nullptr) return {};
  Record* found = nullptr;
  {
    MutexLock lock(&stripes_[bucket % kStripes]);
    Record* before = nullptr;
    found = table[bucket].load(kRelaxed);  // under the lock
    while (found != nullptr && found->sample.block != block) {
      before = found;
      found = found->next;
    }
    if (found == nullptr) return {};
    if (before == nullptr) {
      table[bucket].store(found->next, kRelaxed);
    } else {
      before->next = found->next;
    }
  }
  const SamplePlace place = found->place;
  CountDown(core_->counters.samples);
  core_->meta.Give(found, found->bytes);
  return place;
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

// Both: the analysis follows no locks in an array.
void Sampler::LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  names_lock_.Lock();
  for (Mutex& lock : stripes_) lock.Lock();
}

void Sampler::UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  for (Mutex& lock : stripes_) lock.Unlock();
  names_lock_.Unlock();
}

}  // namespace tidepool::internal
