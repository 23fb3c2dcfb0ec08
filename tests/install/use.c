/* A user of the installed C API: an isolate, an object, raw memory, figures. */
#include <stdio.h>
#include <string.h>

#include "tidepool/tidepool.h"

typedef struct point {
  tp_header header;
  double x, y;
} point;

int main(void) {
  tp_error error;
  tp_isolate* isolate = tp_isolate_create(NULL, &error);
  if (isolate == NULL || !tp_abi_serves(TP_ABI_VERSION)) return 1;
  tp_thread* thread = tp_thread_enter(isolate, "main");
  if (thread == NULL) return 2;
  tp_type_def def = tp_type_def_init();
  def.name = "point";
  def.instance_size = sizeof(point);
  tp_type* type = tp_type_create(&def, &error);
  if (type == NULL) return 3;
  for (int i = 0; i < 1000; ++i) {
    point* p = (point*)tp_new(thread, type, 0);
    char* text = tp_malloc(thread, 5000);
    if (p == NULL || text == NULL) return 4;
    memset(text, i, 5000);
    p->x = i;
    tp_decref(thread, (tp_object*)p);
    tp_free(thread, text);
    tp_safepoint(thread);
  }
  tp_collect(thread, NULL);
  if (tp_thread_leave(thread) != TP_OK) return 5;
  if (tp_isolate_destroy(isolate, &error) != TP_OK) return 6;
  tp_type_destroy(type);
  puts("C works");
  return 0;
}
