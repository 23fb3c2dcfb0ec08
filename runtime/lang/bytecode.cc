// Tables of the instruction set: names, stack effects; look-ups in a CodeUnit.
#include "tidepool/runtime/lang/bytecode.h"

#include <algorithm>
#include <bit>

namespace tidepool::rt::lang {

const OpInfo kOpInfo[kNumOpcodes] = {
#define V(name, dump, arg, extra) {#dump, ArgKind::arg, ExtraWord::extra},
    TIDEPOOL_OPCODES(V)
#undef V
};

int StackEffect(Op op, uint32_t arg, bool jumped) {
  int n = static_cast<int>(arg);
  switch (op) {
    case Op::kNop: case Op::kSwap: case Op::kDeleteFast: case Op::kClearFast: case Op::kMakeCell: case Op::kCopyFreeVars:
    case Op::kDeleteDeref: case Op::kDeleteGlobal: case Op::kDeleteName: case Op::kLoadAttr: case Op::kUnaryNegative:
    case Op::kUnaryPositive: case Op::kUnaryInvert: case Op::kUnaryNot: case Op::kJump: case Op::kJumpBack: case Op::kGetIter:
    case Op::kListToTuple: case Op::kYieldValue: case Op::kGetYieldFromIter: case Op::kGetAwaitable: case Op::kGetAiter: case Op::kCheckExcMatch: case Op::kSetupAnnotations:
    case Op::kBinaryAddInt: case Op::kBinarySubInt: case Op::kInplaceAddInt: case Op::kInplaceSubInt: case Op::kStoreFastLoadFast:
    case Op::kReturnConst: return 0;
    case Op::kCopy: case Op::kPushNull: case Op::kLoadConst: case Op::kLoadNone: case Op::kLoadTrue: case Op::kLoadFalse:
    case Op::kLoadInt: case Op::kLoadFast: case Op::kLoadFastCheck: case Op::kLoadClosure: case Op::kLoadDeref:
    case Op::kLoadClassDeref: case Op::kLoadGlobal: case Op::kLoadName: case Op::kLoadMethod: case Op::kLoadBuildClass:
    case Op::kPushExcInfo: case Op::kLoadAssertionError: case Op::kBeforeWith: case Op::kBeforeAsyncWith: case Op::kGetAnext: case Op::kWithExceptStart: case Op::kImportFrom: return 1;
    case Op::kLoadFastLoadFast: return 2;
    case Op::kPopTop: case Op::kStoreFast: case Op::kStoreDeref: case Op::kStoreGlobal: case Op::kStoreName: case Op::kDeleteAttr:
    case Op::kBinarySubscr: case Op::kBinaryAdd: case Op::kBinarySub: case Op::kBinaryMul: case Op::kBinaryOp: case Op::kInplaceAdd:
    case Op::kInplaceSub: case Op::kInplaceOp: case Op::kCompareLt: case Op::kCompareLe: case Op::kCompareEq: case Op::kCompareNe:
    case Op::kCompareGt: case Op::kCompareGe: case Op::kIsOp: case Op::kIsNotOp: case Op::kContainsOp: case Op::kNotContainsOp:
    case Op::kPopJumpIfFalse: case Op::kPopJumpIfTrue: case Op::kPopJumpIfNone: case Op::kPopJumpIfNotNone:
    case Op::kPopJumpBackIfTrue: case Op::kPopJumpBackIfFalse: case Op::kListAppend: case Op::kSetAdd: case Op::kListExtend:
    case Op::kSetUpdate: case Op::kDictUpdate: case Op::kDictMerge: case Op::kReturnValue: case Op::kYieldFrom: case Op::kReraise:
    case Op::kPopExcept: case Op::kImportName: return -1;
    case Op::kStoreAttr: case Op::kDeleteSubscr: case Op::kBinarySlice: case Op::kMapAdd: case Op::kStoreFastStoreFast: case Op::kEndAsyncFor: return -2;
    case Op::kStoreSubscr: return -3;
    case Op::kStoreSlice: return -4;
    case Op::kJumpIfFalseOrPop: case Op::kJumpIfTrueOrPop: return jumped ? 0 : -1;
    case Op::kForIter: return jumped ? -1 : 1;
    case Op::kBuildTuple: case Op::kBuildList: case Op::kBuildSet: case Op::kBuildSlice: case Op::kBuildString: return 1 - n;
    case Op::kBuildMap: return 1 - 2 * n;
    case Op::kBuildConstKeyMap: return -n;
    case Op::kFormatValue: return (arg & 4) != 0 ? -1 : 0;
    case Op::kUnpackSequence: return n - 1;
    case Op::kUnpackEx: return static_cast<int>(PairFirst(arg) + PairSecond(arg));
    case Op::kCall: case Op::kCallKw: return -n;
    case Op::kCallMethod: case Op::kCallMethodKw: return -n - 1;
    case Op::kCallEx: return (arg & 1) != 0 ? -2 : -1;
    case Op::kMakeFunction: return -std::popcount(arg & 15);
    case Op::kRaise: return -n;
  }
  return 0;
}

Position CodeUnit::PositionAt(uint32_t word) const {
  auto it = std::upper_bound(positions.begin(), positions.end(), word, [](uint32_t w, const PositionEntry& e) { return w < e.start; });
  if (it != positions.begin()) return (it - 1)->pos;
  // At the entry, before the first instruction that stands for something in the text: the definition's line.
  Position entry{};
  entry.line = entry.end_line = first_line;
  return entry;
}

const ExceptionEntry* CodeUnit::FindHandler(uint32_t word) const {
  auto it = std::upper_bound(exception_table.begin(), exception_table.end(), word,
                             [](uint32_t w, const ExceptionEntry& e) { return w < e.start; });
  if (it == exception_table.begin()) return nullptr;
  --it;
  return word < it->end ? &*it : nullptr;
}

}  // namespace tidepool::rt::lang
