// `list[int]` and `int | None`: what annotations, aliases and isinstance() use of classes that are given arguments.
#ifndef TIDEPOOL_RUNTIME_VM_ALIAS_H_
#define TIDEPOOL_RUNTIME_VM_ALIAS_H_

#include "tidepool/runtime/vm/class.h"

namespace tidepool::rt {

// origin[args]; args is packed into a tuple if it is none.
Ref NewGenericAlias(Context& cx, Value origin, Value args);
// a | b, or NotImplemented if one of them is nothing that a union holds.
Ref MakeUnion(Context& cx, Value a, Value b);
// The classes of a union as a Tuple; null: v is no union.
Ref UnionMembers(Context& cx, Value v);

bool InitAliasTypes(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_ALIAS_H_
