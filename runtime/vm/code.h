// Code objects: a lang::CodeUnit linked to one Runtime.
//
// Constants become objects, names become interned strings.  Code objects, their constants and names are immortal: they
// come from source files only (there is no exec), so their number is bounded, and an immortal constant is pushed without
// touching a shared count.
#ifndef TIDEPOOL_RUNTIME_VM_CODE_H_
#define TIDEPOOL_RUNTIME_VM_CODE_H_

#include <memory>

#include "tidepool/runtime/lang/bytecode.h"
#include "tidepool/runtime/vm/class.h"

namespace tidepool::rt {

// One per caching instruction.  Threads share it without a lock, so each word stands for itself:
//   LOAD_GLOBAL   `a`: version of the globals' keys for which the name is absent there; `hint`: entry index in
//                 the dict that has it (globals, or builtins if `a` matches)
//   LOAD_ATTR, STORE_ATTR   `a`: class version << 32 | kind << 24 | index (attr_cache.h); `hint`: entry index
//                 in the dict of an instance that has one
struct InlineCache {
  Atomic<uint64_t> a;
  Atomic<uint32_t> hint;
};

struct Code : Object {
  static constexpr Layout kLayout = Layout::kCode;
  const lang::CodeUnit* unit;   // kept by the Runtime
  const uint32_t* words;        // a copy of unit->code with pairs of instructions (quicken.h)
  Value* consts;
  Str** names;
  Str** slot_names;
  InlineCache* caches;
  uint32_t num_slots;
  uint32_t stack_size;
  uint32_t argcount, kwonlyargcount, posonlyargcount;
  uint32_t total_args;    // argcount + kwonly + *args + **kwargs
  uint32_t num_free;
  uint32_t flags;         // lang::CodeFlags
  bool simple_args;       // positional parameters only: arguments in place are the first slots
  Str* name;
  Str* qualname;
  Str* filename;
};

// Null: an exception (MemoryError) is pending.
Code* LinkCode(Context& cx, std::shared_ptr<lang::CodeUnit> unit);

int LineAt(const Code* code, const uint32_t* pc);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CODE_H_
