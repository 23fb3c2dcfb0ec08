/* puddle: a small Lisp on tidepool's C API alone: closures, cycles, threads, errors by
 * longjmp. The language VM is this header and three files, some 700 lines:
 *
 *   object.c    types, allocation, symbols for ever, finalizers
 *   eval.c      counted references in C: scopes, safepoints, tail calls, longjmp
 *   task.c      threads: enter, handles, blocking
 *
 * What any VM adds to that, and what else it shows of the API:
 *
 *   library/builtin.c   functions: locks, lock-free reads, weak references, the collector
 *   library/read.c      text to pairs
 *   library/main.c      the program: isolate, options, figures, the check for leaks
 *
 * Rules of the house. A function that returns a value gives a reference. Arguments are
 * borrowed: somebody above holds them. Whatever is held across something that may raise
 * lies in a scope (hold), so that raising drops it.
 */
#ifndef TIDEPOOL_EXAMPLES_PUDDLE_PUDDLE_H_
#define TIDEPOOL_EXAMPLES_PUDDLE_PUDDLE_H_

#include <pthread.h>
#include <setjmp.h>

#include "tidepool/tidepool.h"

/* Everything with references has this form, so that one traverse and one clear do for all.
 * Small integers are values with the low bit set; nil is 0. */
typedef struct object {
  tp_header header;
  void* weakrefs;
  size_t slots;
  tp_slot slot[]; /* as many; a symbol's and a builtin's data follow */
} object;

enum { HEAD = 0, TAIL = 1 };                  /* pair */
enum { PARAMS = 0, BODY = 1, ENV = 2 };       /* closure */
enum { OUTER = 0, NAMES = 1, VARIABLES = 2 }; /* environment: then the values */
enum { VALUE = 0 };                           /* symbol (global), atom, guard (function) */
enum { CALL = 0, RESULT = 1 };                /* task: (function . arguments), what came */

typedef struct string { /* no references: the collector never looks at it */
  tp_header header;
  size_t length;
  char text[];
} string;

/* Where an error goes. */
typedef struct handler {
  struct handler* outer;
  tp_mark mark;
  int depth;
  jmp_buf jump;
} handler;

/* One interpreter a thread. */
typedef struct context {
  tp_thread* thread;
  struct puddle* vm;
  handler* handler;
  tp_value error; /* on its way to a handler, which takes it */
  int depth;
} context;

typedef tp_value (*builtin_fn)(context* cx, tp_value* args, size_t count);
typedef struct builtin {
  const char* name;
  size_t min, max;
  builtin_fn fn;
} builtin;

enum { BUCKETS = 256 };
typedef struct puddle {
  tp_isolate* isolate;
  tp_type *pair, *symbol, *string, *closure, *env, *builtin, *atom, *guard, *task;
  pthread_mutex_t symbols_lock;
  object* symbols[BUCKETS]; /* chained by symbol_data */
  size_t immortals;
  tp_value no_memory; /* the message, made while there is some */
  object *quote, *if_, *define, *fn, *let, *letrec, *do_, *set, *and_, *or_, *try_, *while_, *t;
} puddle;

typedef struct symbol_data { /* behind the one slot */
  object* next;
  char name[];
} symbol_data;
static inline void* behind(object* o, size_t slots) {
  return (char*)o + sizeof(object) + slots * sizeof(tp_slot);
}
#define SYMBOL_DATA(o) ((symbol_data*)behind(o, 1))
#define BUILTIN_DATA(o) (*(const builtin**)behind(o, 0))
enum { BOUND = 1 }; /* object flag of a symbol with a global value */

/* object.c */
int puddle_init(puddle* vm, tp_isolate* isolate);
void puddle_end(puddle* vm, tp_thread* thread);
/* After the isolate: the types. */
void puddle_done(puddle* vm);
object* new_object(context* cx, const tp_type* type, size_t slots);
tp_value cons(context* cx, tp_value head, tp_value tail); /* takes both */
tp_value new_string(context* cx, const char* text, size_t length);
object* intern(context* cx, const char* name, size_t length); /* borrowed, for ever */
const tp_type* type_of(tp_value value); /* NULL: nil, integer, weak reference */
void add_builtin(context* cx, const builtin* b);

static inline object* as_object(tp_value value) { return (object*)value; }
static inline int is_integer(tp_value value) { return (value & 1) != 0; }
static inline intptr_t integer_of(tp_value value) { return (intptr_t)value >> 1; }
static inline tp_value integer(intptr_t n) { return (tp_value)n << 1 | 1; }
/* Of an immutable slot (pairs of the program, parts of closures): borrowed. */
static inline tp_value part(tp_value value, size_t index) {
  return tp_slot_peek(&as_object(value)->slot[index]);
}

/* eval.c */
tp_value hold(context* cx, tp_value value); /* into the innermost scope; borrowed then */
tp_value eval(context* cx, tp_value expression, tp_value env);
tp_value apply(context* cx, tp_value function, tp_value* args, size_t count);
/* As apply, but an error is caught: 0 and *out is the message. */
int try_apply(context* cx, tp_value function, tp_value* args, size_t count, tp_value* out);
void raise_value(context* cx, tp_value message) __attribute__((noreturn)); /* takes it */
void raise_text(context* cx, const char* format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* library/read.c: the next expression; 0 at the end of the text. */
int read_next(context* cx, const char** text, tp_value* out);

/* library/builtin.c, task.c */
char* print_value(context* cx, tp_value value, char* out, char* end);
extern const builtin kBuiltins[];
extern const builtin kTaskBuiltins[];
void join_all_tasks(void);
void task_destroy(tp_thread* thread, tp_object* object);

#endif /* TIDEPOOL_EXAMPLES_PUDDLE_PUDDLE_H_ */
