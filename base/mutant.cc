// Which mutant this process runs under. See mutant.h.
#include "tidepool/base/mutant.h"

#ifdef TIDEPOOL_SCHED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace tidepool::internal {

bool MutantActive(const char* name) {
  // No scheduling point may lie in here: a thread switched out inside a static
  // initialiser would block the others for real.
  static const char* const active = getenv("TIDEPOOL_MUTANT");
  if (active == nullptr || strcmp(active, name) != 0) return false;
  // Said once, so that the runner can tell a survivor from a mutant whose code
  // the test never reached.
  static bool said = false;
  if (!said) {
    said = true;
    fprintf(stderr, "mutant reached: %s\n", name);
  }
  return true;
}

}  // namespace tidepool::internal

#endif  // TIDEPOOL_SCHED
