/* The evaluator. Each call has a scope with what it holds; a tail call replaces the scope,
 * so that loops by tail calls hold no more than one round. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "puddle.h"

enum { MAX_DEPTH = 3000, MAX_ARGS = 32 };

tp_value hold(context* cx, tp_value value) {
  if (tp_value_is_object(value) && tp_keep(cx->thread, (tp_object*)value) == NULL) {
    raise_value(cx, cx->vm->no_memory);
  }
  return value;
}

void raise_text(context* cx, const char* format, ...) {
  char text[300];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof(text), format, list);
  va_end(list);
  if (n >= (int)sizeof(text)) n = (int)sizeof(text) - 1;
  raise_value(cx, new_string(cx, text, (size_t)n));
}

void raise_value(context* cx, tp_value message) {
  cx->error = message;
  handler* h = cx->handler;
  /* Drops what lies in the scopes between here and the handler, then jumps. */
  if (h == NULL || tp_unwind(cx->thread, &h->mark) != TP_OK) abort();
  longjmp(h->jump, 1);
}

static void push_handler(context* cx, handler* h) {
  h->outer = cx->handler;
  h->depth = cx->depth;
  tp_mark_set(cx->thread, &h->mark);
  cx->handler = h;
}

int try_apply(context* cx, tp_value function, tp_value* args, size_t count, tp_value* out) {
  handler h;
  push_handler(cx, &h);
  if (setjmp(h.jump) == 0) {
    *out = apply(cx, function, args, count);
    cx->handler = h.outer;
    return 1;
  }
  cx->handler = h.outer;
  cx->depth = h.depth;
  *out = cx->error;
  cx->error = 0;
  return 0;
}

/* The slot of a variable: of the nearest environment that names it, or global. */
static tp_slot* find(context* cx, tp_value name, tp_value env) {
  /* OUTER and NAMES never change, so no reference is needed on the way. */
  for (; env != 0; env = part(env, OUTER)) {
    size_t i = VARIABLES;
    for (tp_value n = part(env, NAMES); n != 0; n = part(n, TAIL), ++i) {
      if (part(n, HEAD) == name) return &as_object(env)->slot[i];
    }
  }
  if ((tp_object_flags((tp_object*)name) & BOUND) == 0) {
    raise_text(cx, "%s has no value", SYMBOL_DATA(as_object(name))->name);
  }
  return &as_object(name)->slot[VALUE];
}

static size_t length(tp_value list) {
  size_t n = 0;
  for (; list != 0; list = part(list, TAIL)) ++n;
  return n;
}

static tp_value arg(context* cx, tp_value form, size_t index) {
  for (; index > 0 && form != 0; --index) form = part(form, TAIL);
  if (form == 0) raise_text(cx, "a form is too short");
  return part(form, HEAD);
}

static object* new_env(context* cx, tp_value outer, tp_value names) {
  object* env = new_object(cx, cx->vm->env, VARIABLES + length(names));
  tp_value_incref(outer);
  tp_value_incref(names);
  tp_slot_init(&env->slot[OUTER], outer);
  tp_slot_init(&env->slot[NAMES], names);
  return env;
}

/* A closure's environment for a call. */
static tp_value bind(context* cx, tp_value closure, tp_value* args, size_t count) {
  tp_value names = part(closure, PARAMS);
  if (length(names) != count) {
    raise_text(cx, "%zu arguments and not %zu", count, length(names));
  }
  object* env = new_env(cx, part(closure, ENV), names);
  for (size_t i = 0; i < count; ++i) {
    tp_value_incref(args[i]);
    tp_slot_init(&env->slot[VARIABLES + i], args[i]);
  }
  return (tp_value)env;
}

static tp_value call_builtin(context* cx, tp_value f, tp_value* args, size_t count) {
  const builtin* b = BUILTIN_DATA(as_object(f));
  if (count < b->min || count > b->max) raise_text(cx, "%s: wrong number of arguments", b->name);
  return b->fn(cx, args, count);
}

tp_value apply(context* cx, tp_value function, tp_value* args, size_t count) {
  const tp_type* type = type_of(function);
  if (type == cx->vm->builtin) return call_builtin(cx, function, args, count);
  if (type != cx->vm->closure) raise_text(cx, "not a function");
  tp_scope scope;
  tp_scope_open(cx->thread, &scope);
  tp_value env = hold(cx, bind(cx, function, args, count));
  tp_value result = eval(cx, part(function, BODY), env);
  tp_scope_close(cx->thread, &scope);
  return result;
}

/* (let ((name value) ...) body) and letrec, whose values see the names: cycles. */
static tp_value let_env(context* cx, tp_value form, tp_value env, int rec) {
  tp_value names = 0;
  tp_value bindings = arg(cx, form, 1);
  tp_value reversed = 0;
  for (tp_value b = bindings; b != 0; b = part(b, TAIL)) {
    tp_value name = arg(cx, part(b, HEAD), 0);
    reversed = hold(cx, cons(cx, name, (tp_value_incref(reversed), reversed)));
  }
  for (tp_value n = reversed; n != 0; n = part(n, TAIL)) {
    names = hold(cx, cons(cx, part(n, HEAD), (tp_value_incref(names), names)));
  }
  object* made = new_env(cx, env, names);
  hold(cx, (tp_value)made);
  size_t i = VARIABLES;
  for (tp_value b = bindings; b != 0; b = part(b, TAIL), ++i) {
    tp_value v = eval(cx, arg(cx, part(b, HEAD), 1), rec ? (tp_value)made : env);
    tp_slot_give_value(cx->thread, &made->slot[i], v);
  }
  return (tp_value)made;
}

static tp_value make_closure(context* cx, tp_value form, tp_value env) {
  tp_value params = arg(cx, form, 1);
  tp_value body = arg(cx, form, 2);
  object* f = new_object(cx, cx->vm->closure, 3);
  tp_value_incref(params);
  tp_value_incref(body);
  tp_value_incref(env);
  tp_slot_init(&f->slot[PARAMS], params);
  tp_slot_init(&f->slot[BODY], body);
  tp_slot_init(&f->slot[ENV], env);
  return (tp_value)f;
}

/* (try expression handler): the handler is called with the message. */
static tp_value eval_try(context* cx, tp_value form, tp_value env) {
  handler h;
  push_handler(cx, &h);
  if (setjmp(h.jump) == 0) {
    tp_value result = eval(cx, arg(cx, form, 1), env);
    cx->handler = h.outer;
    return result;
  }
  cx->handler = h.outer;
  cx->depth = h.depth;
  tp_value message = hold(cx, cx->error);
  cx->error = 0;
  tp_value f = hold(cx, eval(cx, arg(cx, form, 2), env));
  return apply(cx, f, &message, 1);
}

/* Forms that are not calls. 1: *out is the value. 0: go on with *expression in *env.
 * -1: it is a call. */
static int special(context* cx, tp_value* expression, tp_value* env, tp_value* out) {
  puddle* vm = cx->vm;
  tp_value form = *expression;
  object* word = as_object(part(form, HEAD));
  if (word == vm->quote) {
    *out = arg(cx, form, 1);
    tp_value_incref(*out);
    return 1;
  }
  if (word == vm->if_) {
    tp_value test = hold(cx, eval(cx, arg(cx, form, 1), *env));
    if (test == 0 && length(form) < 4) {
      *out = 0;
      return 1;
    }
    *expression = arg(cx, form, test != 0 ? 2 : 3);
    return 0;
  }
  if (word == vm->do_ || word == vm->and_ || word == vm->or_) {
    tp_value rest = part(form, TAIL);
    *out = word == vm->and_ ? (tp_value)vm->t : 0;
    if (rest == 0) return 1;
    for (; part(rest, TAIL) != 0; rest = part(rest, TAIL)) {
      tp_value v = eval(cx, part(rest, HEAD), *env);
      if ((word == vm->and_ && v == 0) || (word == vm->or_ && v != 0)) {
        *out = v;
        return 1;
      }
      tp_value_decref(cx->thread, v);
    }
    *expression = part(rest, HEAD);
    return 0;
  }
  if (word == vm->define || word == vm->set) {
    tp_value name = arg(cx, form, 1);
    if (type_of(name) != vm->symbol) {
      raise_text(cx, "%s needs a symbol", SYMBOL_DATA(word)->name);
    }
    tp_value v = hold(cx, eval(cx, arg(cx, form, 2), *env));
    tp_slot* slot = word == vm->set ? find(cx, name, *env) : &as_object(name)->slot[VALUE];
    tp_slot_store_value(cx->thread, slot, v);
    if (word == vm->define) tp_object_set_flags((tp_object*)name, BOUND, 0);
    *out = 0;
    return 1;
  }
  if (word == vm->fn) {
    *out = make_closure(cx, form, *env);
    return 1;
  }
  if (word == vm->let || word == vm->letrec) {
    *env = let_env(cx, form, *env, word == vm->letrec);
    *expression = arg(cx, form, 2);
    return 0;
  }
  if (word == vm->while_) {
    for (;;) {
      tp_scope round;
      tp_scope_open(cx->thread, &round);
      tp_value test = hold(cx, eval(cx, arg(cx, form, 1), *env));
      if (test != 0) hold(cx, eval(cx, arg(cx, form, 2), *env));
      tp_scope_close(cx->thread, &round);
      if (test == 0) break;
      tp_safepoint(cx->thread);
    }
    *out = 0;
    return 1;
  }
  if (word == vm->try_) {
    *out = eval_try(cx, form, *env);
    return 1;
  }
  return -1;
}

tp_value eval(context* cx, tp_value expression, tp_value env) {
  tp_scope scope;
  tp_value result = 0;
  if (++cx->depth > MAX_DEPTH) raise_text(cx, "too deep");
  tp_scope_open(cx->thread, &scope);
  for (;;) {
    tp_safepoint(cx->thread);
    const tp_type* type = type_of(expression);
    if (type == cx->vm->symbol) {
      if (expression == (tp_value)cx->vm->t) {
        result = expression;
      } else {
        result = tp_slot_load_value(cx->thread, find(cx, expression, env));
      }
      break;
    }
    if (type != cx->vm->pair) {
      result = expression;
      tp_value_incref(result);
      break;
    }
    int done = special(cx, &expression, &env, &result);
    if (done == 1) break;
    if (done == 0) continue;
    tp_value function = hold(cx, eval(cx, part(expression, HEAD), env));
    tp_value args[MAX_ARGS];
    size_t count = 0;
    for (tp_value a = part(expression, TAIL); a != 0; a = part(a, TAIL)) {
      if (count == MAX_ARGS) raise_text(cx, "too many arguments");
      args[count++] = hold(cx, eval(cx, part(a, HEAD), env));
    }
    if (type_of(function) != cx->vm->closure) {
      result = apply(cx, function, args, count);
      break;
    }
    /* A tail call: the new environment and the closure move into a fresh scope. */
    tp_value next = bind(cx, function, args, count);
    tp_value_incref(function);
    tp_scope_close(cx->thread, &scope);
    tp_scope_open(cx->thread, &scope);
    env = hold(cx, next);
    expression = part(hold(cx, function), BODY);
  }
  tp_scope_close(cx->thread, &scope);
  --cx->depth;
  return result;
}
