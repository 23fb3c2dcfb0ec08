/* Types, allocation, symbols. */
#include <string.h>

#include "puddle.h"

static int traverse(tp_object* o, tp_visitor visit, void* arg) {
  object* self = (object*)o;
  for (size_t i = 0; i < self->slots; ++i) {
    int stop = tp_visit_slot(&self->slot[i], visit, arg);
    if (stop != 0) return stop;
  }
  return 0;
}

static void clear(tp_thread* thread, tp_object* o) {
  object* self = (object*)o;
  for (size_t i = 0; i < self->slots; ++i) tp_slot_clear(thread, &self->slot[i]);
}

/* (guard f): calls f when it dies, once. An error in it goes nowhere. */
static void guard_finalize(tp_thread* thread, tp_object* o) {
  context cx = {thread, tp_isolate_data(tp_thread_isolate(thread)), NULL, 0, 0};
  tp_value result;
  tp_value function = tp_slot_load_value(thread, &((object*)o)->slot[VALUE]);
  try_apply(&cx, function, NULL, 0, &result);
  tp_value_decref(thread, result);
  tp_value_decref(thread, function);
}

static tp_type* make_type(const char* name, int with_slots,
                          void (*finalize)(tp_thread*, tp_object*),
                          void (*destroy)(tp_thread*, tp_object*)) {
  tp_type_def def = tp_type_def_init();
  def.name = name;
  def.finalize = finalize;
  def.destroy = destroy;
  if (with_slots) {
    def.instance_size = sizeof(object);
    def.weakref_offset = offsetof(object, weakrefs);
    def.traverse = traverse;
    def.clear = clear;
  } else {
    def.instance_size = sizeof(string);
  }
  return tp_type_create(&def, NULL);
}

int puddle_init(puddle* vm, tp_isolate* isolate) {
  memset(vm, 0, sizeof(*vm));
  vm->isolate = isolate;
  pthread_mutex_init(&vm->symbols_lock, NULL);
  vm->pair = make_type("pair", 1, NULL, NULL);
  vm->symbol = make_type("symbol", 1, NULL, NULL);
  vm->string = make_type("string", 0, NULL, NULL);
  vm->closure = make_type("closure", 1, NULL, NULL);
  vm->env = make_type("environment", 1, NULL, NULL);
  vm->builtin = make_type("builtin", 1, NULL, NULL);
  vm->atom = make_type("atom", 1, NULL, NULL);
  vm->guard = make_type("guard", 1, guard_finalize, NULL);
  vm->task = make_type("task", 1, NULL, task_destroy);
  return vm->pair && vm->symbol && vm->string && vm->closure && vm->env && vm->builtin &&
         vm->atom && vm->guard && vm->task;
}

/* What globals hold goes; symbols and builtins stay till the isolate does. */
void puddle_end(puddle* vm, tp_thread* thread) {
  for (int i = 0; i < BUCKETS; ++i) {
    for (object* s = vm->symbols[i]; s != NULL; s = SYMBOL_DATA(s)->next) {
      tp_slot_clear(thread, &s->slot[VALUE]);
    }
  }
}

void puddle_done(puddle* vm) {
  tp_type* types[] = {vm->pair,    vm->symbol, vm->string, vm->closure, vm->env,
                      vm->builtin, vm->atom,   vm->guard,  vm->task};
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) tp_type_destroy(types[i]);
  pthread_mutex_destroy(&vm->symbols_lock);
}

object* new_object(context* cx, const tp_type* type, size_t slots) {
  object* made = (object*)tp_new(cx->thread, type, slots * sizeof(tp_slot));
  if (made == NULL) {
    /* Out of memory: maybe cycles hold it. */
    tp_collect(cx->thread, NULL);
    made = (object*)tp_new(cx->thread, type, slots * sizeof(tp_slot));
    if (made == NULL) raise_value(cx, cx->vm->no_memory);
  }
  made->slots = slots;
  return made;
}

tp_value cons(context* cx, tp_value head, tp_value tail) {
  hold(cx, head);
  hold(cx, tail);
  object* pair = new_object(cx, cx->vm->pair, 2);
  tp_value_incref(head);
  tp_value_incref(tail);
  tp_slot_init(&pair->slot[HEAD], head);
  tp_slot_init(&pair->slot[TAIL], tail);
  return (tp_value)pair;
}

tp_value new_string(context* cx, const char* text, size_t length) {
  string* s = (string*)tp_new_raw(cx->thread, cx->vm->string, length + 1);
  if (s == NULL) {
    raise_value(cx, cx->vm->no_memory);
  }
  s->length = length;
  memcpy(s->text, text, length);
  s->text[length] = 0;
  return (tp_value)s;
}

object* intern(context* cx, const char* name, size_t length) {
  unsigned hash = 5381;
  for (size_t i = 0; i < length; ++i) hash = hash * 33 + (unsigned char)name[i];
  object** bucket = &cx->vm->symbols[hash % BUCKETS];
  /* Short, and without a safepoint inside: no need to detach. */
  pthread_mutex_lock(&cx->vm->symbols_lock);
  object* s = *bucket;
  while (s != NULL && (strncmp(SYMBOL_DATA(s)->name, name, length) != 0 ||
                       SYMBOL_DATA(s)->name[length] != 0)) {
    s = SYMBOL_DATA(s)->next;
  }
  if (s == NULL) {
    s = (object*)tp_new(cx->thread, cx->vm->symbol,
                        sizeof(tp_slot) + sizeof(symbol_data) + length + 1);
    if (s != NULL) {
      s->slots = 1;
      memcpy(SYMBOL_DATA(s)->name, name, length);
      SYMBOL_DATA(s)->next = *bucket;
      tp_set_immortal(cx->thread, (tp_object*)s);
      ++cx->vm->immortals;
      *bucket = s;
    }
  }
  pthread_mutex_unlock(&cx->vm->symbols_lock);
  if (s == NULL) raise_value(cx, cx->vm->no_memory);
  return s;
}

const tp_type* type_of(tp_value value) {
  return tp_value_is_object(value) ? tp_object_type((tp_object*)value) : NULL;
}

void add_builtin(context* cx, const builtin* b) {
  object* f = new_object(cx, cx->vm->builtin, 1);
  f->slots = 0; /* what lies there is no reference */
  BUILTIN_DATA(f) = b;
  tp_set_immortal(cx->thread, (tp_object*)f);
  ++cx->vm->immortals;
  object* name = intern(cx, b->name, strlen(b->name));
  tp_slot_give(cx->thread, &name->slot[VALUE], (tp_object*)f);
  tp_object_set_flags((tp_object*)name, BOUND, 0);
}
