// Text formatting of values: format(), str.format, % and the spec engine of format_spec.h over objects.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_FORMAT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_FORMAT_H_

#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

// format(v, spec) of the builtin kinds int, bool, float and str (also for instances of subclasses); spec may be null.
Ref FormatSpecOf(Context& cx, Value v, Str* spec);
// text % args.
Ref FormatPercent(Context& cx, Str* text, Value args);
// ascii(v): repr with everything beyond ASCII escaped.
Ref AsciiRepr(Context& cx, Value v);
// text.format(...), or with a mapping text.format_map(mapping).
Ref FormatBraces(Context& cx, Str* text, const Args& args, Value mapping = Value());

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_FORMAT_H_
