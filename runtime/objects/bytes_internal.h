// What the files of bytes, bytearray and memoryview share among themselves.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_BYTES_INTERNAL_H_
#define TIDEPOOL_RUNTIME_OBJECTS_BYTES_INTERNAL_H_

#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/text.h"
#include "tidepool/runtime/vm/call.h"

namespace tidepool::rt {

// A new object of the kind of `like` (bytes or bytearray).
Ref NewBytesLike(Context& cx, Value like, std::string_view s);
// A bytearray escapes every single quote.
void AppendBytesRepr(std::string_view s, TextBuffer* out, bool escape_single = false);
// Keeps the buffer of a bytearray in place (nothing for bytes).
void ExportBuffer(Context& cx, Value base);
void UnexportBuffer(Context& cx, Value base);
// An exported reference to the base of a view; ValueError if it is released.
bool OpenMemoryView(Context& cx, MemoryView* m, Ref* base);
// `what`: how the message calls it.
bool ToByte(Context& cx, Value v, unsigned char* out, const char* what = "byte");
// The bytes that bytes(...) or bytearray(...) would hold.
Ref BytesFromArgs(Context& cx, const char* name, const Args& args);
// Methods that bytes and bytearray have in common; n of them.
extern const MethodDef kBytesMethods[];
extern const size_t kBytesMethodCount;
// bytes_text.cc
extern const MethodDef kBytesTextMethods[];
extern const size_t kBytesTextMethodCount;
Ref BytesPercent(Context& cx, Value self, Value args);
void SetBytesSlots(TypeSlots& slots);
// bytearray.cc
bool InitByteArrayType(Context& cx);
// memoryview.cc
bool InitMemoryViewType(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_BYTES_INTERNAL_H_
