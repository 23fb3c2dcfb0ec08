/* Text to expressions: lists, 'x, integers, "strings", symbols, ; comments. */
#include <stdlib.h>
#include <string.h>

#include "../puddle.h"

static const char* skip_space(const char* p) {
  for (;;) {
    while (*p != 0 && strchr(" \t\r\n", *p) != NULL) ++p;
    if (*p != ';') return p;
    while (*p != 0 && *p != '\n') ++p;
  }
}

static tp_value read_one(context* cx, const char** text);

/* Built front to back; the last pair is only this function's, so it may still change. */
static tp_value read_list(context* cx, const char** text) {
  tp_value first = 0;
  object* last = NULL;
  for (;;) {
    *text = skip_space(*text);
    if (**text == 0) raise_text(cx, "a list does not end");
    if (**text == ')') break;
    tp_value pair = cons(cx, read_one(cx, text), 0);
    if (last == NULL) {
      first = hold(cx, pair);
    } else {
      tp_slot_give_value(cx->thread, &last->slot[TAIL], pair);
    }
    last = as_object(pair);
  }
  ++*text;
  tp_value_incref(first);
  return first;
}

static tp_value read_string(context* cx, const char** text) {
  char buffer[1000];
  size_t n = 0;
  const char* p = *text + 1;
  for (; *p != '"'; ++p) {
    if (*p == 0 || n == sizeof(buffer)) raise_text(cx, "a string does not end");
    if (*p == '\\' && p[1] != 0) {
      ++p;
      buffer[n++] = *p == 'n' ? '\n' : *p;
    } else {
      buffer[n++] = *p;
    }
  }
  *text = p + 1;
  return new_string(cx, buffer, n);
}

static tp_value read_one(context* cx, const char** text) {
  *text = skip_space(*text);
  const char* p = *text;
  if (*p == '(') {
    ++*text;
    return read_list(cx, text);
  }
  if (*p == '\'') {
    ++*text;
    return cons(cx, (tp_value)cx->vm->quote, cons(cx, read_one(cx, text), 0));
  }
  if (*p == '"') return read_string(cx, text);
  if (*p == ')' || *p == 0) raise_text(cx, "an expression is missing");
  while (*p != 0 && strchr(" \t\r\n()'\";", *p) == NULL) ++p;
  char* end;
  long long n = strtoll(*text, &end, 10);
  const char* start = *text;
  *text = p;
  if (end == p) return integer((intptr_t)n);
  if (p - start == 3 && strncmp(start, "nil", 3) == 0) return 0;
  return (tp_value)intern(cx, start, (size_t)(p - start));
}

int read_next(context* cx, const char** text, tp_value* out) {
  *text = skip_space(*text);
  if (**text == 0) return 0;
  *out = read_one(cx, text);
  return 1;
}
