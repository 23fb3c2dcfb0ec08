// placeholder
#include "tidepool/gc/internal/pass.h"
namespace tidepool { namespace gc_internal {
void Pass::Abandon(PassMemory* memory) { memory->slices = SliceState(); }
} }
