// Pairs of neighbouring instructions that the interpreter runs as one.
//
// When code is linked, the opcode byte of the first of such a pair is replaced in the runtime's own copy of the code.
// All words stay where they are: who jumps to the second finds it, and the first does the work of both only where that
// is easy (small numbers, attributes whose place is known). Else it does its own work and goes on to the second, so that
// errors are raised there, with its position. The gain is a dispatch and, above all, that a local variable is borrowed
// for the moment instead of being counted twice.
#ifndef TIDEPOOL_RUNTIME_VM_QUICKEN_H_
#define TIDEPOOL_RUNTIME_VM_QUICKEN_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt {

// V(name, first, second): what stands in the code before. All firsts are one word long.
// clang-format off
#define TIDEPOOL_PAIRS(V)                                          \
  V(FastAttr,          LoadFast,         LoadAttr)                 \
  V(FastStoreAttr,     LoadFast,         StoreAttr)                \
  V(FastMethod,        LoadFast,         LoadMethod)               \
  V(FastReturn,        LoadFast,         ReturnValue)              \
  V(FastSubscr,        LoadFast,         BinarySubscr)             \
  V(FastJumpIfFalse,   LoadFast,         PopJumpIfFalse)           \
  V(FastJumpIfTrue,    LoadFast,         PopJumpIfTrue)            \
  V(FastJumpIfNone,    LoadFast,         PopJumpIfNone)            \
  V(FastJumpIfNotNone, LoadFast,         PopJumpIfNotNone)         \
  V(TupleFast,         BuildTuple,       LoadFast)                 \
  V(FastFastSubscr,    LoadFastLoadFast, BinarySubscr)             \
  V(FastFastAdd,       LoadFastLoadFast, BinaryAdd)                \
  V(FastFastSub,       LoadFastLoadFast, BinarySub)                \
  V(FastFastMul,       LoadFastLoadFast, BinaryMul)                \
  V(FastFastLt,        LoadFastLoadFast, CompareLt)                \
  V(FastFastLe,        LoadFastLoadFast, CompareLe)                \
  V(FastFastEq,        LoadFastLoadFast, CompareEq)                \
  V(FastFastNe,        LoadFastLoadFast, CompareNe)                \
  V(FastFastGt,        LoadFastLoadFast, CompareGt)                \
  V(FastFastGe,        LoadFastLoadFast, CompareGe)                \
  V(ConstEq,           LoadConst,        CompareEq)                \
  V(ConstNe,           LoadConst,        CompareNe)                \
  V(IntLt,             LoadInt,          CompareLt)                \
  V(IntLe,             LoadInt,          CompareLe)                \
  V(IntEq,             LoadInt,          CompareEq)                \
  V(IntNe,             LoadInt,          CompareNe)                \
  V(IntGt,             LoadInt,          CompareGt)                \
  V(IntGe,             LoadInt,          CompareGe)
// clang-format on

// Behind the opcodes of the compiler.
enum PairOp : uint8_t {
  kBeforePairs = lang::kNumOpcodes - 1,
#define V(name, first, second) kPair##name,
  TIDEPOOL_PAIRS(V)
#undef V
};

// Replaces opcodes in n words of whole instructions.
void Quicken(uint32_t* words, size_t n);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_QUICKEN_H_
