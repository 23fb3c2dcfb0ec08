// Registration of the builtin types: see the header.
#include "tidepool/runtime/objects/objects.h"

namespace tidepool::rt {

bool InitCoreObjects(Context& cx) { return InitSharedStrings(cx) && InitEmptyTuple(cx); }

bool InitObjects(Context& cx) {
  return InitBoolType(cx) && InitFloatType(cx) && InitTupleIterator(cx) && InitStrIterator(cx) &&
         InitListTypes(cx) && InitDictViews(cx) && InitSetTypes(cx) && InitRangeTypes(cx) && InitSliceType(cx) &&
         InitBytesTypes(cx) && InitIteratorTypes(cx);
}

}  // namespace tidepool::rt
