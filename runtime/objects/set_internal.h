// What the files of the set types share among themselves.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_SET_INTERNAL_H_
#define TIDEPOOL_RUNTIME_OBJECTS_SET_INTERNAL_H_

#include "tidepool/runtime/objects/set.h"

namespace tidepool::rt {

Ref NewSetOf(Context& cx, Class* cls);
bool SetAddWithHash(Context& cx, Set* s, Value key, int64_t hash);
int SetContainsWithHash(Context& cx, Set* s, Value key, int64_t hash);
int SetDiscardWithHash(Context& cx, Set* s, Value key, int64_t hash);
bool SetNextHash(Context& cx, Set* s, size_t* pos, Ref* item, int64_t* hash);
Ref SetPop(Context& cx, Set* s);      // null without exception: empty
void SetClear(Context& cx, Set* s);
// s = a copy of what `from` holds, in one step.
bool SetSwapBody(Context& cx, Set* s, Set* from);
void TraverseSet(Object* o, SlotVisitor& v);
void ClearSet(Context& cx, Object* o);
void DestroySet(Context& cx, Object* o);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_SET_INTERNAL_H_
