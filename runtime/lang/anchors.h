// Where in a failing expression the operator is: the part that a traceback underlines with ^ instead of ~.
#ifndef TIDEPOOL_RUNTIME_LANG_ANCHORS_H_
#define TIDEPOOL_RUNTIME_LANG_ANCHORS_H_

#include <cstdint>
#include <string_view>

namespace tidepool::rt::lang {

// `segment` is the source text of one expression on one line. If it is a binary operation, [*start, *end) are the bytes of its
// operator, if a subscript, those of its brackets. False otherwise.
bool FindOperator(std::string_view segment, uint32_t* start, uint32_t* end);

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_ANCHORS_H_
