// Checks that a CodeUnit keeps the promises of bytecode.h: the fuzz target and the tests call it on all that compiles.
#ifndef TIDEPOOL_RUNTIME_LANG_VERIFY_H_
#define TIDEPOOL_RUNTIME_LANG_VERIFY_H_

#include <string>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

// Walks all paths of the code and of the units inside it. Empty: every instruction and argument is in range, jumps and handlers
// reach instructions, all paths to an instruction agree on the stack depth, it never leaves [0, stack_size], control never
// runs off the end, and LOAD_FAST reads only slots that are bound on every path. Else: what is wrong.
std::string Verify(const CodeUnit& unit);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_VERIFY_H_
