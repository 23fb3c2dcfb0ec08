// Registration of the builtin types of this folder.
//
// The start of the runtime makes str, tuple, dict and int from the tables below, because class creation itself
// needs them; InitCoreObjects adds the shared strings and the empty tuple,
// InitObjects makes all other types and fills in `cx.rt.cls`. Both are called once, in
// this order, while the runtime starts. False: no memory.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_OBJECTS_H_
#define TIDEPOOL_RUNTIME_OBJECTS_OBJECTS_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

extern const NativeType kStrType, kTupleType, kDictType, kIntType;

bool InitCoreObjects(Context& cx);
bool InitObjects(Context& cx);

// One per file.
bool InitSharedStrings(Context& cx);
bool InitEmptyTuple(Context& cx);
bool InitBoolType(Context& cx);
bool InitFloatType(Context& cx);
bool InitListTypes(Context& cx);
bool InitTupleIterator(Context& cx);
bool InitStrIterator(Context& cx);
bool InitDictViews(Context& cx);
bool InitSetTypes(Context& cx);
bool InitRangeTypes(Context& cx);
bool InitSliceType(Context& cx);
bool InitBytesTypes(Context& cx);
bool InitIteratorTypes(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_OBJECTS_H_
