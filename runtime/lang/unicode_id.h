// The little Unicode that the lexer needs: UTF-8 and which characters may be part of a name.
//
// Identifiers are compared as written: no NFKC normalisation.
#ifndef TIDEPOOL_RUNTIME_LANG_UNICODE_ID_H_
#define TIDEPOOL_RUNTIME_LANG_UNICODE_ID_H_

#include <cstdint>
#include <string>

namespace tidepool::rt::lang {

bool IsIdStart(uint32_t c);
bool IsIdContinue(uint32_t c);
// Controls, separators other than the space, private use: shown as U+XXXX in messages.
bool IsUnprintable(uint32_t c);

// The character at p (p < end); *length = its bytes, or 0 if the bytes are not strict UTF-8.
uint32_t DecodeUtf8(const char* p, const char* end, int* length);
// Also takes surrogates (three bytes).
void AppendUtf8(uint32_t c, std::string* out);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_UNICODE_ID_H_
