// Lists of dead objects that have not been deallocated yet.
//
// Three of them: a thread's *trash* (the recursion of dealloc got too deep; the
// outermost dealloc of the thread empties it, so a chain of any length needs
// constant stack), a thread's *dead list* (drops in places where nothing may
// be run: a failed LoadRef, a merge under a lock or in a stop; emptied at the
// next safepoint), and the isolate's *orphans* (what a thread had on its dead
// list when it blocked or left; any thread empties it).
//
// The link lies in the tid word, which is allowed for dead objects only: a
// block's address is no thread's id, so a stale reader sees "not mine", goes to
// the shared word and finds it dead. Push makes the shared word 3 (from 0 or
// 3: readers never change either) so that Pop can give back tid 0 and the
// object is an ordinary merged one with count 0. It is untracked while listed
// (kFlagRetrack remembers), for the collector uses the tid word, too.
//
// Not synchronised: a list belongs to one thread or to a lock.
#ifndef TIDEPOOL_OBJECT_DEAD_LIST_H_
#define TIDEPOOL_OBJECT_DEAD_LIST_H_

#include "tidepool/object/header.h"

namespace tidepool {

class DeadList {
 public:
  bool empty() const { return head_ == nullptr; }

  // `obj` is dead and nobody else deallocates it.
  void Push(ObjectHeader* obj);
  // The oldest, with tid 0, shared 3, and tracked again if it was. Null if
  // empty.
  ObjectHeader* Pop();
  // Moves everything of `other` here.
  void TakeAll(DeadList& other);

 private:
  ObjectHeader* head_ = nullptr;
  ObjectHeader* tail_ = nullptr;
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_DEAD_LIST_H_
