// The table of native modules.
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {

const ModuleDef* const kNativeModules[] = {
#define X(variable) &variable,
    TIDEPOOL_NATIVE_MODULES(X)
#undef X
        nullptr,
};

}  // namespace tidepool::rt
