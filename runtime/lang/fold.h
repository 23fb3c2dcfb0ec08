// Constant folding of operators, done by the parser while it builds the tree.
//
// Only what cannot fail and cannot surprise: integers whose result fits 64 bits, floats without special cases, short
// strings. Everything else is left to run time, errors included.
#ifndef TIDEPOOL_RUNTIME_LANG_FOLD_H_
#define TIDEPOOL_RUNTIME_LANG_FOLD_H_

#include "tidepool/runtime/lang/ast.h"

namespace tidepool::rt::lang {

bool FoldUnary(UnaryKind op, const Const& value, Const* result);
bool FoldBinary(BinaryKind op, const Const& left, const Const& right, Const* result);

// Truth of a constant: 1, 0, or -1 if the expression is no constant.
int ConstantTruth(const Expr* e);

// The constant of an expression that is one, or a tuple (of tuples) of constants.
bool ConstantValue(const Expr* e, Const* result);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_FOLD_H_
