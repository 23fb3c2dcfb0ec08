// The prompt: World::RunInteractive.
//
// A statement is compiled when it is whole (lang::Look) and runs in the dict of __main__.  What an expression statement
// gives goes to __displayhook__, which prints its repr and keeps it as `_`.  An exception is printed and forgotten, also
// KeyboardInterrupt, which drops what was typed so far; SystemExit ends the session.
#include <unistd.h>

#include <string>

#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/code.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/function.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/line_reader.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/runtime.h"
#include "tidepool/runtime/vm/signals.h"
#include "tidepool/runtime/vm/thread.h"
#include "tidepool/runtime/vm/traceback.h"

namespace tidepool::rt {
namespace {

Ref Builtin(Context& cx, const char* name) {
  Str* key = Intern(cx, name);
  Ref found;
  if (key != nullptr) DictGetStr(cx, cx.rt.builtins, key, &found);
  return found;
}

bool SetBuiltin(Context& cx, const char* name, Ref value) {
  Str* key = Intern(cx, name);
  return value && key != nullptr && DictSetStr(cx, cx.rt.builtins, key, value);
}

Ref DisplayHook(Context& cx, Value, const Args& args) {
  if (args[0] == cx.None()) return cx.NoneRef();
  // While it is printed, the one before is not kept for its sake.
  if (!SetBuiltin(cx, "_", cx.NoneRef())) return Ref();
  Ref text;
  for (const char* name : {"exit", "quit"}) {
    Ref function = Builtin(cx, name);
    if (function && function.get() == args[0]) text = NewStr(cx, std::string("Use ") + name + "() or Ctrl-D (i.e. EOF) to exit");
  }
  if (!text && !cx.has_exception()) text = Repr(cx, args[0]);
  Ref print = Builtin(cx, "print");
  if (!text || !print || !Call(cx, print, text) || !SetBuiltin(cx, "_", Ref::New(args[0]))) return Ref();
  return cx.NoneRef();
}

const MethodDef kDisplayHook = {"__displayhook__", DisplayHook, 1, 1};

// False: an exception is pending.
bool RunTyped(Context& cx, const std::string& text, Dict* globals) {
  lang::CompileOptions options;
  options.interactive = true;
  Code* code = CompileSource(cx, text, "<stdin>", options);
  return code != nullptr && RunModuleCode(cx, code, globals);
}

LineReader::Result ReadLine(Context& cx, LineReader& reader, const char* prompt, std::string* line) {
  FlushStandardStreams(cx);
  BlockingScope detached(cx.ts);
  return reader.Read(prompt, line);
}

}  // namespace

int World::RunInteractive(LineReader& reader) {
  Context& cx = *cx_;
  AloneAgain(cx);
  Ref main = MakeMain(nullptr);
  Ref name = NewStr(cx, "builtins");
  if (!main || !SetBuiltin(cx, "__displayhook__", NewNativeFunction(cx, &kDisplayHook, Value(), name))) return Report();
  Dict* globals = ModuleDict(main.as<Module>());
  std::string typed, line;
  for (;;) {
    const LineReader::Result got = ReadLine(cx, reader, typed.empty() ? ">>> " : "... ", &line);
    bool ok = true;
    if (got == LineReader::Result::kInterrupted) {
      typed.clear();
      WriteStderr(cx, "\n");
      ok = CheckSignals(cx);
    } else if (got == LineReader::Result::kLine) {
      if (typed.empty() && line.find_first_not_of(" \t\r\n\f") == std::string::npos) continue;
      typed += line;
      if (lang::Look(typed) == lang::Typed::kMore) continue;
    } else {
      WriteStderr(cx, "\n");
      if (typed.empty()) return 0;
    }
    if (ok && !typed.empty()) {
      std::string text;
      text.swap(typed);
      ok = RunTyped(cx, text, globals);
    }
    if (ok) continue;
    if (PendingIs(cx, cx.rt.exc.SystemExit)) return Report();
    if (got == LineReader::Result::kInterrupted) {
      cx.ClearException();
      WriteStderr(cx, "KeyboardInterrupt\n");
    } else {
      PrintException(cx, Value());
    }
  }
}

}  // namespace tidepool::rt
