// The format-spec mini language: [[fill]align][sign][z][#][0][width][,_][.precision][type].
//
// What it is: a parser and three writers (integers from their digits, floats, text), as format(),
// str.format and f-strings need them. Plain C++; error texts are CPython's.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_FORMAT_SPEC_H_
#define TIDEPOOL_RUNTIME_OBJECTS_FORMAT_SPEC_H_

#include <cstdint>

#include "tidepool/runtime/objects/text.h"

namespace tidepool::rt {

struct FormatSpec {
  char32_t fill = ' ';
  char align = 0;         // < > = ^; 0 as given by the default
  bool align_given = false;
  char sign = 0;          // + - space, 0 not given
  bool no_negative_zero = false;
  bool alternate = false;
  int64_t width = -1;
  char grouping = 0;      // ',' or '_'
  int64_t precision = -1;
  char32_t type = 0;      // 0: not given
};

struct FormatError {
  enum Kind { kNone, kValue, kMemory } kind = kNone;
  char message[200] = {0};  // UTF-8
};

// Parses `text` with the default alignment of the type. False: *error is set.
bool ParseFormatSpec(TextView text, const char* type_name, char default_align, char default_type, FormatSpec* spec,
                     FormatError* error);
void UnknownFormatCode(const FormatSpec& spec, const char* type_name, FormatError* error);

// An integer given by its digits in the base of spec.type (b o x X d n or none). False: *error is set.
bool CheckIntSpec(const FormatSpec& spec, const char* type_name, FormatError* error);
bool FormatIntDigits(const FormatSpec& spec, bool negative, const char* digits, size_t count, TextBuffer* out,
                     FormatError* error);
// Code c: the character.
bool FormatCharSpec(const FormatSpec& spec, char32_t c, TextBuffer* out, FormatError* error);
// type_name for messages: float, or int when an integer is formatted with a float code.
bool FormatFloatSpec(const FormatSpec& spec, double value, const char* type_name, TextBuffer* out, FormatError* error);
bool FormatTextSpec(const FormatSpec& spec, TextView text, TextBuffer* out, FormatError* error);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_FORMAT_SPEC_H_
