/* The C API, optional: counting, safepoints and reading slots inline, for runtimes that count
 * every instruction. Not included by tidepool.h.
 *
 * What is inlined is layout version 1 of tidepool_layout.h, by numbers that are compiled in. So
 * a program that uses this header depends on more than the ABI: call tp_inline_fits() once
 * at its start, and do not go on if it says 0. Everything else is as in tidepool_object.h;
 * each function has the state and the effect of the one without _inline.
 */
#ifndef TIDEPOOL_TIDEPOOL_INLINE_H_
#define TIDEPOOL_TIDEPOOL_INLINE_H_

#include "tidepool/tidepool_layout.h"
#include "tidepool/tidepool_object.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TP_INLINE_LAYOUT = 1,
  TP_INLINE_TID = 0,
  TP_INLINE_LOCAL = 12,
  TP_INLINE_SHARED = 16,
  TP_INLINE_BREAKER = 24,
  TP_INLINE_SHARED_ONE = 4
};
#define TP_INLINE_LIMIT UINT32_C(0xbfffffff)
#define TP_INLINE_SPECIAL UINT32_C(0xc0000000)

/* 1: the running library has the layout that is compiled in here. State: any. */
static inline int tp_inline_fits(void) {
  const tp_layout_info* l = tp_layout();
  return l->layout_version == TP_INLINE_LAYOUT && l->tid_offset == TP_INLINE_TID &&
         l->local_offset == TP_INLINE_LOCAL && l->shared_offset == TP_INLINE_SHARED &&
         l->breaker_offset == TP_INLINE_BREAKER &&
         l->shared_one == TP_INLINE_SHARED_ONE &&
         l->special_local == TP_INLINE_SPECIAL && l->local_limit == TP_INLINE_LIMIT;
}

static inline uint64_t tp_inline_tid(void) {
  uint64_t tid;
#if defined(__x86_64__)
  __asm__("movq %%fs:0, %0" : "=r"(tid));
#elif defined(__aarch64__)
  __asm__("mrs %0, tpidr_el0" : "=r"(tid));
#else
#error "no inline counting on this processor; use tp_incref and tp_decref"
#endif
  return tid;
}

#define TP_INLINE_WORD(type, object, offset) ((type*)((char*)(object) + (offset)))

static inline void tp_incref_inline(tp_object* object) {
  uint32_t* local = TP_INLINE_WORD(uint32_t, object, TP_INLINE_LOCAL);
  uint32_t count = __atomic_load_n(local, __ATOMIC_RELAXED);
  if (__atomic_load_n(TP_INLINE_WORD(uint64_t, object, TP_INLINE_TID), __ATOMIC_RELAXED) ==
      tp_inline_tid()) {
    if (__builtin_expect(count >= TP_INLINE_LIMIT, 0)) {
      tp_incref(object);
    } else {
      __atomic_store_n(local, count + 1, __ATOMIC_RELAXED);
    }
  } else if (__builtin_expect(count < TP_INLINE_SPECIAL, 1)) {
    __atomic_fetch_add(TP_INLINE_WORD(int64_t, object, TP_INLINE_SHARED),
                       TP_INLINE_SHARED_ONE, __ATOMIC_RELAXED);
  } else {
    tp_incref(object); /* immortal, or counted by each thread for itself */
  }
}

/* NULL is not allowed. */
static inline void tp_decref_inline(tp_thread* thread, tp_object* object) {
  uint32_t* local = TP_INLINE_WORD(uint32_t, object, TP_INLINE_LOCAL);
  uint32_t count = __atomic_load_n(local, __ATOMIC_RELAXED);
  /* The last one of the owner (or one too many), and what strangers drop, are the library's. */
  if (__builtin_expect(__atomic_load_n(TP_INLINE_WORD(uint64_t, object, TP_INLINE_TID),
                                       __ATOMIC_RELAXED) == tp_inline_tid() &&
                           count > 1,
                       1)) {
    __atomic_store_n(local, count - 1, __ATOMIC_RELAXED);
  } else {
    tp_decref(thread, object);
  }
}

static inline void tp_safepoint_inline(tp_thread* thread) {
  if (__builtin_expect(__atomic_load_n(TP_INLINE_WORD(uint32_t, thread, TP_INLINE_BREAKER),
                                       __ATOMIC_RELAXED) != 0,
                       0)) {
    tp_safepoint(thread);
  }
}

static inline tp_value tp_slot_peek_inline(const tp_slot* slot) {
  return __atomic_load_n(&slot->reserved, __ATOMIC_RELAXED);
}

static inline int tp_visit_slot_inline(const tp_slot* slot, tp_visitor visit, void* arg) {
  tp_value value = tp_slot_peek_inline(slot);
  return tp_value_is_object(value) ? visit((tp_object*)value, arg) : 0;
}

/* tp_slot_load for what the thread itself owns, which is most; else the call. */
static inline tp_object* tp_slot_load_inline(tp_thread* thread, const tp_slot* slot) {
  tp_value value = __atomic_load_n(&slot->reserved, __ATOMIC_ACQUIRE);
  tp_object* object = tp_value_object(value);
  uint32_t* local;
  uint32_t count;
  if (object == NULL) return NULL;
  if (__atomic_load_n(TP_INLINE_WORD(uint64_t, object, TP_INLINE_TID), __ATOMIC_RELAXED) !=
      tp_inline_tid()) {
    return tp_slot_load(thread, slot);
  }
  local = TP_INLINE_WORD(uint32_t, object, TP_INLINE_LOCAL);
  count = __atomic_load_n(local, __ATOMIC_RELAXED);
  if (__builtin_expect(count >= TP_INLINE_LIMIT, 0)) return tp_slot_load(thread, slot);
  __atomic_store_n(local, count + 1, __ATOMIC_RELAXED);
  if (__builtin_expect(__atomic_load_n(&slot->reserved, __ATOMIC_ACQUIRE) == value, 1)) {
    return object;
  }
  tp_drop_stray(thread, object);
  return tp_slot_load(thread, slot);
}

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_INLINE_H_ */
