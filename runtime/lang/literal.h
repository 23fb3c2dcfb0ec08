// Numbers and the escapes of string literals.
#ifndef TIDEPOOL_RUNTIME_LANG_LITERAL_H_
#define TIDEPOOL_RUNTIME_LANG_LITERAL_H_

#include <string>
#include <string_view>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

// The value of a number token (which the lexer has checked). False: *error is a message.
bool ParseNumber(std::string_view text, Const* value, std::string* error);

// Appends the decoded form of the inside of a literal. raw: no escapes; bytes: ASCII only, \x makes a byte.
// False: *error is a message.
bool DecodeString(std::string_view body, bool raw, bool bytes, std::string* out, std::string* error);

// Negates an integer or float constant.
Const Negated(const Const& value);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_LITERAL_H_
