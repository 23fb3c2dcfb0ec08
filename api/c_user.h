/* Programs in C that use the API; each function returns 0 or the line of the first check
 * that failed. c_api_test.cc runs them. */
#ifndef TIDEPOOL_API_C_USER_H_
#define TIDEPOOL_API_C_USER_H_

#include "tidepool/tidepool.h"

#define CHECK(cond)               \
  do {                            \
    if (!(cond)) return __LINE__; \
  } while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* c_user_objects.c */
int c_types(void);
int c_counts_and_cycles(void);
int c_slots(void);
int c_weakrefs(void);
int c_resize(void);
int c_scopes_and_handles(void);
int c_classes_and_deferred(void);
int c_object_check(void);
int c_inline(void);
/* c_user_memory.c */
int c_raw_memory(void);
int c_delayed_frees(void);
int c_limits(void);
int c_figures_and_walks(void);
int c_external_memory(void);
int c_bad_frees(void);
int c_memory_of_ones_own(void);
/* c_user_heap.c */
int c_heaps(void);
/* c_user_threads.c */
int c_isolates(void);
int c_threads(void);
int c_breaks_and_calls(void);
int c_locks(void);
int c_longjmp(void);
int c_fork(void);
int c_fork_beside_another(void);
int c_two_isolates(void);
/* c_user_report.c */
int c_profile(void);
int c_map_and_split(void);
int c_faults(void);
int c_blocks(void);
/* c_user_policy.c */
int c_policy(void);
int c_collections(void);
int c_listeners_and_lists(void);
int c_serving(void);

#ifdef __cplusplus
}
#endif

/* A type for all of them: two slots, a count of deaths. */
typedef struct node {
  tp_header header;
  void* weakrefs;
  tp_slot left;
  tp_slot right;
  int* died;
  int number;
} node;

tp_type* node_type(void (*finalize)(tp_thread*, tp_object*));
node* node_new(tp_thread* thread, const tp_type* type, int* died);
/* An isolate without automatic collections, entered. */
tp_thread* world_open(tp_isolate** isolate);
int world_close(tp_thread* thread, tp_isolate* isolate);

#endif /* TIDEPOOL_API_C_USER_H_ */
