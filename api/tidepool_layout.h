/* The C API: what a code generator may inline. docs/codegen.md has the sequences.
 *
 * The numbers are facts of the running library. Generated code that is kept (a cache on
 * disk) must be thrown away when tp_layout().layout_version is another. The library's own
 * build checks them against the structures, and a test runs machine code made from them.
 */
#ifndef TIDEPOOL_TIDEPOOL_LAYOUT_H_
#define TIDEPOOL_TIDEPOOL_LAYOUT_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How generated code finds the id of the running thread. */
enum {
  TP_TID_X86_64_FS0 = 1,   /* mov r64, fs:[0] */
  TP_TID_ARM64_TPIDR = 2   /* mrs x, tpidr_el0 */
};

typedef struct tp_layout_info {
  uint32_t size;
  uint32_t layout_version; /* 1; changes with any number or rule below */

  /* The header: offsets and sizes in bytes. */
  uint32_t header_size;    /* 32 */
  uint32_t tid_offset;     /* 8 bytes: owner's id, 0 none */
  uint32_t flags_offset;   /* 2 bytes */
  uint32_t mutex_offset;   /* 1 byte: 0 is free, 1 is taken */
  uint32_t gc_bits_offset; /* 1 byte */
  uint32_t local_offset;   /* 4 bytes: the owner's count */
  uint32_t shared_offset;  /* 8 bytes, signed: count << shared_shift | state */
  uint32_t type_offset;    /* 8 bytes: tp_type_word */
  uint32_t pre_header_size;
  uint32_t embedder_flags_shift; /* in flags */

  /* Values. */
  uint32_t immortal_local; /* in local: never counted */
  uint32_t special_local;  /* from here on local is no count: the slow paths know what */
  uint32_t local_limit;    /* at or above it the owner's incref takes the slow path */
  uint32_t shared_shift;
  uint32_t shared_one;
  uint32_t state_mask;
  uint32_t state_plain, state_maybe_weakref, state_queued, state_merged;
  uint32_t gc_tracked, gc_finalized, gc_deferred; /* bits in gc_bits */
  uint32_t tag_mask;       /* 1: a value with this bit is no object */

  /* The thread. */
  uint32_t breaker_offset; /* 4 bytes in tp_thread: not 0, call safepoint_slow */
  uint32_t breaker_embedder_bit;
  uint32_t tid_source;     /* TP_TID_... */
  uint32_t has_current_offset;
  int64_t current_offset;  /* if so: the current tp_thread* is at thread pointer + this */

  /* Slow paths, with the platform's C calling convention. */
  void (*incref_slow)(tp_object* object);                    /* any case */
  void (*decref_slow)(tp_thread* thread, tp_object* object); /* any case */
  void (*decref_local_zero)(tp_thread* thread, tp_object* object); /* it is 0 now, or was */
  void (*decref_shared)(tp_thread* thread, tp_object* object);     /* not mine, not special */
  void (*safepoint_slow)(tp_thread* thread);
} tp_layout_info;

/* Static; never NULL. State: any. */
TP_API const tp_layout_info* tp_layout(void) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_LAYOUT_H_ */
