/* The C API of tidepool: an object allocator with biased reference counts, lock-free
 * reads, delayed frees and a stop-the-world collector, for runtimes without a global lock.
 *
 *   tidepool_base.h     versions, errors, isolates, threads, safepoints, fork
 *   tidepool_object.h   types, objects, counts, slots, locks, handles, weak references
 *   tidepool_memory.h   raw memory, limits, pressure, purge, figures
 *   tidepool_heap.h     heaps as things: made, emptied, handed on by any thread
 *   tidepool_gc.h       collections, policies, listeners, lists of objects
 *   tidepool_report.h   heap profile, heap map, memory by cause, faults
 *   tidepool_layout.h   what a code generator may inline
 *   tidepool_inline.h   the same for C, if wanted: not included from here
 *
 * Words
 *   isolate    one object world. A process may have several, beside and after each other;
 *              objects of one must not refer to another's.
 *   thread     an OS thread's state in an isolate: attached (may touch objects) or
 *              detached (blocked, or in foreign code). It is attached to one isolate at a
 *              time, whatever the number it has entered.
 *   object     a block that begins with a tp_header; the rest is the embedder's.
 *   reference  one count on an object. "Gives" means that the reference is the caller's
 *              afterwards, "takes" that it is not any more, "borrows" that nothing changes.
 *   value      a word that is 0, an object, or (low bit set) something of the embedder's
 *              that is no object, such as a small integer.
 *   slot       a word in an object that holds a value, with a reference if that is an
 *              object, and may be read by any attached thread without a lock.
 *
 * States. Each function says which it needs:
 *   any        every thread, attached, detached or unknown to the isolate;
 *   attached   the calling thread is attached and `thread` is its state (without such an
 *              argument: attached to the isolate of what it is given);
 *   own        the calling thread's state, attached or detached;
 *   stopped    only inside a callback that says "world stopped".
 * A function called in another state is a mistake of the embedder's; debug builds of the
 * library end the process, naming the function where the thread had to be attached and was
 * not. Where release builds see it too, it says so.
 *
 * Rules
 *   - No function throws, exits or prints, except where it says so.
 *   - Failure is NULL, a false or a tp_status that is not TP_OK, and then nothing was done.
 *   - Every loop that may run long calls tp_safepoint. Finalizers, callbacks of weak
 *     references, pending calls and collections run there, and in tp_decref (finalizers and
 *     callbacks of what dies), tp_collect and tp_detach. Allocation runs nothing and never
 *     collects: it returns NULL, and the embedder may collect and try again.
 *   - Around anything that may block: tp_detach, tp_attach.
 *   - Callbacks return. A C++ exception that leaves one ends the process by
 *     std::terminate, before any frame of the library is left; a longjmp out of one is not
 *     allowed. Between calls of the API a longjmp is fine: see tp_unwind.
 *   - Async signal handlers may call tp_thread_current, tp_thread_break, tp_thread_post,
 *     tp_safepoint_wanted and tp_abi_version, nothing else.
 *   - Structs that the embedder fills in begin with their size and the version of the
 *     header they were compiled with: make them with their ..._init() function. Structs the
 *     library fills in are told by the same two fields how much to write.
 */
#ifndef TIDEPOOL_TIDEPOOL_H_
#define TIDEPOOL_TIDEPOOL_H_

#include "tidepool/tidepool_base.h"
#include "tidepool/tidepool_gc.h"
#include "tidepool/tidepool_heap.h"
#include "tidepool/tidepool_layout.h"
#include "tidepool/tidepool_memory.h"
#include "tidepool/tidepool_object.h"
#include "tidepool/tidepool_report.h"

#endif /* TIDEPOOL_TIDEPOOL_H_ */
