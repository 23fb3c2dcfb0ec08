// What the files of the str type share among themselves: methods by file.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_STR_INTERNAL_H_
#define TIDEPOOL_RUNTIME_OBJECTS_STR_INTERNAL_H_

#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/call.h"

namespace tidepool::rt {

// str.cc: takes a mortal interned string out of the table.
void DestroyStr(Context& cx, Object* o);

// str_split.cc
// FindText and RFindText in texts of objects: what is near is looked for at once, what is far aside.
size_t FindAside(Context& cx, TextView text, TextView needle);
size_t RFindAside(Context& cx, TextView text, TextView needle);
Ref StrJoinMethod(Context& cx, Value self, const Args& args);
Ref StrSplitMethod(Context& cx, Value self, const Args& args);
Ref StrRSplitMethod(Context& cx, Value self, const Args& args);
Ref StrSplitLines(Context& cx, Value self, const Args& args);
Ref StrPartition(Context& cx, Value self, const Args& args);
Ref StrRPartition(Context& cx, Value self, const Args& args);
Ref StrStrip(Context& cx, Value self, const Args& args);
Ref StrLStrip(Context& cx, Value self, const Args& args);
Ref StrRStrip(Context& cx, Value self, const Args& args);

// str_case.cc
Ref StrUpper(Context& cx, Value self, const Args& args);
Ref StrLower(Context& cx, Value self, const Args& args);
Ref StrTitle(Context& cx, Value self, const Args& args);
Ref StrCapitalize(Context& cx, Value self, const Args& args);
Ref StrSwapCase(Context& cx, Value self, const Args& args);
Ref StrCaseFold(Context& cx, Value self, const Args& args);
Ref StrIsAlpha(Context& cx, Value self, const Args& args);
Ref StrIsAlnum(Context& cx, Value self, const Args& args);
Ref StrIsAscii(Context& cx, Value self, const Args& args);
Ref StrIsDecimal(Context& cx, Value self, const Args& args);
Ref StrIsDigit(Context& cx, Value self, const Args& args);
Ref StrIsNumeric(Context& cx, Value self, const Args& args);
Ref StrIsSpace(Context& cx, Value self, const Args& args);
Ref StrIsPrintable(Context& cx, Value self, const Args& args);
Ref StrIsIdentifier(Context& cx, Value self, const Args& args);
Ref StrIsUpper(Context& cx, Value self, const Args& args);
Ref StrIsLower(Context& cx, Value self, const Args& args);
Ref StrIsTitle(Context& cx, Value self, const Args& args);
Ref StrTranslate(Context& cx, Value self, const Args& args);
Ref StrMakeTrans(Context& cx, Value self, const Args& args);

// The 256 one-character strings of Latin-1, immortal and interned.
Str* const* SharedChars(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_STR_INTERNAL_H_
