// Fatal errors: one line on stderr, then abort. See check.h.
#include "tidepool/base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace tidepool {
namespace {

// Plain word: set by a test tool before its threads start.
FatalHook g_hook = nullptr;

void WriteAll(const char* text, int length) {
  while (length > 0) {
    ssize_t n = write(STDERR_FILENO, text, static_cast<size_t>(length));
    if (n <= 0) return;
    text += n;
    length -= static_cast<int>(n);
  }
}

}  // namespace

void SetFatalHook(FatalHook hook) { g_hook = hook; }

void Fatal(const char* format, ...) {
  char line[1024];
  int prefix = snprintf(line, sizeof line, "tidepool: ");
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line + prefix, sizeof line - prefix - 1, format, args);
  va_end(args);
  if (n < 0) n = 0;
  int length = prefix + n;
  if (length > static_cast<int>(sizeof line) - 2) {
    length = static_cast<int>(sizeof line) - 2;
  }
  line[length++] = '\n';
  WriteAll(line, length);
  FatalHook hook = g_hook;
  g_hook = nullptr;  // a failure inside the hook must not call it again
  if (hook != nullptr) hook();
  abort();
}

namespace internal {

void CheckFailed(const char* file, int line, const char* what) {
  Fatal("%s:%d: check failed: %s", file, line, what);
}

}  // namespace internal
}  // namespace tidepool
