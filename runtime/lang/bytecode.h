// The instruction set of the toy runtime, and CodeUnit, what the compiler hands to the interpreter.
//
// This header is the whole contract between the front end (runtime/lang) and the interpreter
// (runtime/vm). The compiler knows nothing of runtime objects: a CodeUnit is plain C++ data, made
// without any isolate, and the interpreter turns it into a code object of its own.
//
// WORDS. Code is a vector of 32-bit words. An instruction is one word, `op | arg << 8` (arg: 24 bits,
// unsigned unless said otherwise), followed by 0 or 1 EXTRA word as the table below says:
//   kCache   the number of an inline-cache slot, 0 .. num_caches-1, each used by one instruction. What a
//            cache slot is (how large, per code object or per thread) is the interpreter's business;
//   kConst   a second operand: an index into consts.
// There is no EXTENDED_ARG: a function that would need an index over 2^24-1 does not compile.
// The interpreter may rewrite the opcode byte of its own copy of the code (quickening); opcodes from
// kFirstFreeOpcode up are never emitted by the compiler and are free for that.
//
// STACK EFFECTS are written `before -- after`, top of stack at the right. `name[i]` etc. are tables of
// the CodeUnit. Every reference on the stack is owned by the stack: an instruction that pops drops.
// Evaluation is strictly left to right, and temporaries are popped as soon as they have been used; nothing is
// kept on the stack for convenience, so that an object dies at the end of the expression that made it.
//
// SLOTS. A frame has num_slots fast slots, then the stack of at most stack_size values. Slot order:
//   [0, argcount)                  positional parameters (the first posonlyargcount are positional-only)
//   then kwonlyargcount            keyword-only parameters
//   then *args if kVarArgs, then **kwargs if kVarKeywords,
//   then other locals, then cells of own variables that are not parameters, then free variables.
// slots[i] gives name and kind. A parameter that inner functions capture has kind kParamCell: MAKE_CELL at the
// start of the code wraps it in place. Cells are made by MAKE_CELL; free variables come from the function's
// closure tuple by COPY_FREE_VARS, in the order of their slots. A slot is empty (null) before its first store.
//
// JUMPS are relative and counted in words, from the word after the whole instruction (after its extra word).
// Forward jumps add arg, backward jumps subtract it. Only opcodes with BACK in their name go
// backwards: these are the loop edges, where a safepoint check belongs.
//
// EXCEPTIONS cost nothing until raised. exception_table is sorted by start and its ranges do not overlap:
// the entry whose [start, end) contains the index of the first word of the raising instruction is the innermost
// handler. If there is none the frame is left. Else: drop values until the stack holds `depth` values, push the
// exception, continue at `handler`. A handler then says
//   PUSH_EXC_INFO    exc -- prev exc     prev = the exception handled so far (None if none); exc becomes
//                                        the handled one (sys.exc_info, bare raise, __context__)
//   ... CHECK_EXC_MATCH, the body ...
//   POP_EXCEPT       prev --             makes prev the handled exception again
// RERAISE raises again WITHOUT adding a traceback entry for this frame and without touching __context__.
//
// GENERATORS. A code unit with kGenerator does not run when called: the call makes a generator whose frame
// holds the bound arguments, and the first resume starts at word 0 with an empty stack. YIELD_VALUE pops the
// value, suspends; the next resume pushes the sent value (None for next()) and goes on behind it. throw() raises at
// the YIELD_VALUE. YIELD_FROM stays AT its own word while the inner iterator yields, so a
// generator suspended inside `yield from` is recognised by its next instruction being YIELD_FROM, with
// the inner iterator on top of the stack (the way for throw(), close() and gi_yieldfrom). A coroutine is the same with
// kCoroutine; `await x` is x, GET_AWAITABLE, LOAD_NONE, YIELD_FROM. An asynchronous generator (kAsyncGenerator) has both: what
// YIELD_VALUE gives is its own value, what YIELD_FROM gives is passed on to whoever drives it.
//
// CLASS BODIES (kClassBody) are functions of no arguments whose names live in a namespace mapping made by
// LOAD_BUILD_CLASS's callable: LOAD_NAME, STORE_NAME and DELETE_NAME work on it. Module code uses the
// *_GLOBAL instructions only.
#ifndef TIDEPOOL_RUNTIME_LANG_BYTECODE_H_
#define TIDEPOOL_RUNTIME_LANG_BYTECODE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tidepool::rt::lang {

// What the 24-bit argument means (for the disassembler and the verifier).
enum class ArgKind : uint8_t {
  kNone,     // no argument, 0
  kConst,    // index into consts
  kName,     // index into names
  kSlot,     // index into slots
  kSlotPair, // two slots of 12 bits each: first = arg & 0xfff, second = arg >> 12
  kSlotInt,  // slot = arg & 0xfff, signed 12-bit integer in the upper bits
  kCount,    // a count or a depth
  kPair,     // two counts of 12 bits each: low = arg & 0xfff, high = arg >> 12
  kInt,      // signed 24-bit integer
  kForward,  // jump forward by arg words
  kBack,     // jump backward by arg words
  kBinary,   // a BinaryKind
  kFlags,    // see the instruction
};

enum class ExtraWord : uint8_t { kNone, kCache, kConst };

// Operators of BINARY_OP and INPLACE_OP.
enum class BinaryKind : uint8_t {
  kAdd, kSub, kMul, kTrueDiv, kFloorDiv, kMod, kPow, kLShift, kRShift, kAnd, kOr, kXor, kMatMul,
};
inline constexpr int kNumBinaryKinds = 13;

// V(CamelName, DUMP_NAME, arg kind, extra word)
//
// -- Stack and constants
//  NOP                 --
//  POP_TOP             a --
//  COPY n              v[n] .. v[1] -- v[n] .. v[1] v[n]           n >= 1; COPY 1 duplicates the top
//  SWAP n              v[n] .. v[1] -- v[1] .. v[n]                n >= 2; exchanges top and n-th
//  PUSH_NULL           -- null                                     (not emitted at present)
//  LOAD_CONST c        -- consts[c]
//  LOAD_NONE, LOAD_TRUE, LOAD_FALSE      -- value
//  LOAD_INT i          -- i                                        signed 24-bit integer
// -- Fast slots, cells, names
//  LOAD_FAST s         -- slot[s]                                  known to be bound: no check needed
//  LOAD_FAST_CHECK s   -- slot[s]                                  UnboundLocalError if empty
//  STORE_FAST s        v --                                        stores, then drops the old value
//  DELETE_FAST s       --                                          UnboundLocalError if empty; empties, then drops
//  CLEAR_FAST s        --                                          like DELETE_FAST, but an empty slot is fine
//  MAKE_CELL s         --                                          slot[s] = new cell holding what slot[s] held (maybe nothing)
//  COPY_FREE_VARS n    --                                          the last n slots = the n cells of the closure tuple
//  LOAD_CLOSURE s      -- cell                                     the cell itself, for a closure tuple
//  LOAD_DEREF s        -- contents        empty: UnboundLocalError "cannot access local variable 'x' where it is not
//                                         associated with a value" for an own cell, NameError "cannot access free variable 'x'
//                                         where it is not associated with a value in enclosing scope" for a free one
//  LOAD_CLASSDEREF s   -- value           in a class body: the namespace first, then the free variable's cell
//  STORE_DEREF s       v --
//  DELETE_DEREF s      --                 errors as LOAD_DEREF
//  LOAD_GLOBAL n       -- value           globals, then builtins; NameError "name 'x' is not defined"
//  STORE_GLOBAL n      v --
//  DELETE_GLOBAL n     --                 NameError if missing
//  LOAD_NAME n         -- value           class namespace, globals, builtins
//  STORE_NAME n        v --               class namespace
//  DELETE_NAME n       --                 class namespace; NameError if missing
// -- Attributes and items
//  LOAD_ATTR n         o -- o.name
//  STORE_ATTR n        v o --             o.name = v
//  DELETE_ATTR n       o --
//  LOAD_METHOD n       o -- func o        if o's type has a plain function (or native method) under the name and the instance
//                                         does not hide it;   else   o -- attr null
//  BINARY_SUBSCR       o k -- o[k]
//  STORE_SUBSCR        v o k --           o[k] = v
//  DELETE_SUBSCR       o k --
//  BINARY_SLICE        o i j -- o[i:j]    same as building slice(i, j) and subscripting
//  STORE_SLICE         v o i j --         o[i:j] = v
// -- Operators
//  UNARY_NEGATIVE, UNARY_POSITIVE, UNARY_INVERT     a -- r
//  UNARY_NOT           a -- True|False    of any value
//  BINARY_ADD, BINARY_SUB, BINARY_MUL     a b -- r
//  BINARY_OP k         a b -- r           any BinaryKind (the compiler uses it for all but the three above)
//  INPLACE_ADD, INPLACE_SUB, INPLACE_OP k a b -- r     the in-place form: __iadd__ first, then as binary
//  COMPARE_LT, _LE, _EQ, _NE, _GT, _GE    a b -- r     rich comparison, result is any object
//  IS_OP, IS_NOT_OP    a b -- bool
//  CONTAINS_OP, NOT_CONTAINS_OP           item container -- bool      `item in container`
// -- Jumps
//  JUMP d              --
//  JUMP_BACK d         --
//  POP_JUMP_IF_FALSE d, POP_JUMP_IF_TRUE d                     v --        truth of any object
//  POP_JUMP_IF_NONE d, POP_JUMP_IF_NOT_NONE d                  v --
//  POP_JUMP_BACK_IF_TRUE d, POP_JUMP_BACK_IF_FALSE d           v --        the bottom of a while loop
//  JUMP_IF_FALSE_OR_POP d, JUMP_IF_TRUE_OR_POP d               v -- [v]    jumping keeps v, falling through pops it
//  GET_ITER            o -- iter(o)
//  FOR_ITER d          it -- it next      exhausted: it --, and jump by d
// -- Containers, strings
//  BUILD_TUPLE n, BUILD_LIST n, BUILD_SET n   v1 .. vn -- c
//  BUILD_MAP n         k1 v1 .. kn vn -- dict
//  BUILD_CONST_KEY_MAP n   v1 .. vn keys -- dict                  keys: a tuple of n
//  BUILD_SLICE n       i j [k] -- slice                           n = 2 or 3
//  BUILD_STRING n      s1 .. sn -- str                            concatenation of n str
//  FORMAT_VALUE f      v [spec] -- str    f & 3: conversion 0 none, 1 str, 2 repr, 3 ascii; f & 4: spec is on the stack
//  LIST_APPEND i       .. list .. v -- .. list ..                 list is the i-th from the top after v was popped (1 = top)
//  SET_ADD i           the same for a set
//  MAP_ADD i           .. dict .. k v -- .. dict ..               i counted after k and v were popped
//  LIST_EXTEND i       .. list .. iterable -- .. list ..          TypeError "Value after * must be an iterable, not X"
//  SET_UPDATE i        .. set .. iterable -- .. set ..
//  DICT_UPDATE i       .. dict .. mapping -- .. dict ..           {**m}: TypeError "'X' object is not a mapping"
//  DICT_MERGE i        .. dict .. mapping -- .. dict ..           f(**m): duplicate keys are a TypeError that names the
//                                         callable; at the time of the merge it is at i + 2 (below args tuple and dict)
//  LIST_TO_TUPLE       list -- tuple
//  UNPACK_SEQUENCE n   seq -- vn .. v1    v1 on top; ValueError "not enough values to unpack (expected n, got m)" / "too many .."
//  UNPACK_EX lo|hi     seq -- after.. list before..   lo values before the star, hi after it; first value on top
// -- Calls
//  CALL n              f a1 .. an -- r
//  CALL_KW n           f a1 .. an -- r    extra word: consts index of the tuple of names of the last args
//  CALL_METHOD n       m s a1 .. an -- r  as LOAD_METHOD left them: s null: call m(a1 ..); else m(s, a1 ..)
//  CALL_METHOD_KW n    the same with keyword names in the extra word
//  CALL_EX f           f args [kwargs] -- r       args: a tuple; f & 1: kwargs dict present (owned by this call alone)
//  RETURN_VALUE        v --               leaves the frame
//  RETURN_CONST c      --                 returns consts[c]
//  MAKE_FUNCTION f     [defaults] [kwdefaults] [annotations] [closure] code -- function
//                      f & 1: tuple of positional defaults; & 2: dict of keyword-only defaults; & 4: tuple of name, annotation,
//                      name, annotation ...; & 8: tuple of cells
//  LOAD_BUILD_CLASS    -- callable        called as callable(body_function, name, *bases, **keywords). The body stores
//                      __module__, __qualname__, __doc__; if methods use super() or __class__ it stores the cell as
//                      `__classcell__` in the namespace: build_class removes the entry and puts the new class into the cell
// -- Generators
//  YIELD_VALUE         v -- sent
//  GET_YIELD_FROM_ITER o -- it            a generator stays itself, else iter(o)
//  YIELD_FROM          it v -- result     sends v (None: next) to it. It yields: suspend with that value, `it` on the stack, pc at
//                      this word again (a resume pushes the sent value). It finishes: pop it, push StopIteration.value
// -- Coroutines
//  GET_AWAITABLE w     o -- it            a coroutine stays itself, else o.__await__(); w = 1, 2: o came from __aenter__, __aexit__
//  GET_AITER           o -- o.__aiter__()
//  GET_ANEXT           aiter -- aiter it  it = the awaitable of aiter.__anext__()
//  END_ASYNC_FOR       aiter exc --       raises exc again unless it is a StopAsyncIteration
//  BEFORE_ASYNC_WITH   m -- exit r        as BEFORE_WITH with __aenter__ and __aexit__; r is to be awaited
// -- Exceptions
//  RAISE n             n = 0: bare raise (RuntimeError "No active exception to reraise"); 1: exc --; 2: exc cause --
//  RERAISE             exc --             see above
//  PUSH_EXC_INFO       exc -- prev exc
//  POP_EXCEPT          prev --
//  CHECK_EXC_MATCH     exc type -- exc bool       type a class or a (nested) tuple; TypeError "catching classes that do not inherit
//                      from BaseException is not allowed"
//  LOAD_ASSERTION_ERROR    -- AssertionError      the builtin, whatever the name means now
//  BEFORE_WITH         m -- exit r        looks up __enter__ and __exit__ on the type (TypeError "'X' object does not support the
//                      context manager protocol"), exit = bound __exit__, r = __enter__()
//  WITH_EXCEPT_START   exit prev exc -- exit prev exc r           r = exit(type(exc), exc, exc.__traceback__)
// -- Imports, annotations
//  IMPORT_NAME n       level fromlist -- module   names[n] is dotted; fromlist None: the top module, else the innermost
//  IMPORT_FROM n       module -- module attr      ImportError "cannot import name .."
//  SETUP_ANNOTATIONS   --                 makes __annotations__ (a dict) in the namespace if missing
// -- Superinstructions: the assembler fuses neighbours (never across a jump target or an exception range boundary).
//  LOAD_FAST_LOAD_FAST  a|b        -- slot[a] slot[b]             both known to be bound
//  STORE_FAST_LOAD_FAST a|b        v -- slot[b]                   store a, then load b (known to be bound)
//  STORE_FAST_STORE_FAST a|b       w v --                         slot[a] = v, then slot[b] = w
//  LOAD_FAST_LOAD_ATTR  s          -- slot[s].names[extra]        not emitted at present
//  BINARY_ADD_INT i, BINARY_SUB_INT i, INPLACE_ADD_INT i, INPLACE_SUB_INT i   a -- a op i
//  COMPARE_xx_JUMP: not an opcode; the interpreter may look ahead for POP_JUMP_IF_FALSE after a comparison.
// clang-format off
#define TIDEPOOL_OPCODES(V)                                             \
  V(Nop,               NOP,                   kNone,     kNone)         \
  V(PopTop,            POP_TOP,               kNone,     kNone)         \
  V(Copy,              COPY,                  kCount,    kNone)         \
  V(Swap,              SWAP,                  kCount,    kNone)         \
  V(PushNull,          PUSH_NULL,             kNone,     kNone)         \
  V(LoadConst,         LOAD_CONST,            kConst,    kNone)         \
  V(LoadNone,          LOAD_NONE,             kNone,     kNone)         \
  V(LoadTrue,          LOAD_TRUE,             kNone,     kNone)         \
  V(LoadFalse,         LOAD_FALSE,            kNone,     kNone)         \
  V(LoadInt,           LOAD_INT,              kInt,      kNone)         \
  V(LoadFast,          LOAD_FAST,             kSlot,     kNone)         \
  V(LoadFastCheck,     LOAD_FAST_CHECK,       kSlot,     kNone)         \
  V(StoreFast,         STORE_FAST,            kSlot,     kNone)         \
  V(DeleteFast,        DELETE_FAST,           kSlot,     kNone)         \
  V(ClearFast,         CLEAR_FAST,            kSlot,     kNone)         \
  V(MakeCell,          MAKE_CELL,             kSlot,     kNone)         \
  V(CopyFreeVars,      COPY_FREE_VARS,        kCount,    kNone)         \
  V(LoadClosure,       LOAD_CLOSURE,          kSlot,     kNone)         \
  V(LoadDeref,         LOAD_DEREF,            kSlot,     kNone)         \
  V(LoadClassDeref,    LOAD_CLASSDEREF,       kSlot,     kNone)         \
  V(StoreDeref,        STORE_DEREF,           kSlot,     kNone)         \
  V(DeleteDeref,       DELETE_DEREF,          kSlot,     kNone)         \
  V(LoadGlobal,        LOAD_GLOBAL,           kName,     kCache)        \
  V(StoreGlobal,       STORE_GLOBAL,          kName,     kNone)         \
  V(DeleteGlobal,      DELETE_GLOBAL,         kName,     kNone)         \
  V(LoadName,          LOAD_NAME,             kName,     kNone)         \
  V(StoreName,         STORE_NAME,            kName,     kNone)         \
  V(DeleteName,        DELETE_NAME,           kName,     kNone)         \
  V(LoadAttr,          LOAD_ATTR,             kName,     kCache)        \
  V(StoreAttr,         STORE_ATTR,            kName,     kCache)        \
  V(DeleteAttr,        DELETE_ATTR,           kName,     kNone)         \
  V(LoadMethod,        LOAD_METHOD,           kName,     kCache)        \
  V(BinarySubscr,      BINARY_SUBSCR,         kNone,     kNone)         \
  V(StoreSubscr,       STORE_SUBSCR,          kNone,     kNone)         \
  V(DeleteSubscr,      DELETE_SUBSCR,         kNone,     kNone)         \
  V(BinarySlice,       BINARY_SLICE,          kNone,     kNone)         \
  V(StoreSlice,        STORE_SLICE,           kNone,     kNone)         \
  V(UnaryNegative,     UNARY_NEGATIVE,        kNone,     kNone)         \
  V(UnaryPositive,     UNARY_POSITIVE,        kNone,     kNone)         \
  V(UnaryInvert,       UNARY_INVERT,          kNone,     kNone)         \
  V(UnaryNot,          UNARY_NOT,             kNone,     kNone)         \
  V(BinaryAdd,         BINARY_ADD,            kNone,     kNone)         \
  V(BinarySub,         BINARY_SUB,            kNone,     kNone)         \
  V(BinaryMul,         BINARY_MUL,            kNone,     kNone)         \
  V(BinaryOp,          BINARY_OP,             kBinary,   kNone)         \
  V(InplaceAdd,        INPLACE_ADD,           kNone,     kNone)         \
  V(InplaceSub,        INPLACE_SUB,           kNone,     kNone)         \
  V(InplaceOp,         INPLACE_OP,            kBinary,   kNone)         \
  V(CompareLt,         COMPARE_LT,            kNone,     kNone)         \
  V(CompareLe,         COMPARE_LE,            kNone,     kNone)         \
  V(CompareEq,         COMPARE_EQ,            kNone,     kNone)         \
  V(CompareNe,         COMPARE_NE,            kNone,     kNone)         \
  V(CompareGt,         COMPARE_GT,            kNone,     kNone)         \
  V(CompareGe,         COMPARE_GE,            kNone,     kNone)         \
  V(IsOp,              IS_OP,                 kNone,     kNone)         \
  V(IsNotOp,           IS_NOT_OP,             kNone,     kNone)         \
  V(ContainsOp,        CONTAINS_OP,           kNone,     kNone)         \
  V(NotContainsOp,     NOT_CONTAINS_OP,       kNone,     kNone)         \
  V(Jump,              JUMP,                  kForward,  kNone)         \
  V(JumpBack,          JUMP_BACK,             kBack,     kNone)         \
  V(PopJumpIfFalse,    POP_JUMP_IF_FALSE,     kForward,  kNone)         \
  V(PopJumpIfTrue,     POP_JUMP_IF_TRUE,      kForward,  kNone)         \
  V(PopJumpIfNone,     POP_JUMP_IF_NONE,      kForward,  kNone)         \
  V(PopJumpIfNotNone,  POP_JUMP_IF_NOT_NONE,  kForward,  kNone)         \
  V(PopJumpBackIfTrue, POP_JUMP_BACK_IF_TRUE, kBack,     kNone)         \
  V(PopJumpBackIfFalse, POP_JUMP_BACK_IF_FALSE, kBack,   kNone)         \
  V(JumpIfFalseOrPop,  JUMP_IF_FALSE_OR_POP,  kForward,  kNone)         \
  V(JumpIfTrueOrPop,   JUMP_IF_TRUE_OR_POP,   kForward,  kNone)         \
  V(GetIter,           GET_ITER,              kNone,     kNone)         \
  V(ForIter,           FOR_ITER,              kForward,  kNone)         \
  V(BuildTuple,        BUILD_TUPLE,           kCount,    kNone)         \
  V(BuildList,         BUILD_LIST,            kCount,    kNone)         \
  V(BuildSet,          BUILD_SET,             kCount,    kNone)         \
  V(BuildMap,          BUILD_MAP,             kCount,    kNone)         \
  V(BuildConstKeyMap,  BUILD_CONST_KEY_MAP,   kCount,    kNone)         \
  V(BuildSlice,        BUILD_SLICE,           kCount,    kNone)         \
  V(BuildString,       BUILD_STRING,          kCount,    kNone)         \
  V(FormatValue,       FORMAT_VALUE,          kFlags,    kNone)         \
  V(ListAppend,        LIST_APPEND,           kCount,    kNone)         \
  V(SetAdd,            SET_ADD,               kCount,    kNone)         \
  V(MapAdd,            MAP_ADD,               kCount,    kNone)         \
  V(ListExtend,        LIST_EXTEND,           kCount,    kNone)         \
  V(SetUpdate,         SET_UPDATE,            kCount,    kNone)         \
  V(DictUpdate,        DICT_UPDATE,           kCount,    kNone)         \
  V(DictMerge,         DICT_MERGE,            kCount,    kNone)         \
  V(ListToTuple,       LIST_TO_TUPLE,         kNone,     kNone)         \
  V(UnpackSequence,    UNPACK_SEQUENCE,       kCount,    kNone)         \
  V(UnpackEx,          UNPACK_EX,             kPair,     kNone)         \
  V(Call,              CALL,                  kCount,    kNone)         \
  V(CallKw,            CALL_KW,               kCount,    kConst)        \
  V(CallMethod,        CALL_METHOD,           kCount,    kNone)         \
  V(CallMethodKw,      CALL_METHOD_KW,        kCount,    kConst)        \
  V(CallEx,            CALL_EX,               kFlags,    kNone)         \
  V(ReturnValue,       RETURN_VALUE,          kNone,     kNone)         \
  V(ReturnConst,       RETURN_CONST,          kConst,    kNone)         \
  V(MakeFunction,      MAKE_FUNCTION,         kFlags,    kNone)         \
  V(LoadBuildClass,    LOAD_BUILD_CLASS,      kNone,     kNone)         \
  V(YieldValue,        YIELD_VALUE,           kNone,     kNone)         \
  V(GetYieldFromIter,  GET_YIELD_FROM_ITER,   kNone,     kNone)         \
  V(YieldFrom,         YIELD_FROM,            kNone,     kNone)         \
  V(GetAwaitable,      GET_AWAITABLE,         kFlags,    kNone)         \
  V(GetAiter,          GET_AITER,             kNone,     kNone)         \
  V(GetAnext,          GET_ANEXT,             kNone,     kNone)         \
  V(EndAsyncFor,       END_ASYNC_FOR,         kNone,     kNone)         \
  V(BeforeAsyncWith,   BEFORE_ASYNC_WITH,     kNone,     kNone)         \
  V(Raise,             RAISE,                 kCount,    kNone)         \
  V(Reraise,           RERAISE,               kNone,     kNone)         \
  V(PushExcInfo,       PUSH_EXC_INFO,         kNone,     kNone)         \
  V(PopExcept,         POP_EXCEPT,            kNone,     kNone)         \
  V(CheckExcMatch,     CHECK_EXC_MATCH,       kNone,     kNone)         \
  V(LoadAssertionError, LOAD_ASSERTION_ERROR, kNone,     kNone)         \
  V(BeforeWith,        BEFORE_WITH,           kNone,     kNone)         \
  V(WithExceptStart,   WITH_EXCEPT_START,     kNone,     kNone)         \
  V(ImportName,        IMPORT_NAME,           kName,     kNone)         \
  V(ImportFrom,        IMPORT_FROM,           kName,     kNone)         \
  V(SetupAnnotations,  SETUP_ANNOTATIONS,     kNone,     kNone)         \
  V(LoadFastLoadFast,  LOAD_FAST_LOAD_FAST,   kSlotPair, kNone)         \
  V(StoreFastLoadFast, STORE_FAST_LOAD_FAST,  kSlotPair, kNone)         \
  V(StoreFastStoreFast, STORE_FAST_STORE_FAST, kSlotPair, kNone)        \
  V(BinaryAddInt,      BINARY_ADD_INT,        kInt,      kNone)         \
  V(BinarySubInt,      BINARY_SUB_INT,        kInt,      kNone)         \
  V(InplaceAddInt,     INPLACE_ADD_INT,       kInt,      kNone)         \
  V(InplaceSubInt,     INPLACE_SUB_INT,       kInt,      kNone)
// clang-format on

enum class Op : uint8_t {
#define V(name, dump, arg, extra) k##name,
  TIDEPOOL_OPCODES(V)
#undef V
};

#define V(name, dump, arg, extra) +1
inline constexpr int kNumOpcodes = 0 TIDEPOOL_OPCODES(V);
#undef V
inline constexpr int kFirstFreeOpcode = 160;
static_assert(kNumOpcodes <= kFirstFreeOpcode);

struct OpInfo {
  const char* name;
  ArgKind arg;
  ExtraWord extra;
};
extern const OpInfo kOpInfo[kNumOpcodes];

// Decoding. Int args are signed.
inline constexpr Op OpOf(uint32_t word) { return static_cast<Op>(word & 0xff); }
inline constexpr uint32_t ArgOf(uint32_t word) { return word >> 8; }
inline constexpr int32_t IntArgOf(uint32_t word) { return static_cast<int32_t>(word) >> 8; }
inline constexpr uint32_t PairFirst(uint32_t arg) { return arg & 0xfff; }
inline constexpr uint32_t PairSecond(uint32_t arg) { return arg >> 12; }
inline constexpr uint32_t kMaxArg = 0xffffff;
// Words of an instruction with its extra word.
inline int OpWords(Op op) { return kOpInfo[static_cast<int>(op)].extra == ExtraWord::kNone ? 1 : 2; }

// Change of the stack depth by an instruction; `jumped` chooses the taken branch of a jump.
int StackEffect(Op op, uint32_t arg, bool jumped);

struct CodeUnit;

// A constant. Text is UTF-8; lone surrogates (from "\ud800") are encoded as three bytes.
struct Const {
  enum class Kind : uint8_t { kNone, kTrue, kFalse, kEllipsis, kInt, kBigInt, kFloat, kStr, kBytes, kTuple, kFrozenSet, kCode };
  Kind kind = Kind::kNone;
  bool negative = false;           // kBigInt
  int64_t i = 0;                   // kInt
  double d = 0;                    // kFloat
  std::string s;                   // kStr, kBytes
  std::vector<uint32_t> limbs;     // kBigInt: magnitude, least significant first, does not fit an int64
  std::vector<Const> items;        // kTuple, kFrozenSet
  std::shared_ptr<CodeUnit> code;  // kCode
};

enum class SlotKind : uint8_t { kLocal, kParamCell, kCell, kFree };
struct SlotInfo {
  std::string name;  // comprehensions' and other hidden slots have a name that starts with '.'
  SlotKind kind;
};

struct ExceptionEntry {
  uint32_t start, end;  // words
  uint32_t handler;     // word
  uint32_t depth;       // values kept on the stack
};

// Source range of an instruction. Lines count from 1, columns are UTF-8 byte offsets from 0 (end exclusive).
// line 0: no position (artificial code).
struct Position {
  uint32_t line = 0, end_line = 0, col = 0, end_col = 0;
};
// Positions as runs: entry i holds for words [start_i, start_{i+1}).
struct PositionEntry {
  uint32_t start;
  Position pos;
};

enum CodeFlags : uint32_t {
  kVarArgs = 1,        // has *args
  kVarKeywords = 2,    // has **kwargs
  kGenerator = 4,      // calling makes a generator
  kClassBody = 8,      // names live in a namespace mapping
  kModule = 16,        // top level
  kNested = 32,        // defined inside a function
  kCoroutine = 128,    // with kGenerator: calling makes a coroutine
  kAsyncGenerator = 256,  // with kGenerator: calling makes an asynchronous generator
  kComprehension = 64, // the hidden function of a comprehension or generator expression; its one argument is named ".0"
};

struct CodeUnit {
  std::string name;      // "f", "<module>", "<lambda>", "<listcomp>", "<genexpr>", ...
  std::string qualname;  // "C.f.<locals>.g"
  std::string filename;
  uint32_t first_line = 1;
  uint32_t flags = 0;
  uint32_t argcount = 0;         // positional parameters, with the positional-only ones
  uint32_t posonlyargcount = 0;
  uint32_t kwonlyargcount = 0;
  uint32_t num_slots = 0;        // == slots.size()
  uint32_t num_free = 0;         // the last num_free slots are free variables
  uint32_t stack_size = 0;       // maximum depth of the value stack
  uint32_t num_caches = 0;
  int32_t doc_const = -1;        // index of the docstring in consts, or -1
  std::vector<uint32_t> code;
  std::vector<Const> consts;
  std::vector<std::string> names;  // attributes, globals, modules; private names are already mangled
  std::vector<SlotInfo> slots;
  std::vector<ExceptionEntry> exception_table;
  std::vector<PositionEntry> positions;

  // Position of the instruction whose first word is `word`.
  Position PositionAt(uint32_t word) const;
  // Innermost handler for `word`, or null.
  const ExceptionEntry* FindHandler(uint32_t word) const;
};

// Text of the code and of all code units inside it, for tests and debugging.
std::string Disassemble(const CodeUnit& unit);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_BYTECODE_H_
