/* Functions of the language, but for threads. */
#include <stdio.h>
#include <string.h>

#include "../puddle.h"

static intptr_t number(context* cx, tp_value v) {
  if (!is_integer(v)) raise_text(cx, "not a number");
  return integer_of(v);
}
static tp_value truth(context* cx, int yes) { return yes ? (tp_value)cx->vm->t : 0; }
static object* need(context* cx, tp_value v, const tp_type* type) {
  if (type_of(v) != type) raise_text(cx, "not a %s", tp_type_name(type));
  return as_object(v);
}

static tp_value add(context* cx, tp_value* a, size_t n) {
  intptr_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += number(cx, a[i]);
  return integer(sum);
}
static tp_value subtract(context* cx, tp_value* a, size_t n) {
  return integer(n == 1 ? -number(cx, a[0]) : number(cx, a[0]) - number(cx, a[1]));
}
static tp_value multiply(context* cx, tp_value* a, size_t n) {
  (void)n;
  return integer(number(cx, a[0]) * number(cx, a[1]));
}
static tp_value modulo(context* cx, tp_value* a, size_t n) {
  (void)n;
  if (number(cx, a[1]) == 0) raise_text(cx, "division by zero");
  return integer(number(cx, a[0]) % number(cx, a[1]));
}
static tp_value less(context* cx, tp_value* a, size_t n) {
  (void)n;
  return truth(cx, number(cx, a[0]) < number(cx, a[1]));
}
static tp_value same(context* cx, tp_value* a, size_t n) {
  (void)n;
  return truth(cx, a[0] == a[1]);
}
static tp_value not(context* cx, tp_value* a, size_t n) {
  (void)n;
  return truth(cx, a[0] == 0);
}

static tp_value make_pair(context* cx, tp_value* a, size_t n) {
  (void)n;
  tp_value_incref(a[0]);
  tp_value_incref(a[1]);
  return cons(cx, a[0], a[1]);
}
static tp_value is_pair(context* cx, tp_value* a, size_t n) {
  (void)n;
  return truth(cx, type_of(a[0]) == cx->vm->pair);
}
/* Slots that others may write: a lock-free read, with a reference. */
static tp_value head(context* cx, tp_value* a, size_t n) {
  (void)n;
  return tp_slot_load_value(cx->thread, &need(cx, a[0], cx->vm->pair)->slot[HEAD]);
}
static tp_value tail(context* cx, tp_value* a, size_t n) {
  (void)n;
  return tp_slot_load_value(cx->thread, &need(cx, a[0], cx->vm->pair)->slot[TAIL]);
}
static tp_value set_tail(context* cx, tp_value* a, size_t n) {
  (void)n;
  tp_slot_store_value(cx->thread, &need(cx, a[0], cx->vm->pair)->slot[TAIL], a[1]);
  return 0;
}

/* --- Text. --- */

static char* append(char* out, char* end, const char* text, size_t n) {
  if (n > (size_t)(end - out)) n = (size_t)(end - out);
  memcpy(out, text, n);
  return out + n;
}

char* print_value(context* cx, tp_value v, char* out, char* end) {
  char number_text[32];
  const tp_type* type = type_of(v);
  if (v == 0) return append(out, end, "nil", 3);
  if (is_integer(v)) {
    int n = snprintf(number_text, sizeof(number_text), "%lld", (long long)integer_of(v));
    return append(out, end, number_text, (size_t)n);
  }
  if (type == cx->vm->string) {
    string* s = (string*)v;
    return append(out, end, s->text, s->length);
  }
  if (type == cx->vm->symbol) {
    const char* name = SYMBOL_DATA(as_object(v))->name;
    return append(out, end, name, strlen(name));
  }
  if (type != cx->vm->pair) {
    out = append(out, end, "#", 1);
    const char* name = type != NULL ? tp_type_name(type) : "weak";
    return append(out, end, name, strlen(name));
  }
  out = append(out, end, "(", 1);
  tp_value_incref(v);
  for (int i = 0; type_of(v) == cx->vm->pair && i < 100; ++i) {
    if (i > 0) out = append(out, end, " ", 1);
    tp_value item = tp_slot_load_value(cx->thread, &as_object(v)->slot[HEAD]);
    out = item == v ? append(out, end, "...", 3) : print_value(cx, item, out, end);
    tp_value_decref(cx->thread, item);
    tp_value rest = tp_slot_load_value(cx->thread, &as_object(v)->slot[TAIL]);
    tp_value_decref(cx->thread, v);
    v = rest;
  }
  if (v != 0) {
    out = append(out, end, " . ", 3);
    out = type_of(v) == cx->vm->pair ? append(out, end, "...", 3)
                                     : print_value(cx, v, out, end);
  }
  tp_value_decref(cx->thread, v);
  return append(out, end, ")", 1);
}

static tp_value text(context* cx, tp_value* a, size_t n) {
  char buffer[2000];
  char* p = buffer;
  for (size_t i = 0; i < n; ++i) p = print_value(cx, a[i], p, buffer + sizeof(buffer));
  return new_string(cx, buffer, (size_t)(p - buffer));
}
static tp_value print(context* cx, tp_value* a, size_t n) {
  char buffer[2000];
  char* p = buffer;
  for (size_t i = 0; i < n; ++i) p = print_value(cx, a[i], p, buffer + sizeof(buffer) - 1);
  *p++ = '\n';
  tp_detach(cx->thread); /* a terminal may block */
  fwrite(buffer, 1, (size_t)(p - buffer), stdout);
  tp_attach(cx->thread);
  return 0;
}
static tp_value error(context* cx, tp_value* a, size_t n) {
  (void)n;
  char buffer[200];
  char* p = print_value(cx, a[0], buffer, buffer + sizeof(buffer));
  raise_text(cx, "%.*s", (int)(p - buffer), buffer);
}

/* --- Atoms: one value, shared by threads. --- */

static tp_value atom(context* cx, tp_value* a, size_t n) {
  (void)n;
  object* made = new_object(cx, cx->vm->atom, 1);
  tp_slot_store_value(cx->thread, &made->slot[VALUE], a[0]);
  return (tp_value)made;
}
static tp_value get(context* cx, tp_value* a, size_t n) {
  (void)n;
  return tp_slot_load_value(cx->thread, &need(cx, a[0], cx->vm->atom)->slot[VALUE]);
}
static tp_value put(context* cx, tp_value* a, size_t n) {
  (void)n;
  tp_slot_store_value(cx->thread, &need(cx, a[0], cx->vm->atom)->slot[VALUE], a[1]);
  return 0;
}
/* (swap! atom f arguments...): atomic, unless f blocks. If f raises, tp_unwind ends the
 * section. */
static tp_value swap(context* cx, tp_value* a, size_t n) {
  tp_object* cell = (tp_object*)need(cx, a[0], cx->vm->atom);
  tp_slot* slot = &((object*)cell)->slot[VALUE];
  tp_critical section;
  tp_value call[32];
  tp_critical_begin(cx->thread, &section, cell);
  call[0] = hold(cx, tp_slot_load_value(cx->thread, slot));
  memcpy(call + 1, a + 2, (n - 2) * sizeof(*a));
  tp_value result = apply(cx, a[1], call, n - 1);
  tp_slot_store_value(cx->thread, slot, result);
  tp_critical_end(cx->thread, &section);
  return result;
}

/* --- Memory. --- */

static tp_value weak(context* cx, tp_value* a, size_t n) {
  (void)n;
  if (type_of(a[0]) == NULL || type_of(a[0]) == cx->vm->string) {
    raise_text(cx, "cannot be referred to weakly");
  }
  tp_weakref* ref = tp_weakref_new(cx->thread, (tp_object*)a[0], NULL, NULL, NULL);
  if (ref == NULL) raise_value(cx, cx->vm->no_memory);
  return (tp_value)ref;
}
static tp_value deref(context* cx, tp_value* a, size_t n) {
  (void)n;
  if (!tp_value_is_object(a[0]) || type_of(a[0]) != NULL) raise_text(cx, "not weak");
  return (tp_value)tp_weakref_get(cx->thread, (tp_weakref*)a[0]);
}
static tp_value guard(context* cx, tp_value* a, size_t n) {
  (void)n;
  object* made = new_object(cx, cx->vm->guard, 1);
  tp_slot_store_value(cx->thread, &made->slot[VALUE], a[0]);
  return (tp_value)made;
}
static tp_value collect(context* cx, tp_value* a, size_t n) {
  (void)a;
  (void)n;
  return integer((intptr_t)tp_collect(cx->thread, NULL));
}
static int count_mortal(const tp_visited* seen, void* arg) {
  if (!seen->immortal) ++*(intptr_t*)arg;
  return 0;
}
static tp_value live(context* cx, tp_value* a, size_t n) {
  (void)a;
  (void)n;
  intptr_t count = 0;
  tp_visit_objects(cx->thread, count_mortal, &count);
  return integer(count);
}

const builtin kBuiltins[] = {
    {"+", 0, 32, add},          {"-", 1, 2, subtract},   {"*", 2, 2, multiply},
    {"mod", 2, 2, modulo},      {"<", 2, 2, less},       {"=", 2, 2, same},
    {"not", 1, 1, not},         {"cons", 2, 2, make_pair}, {"pair?", 1, 1, is_pair},
    {"head", 1, 1, head},       {"tail", 1, 1, tail},    {"set-tail!", 2, 2, set_tail},
    {"str", 0, 32, text},       {"print", 0, 32, print}, {"error", 1, 1, error},
    {"atom", 1, 1, atom},       {"get", 1, 1, get},      {"put!", 2, 2, put},
    {"swap!", 2, 32, swap},     {"weak", 1, 1, weak},    {"deref", 1, 1, deref},
    {"guard", 1, 1, guard},     {"gc", 0, 0, collect},   {"live", 0, 0, live},
    {NULL, 0, 0, NULL},
};
