// When a statement that is being typed is whole: see Look in compile.h.
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/lexer.h"

namespace tidepool::rt::lang {
namespace {

bool LastLineIsBlank(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const size_t newline = text.rfind('\n');
  const std::string_view line = newline == std::string_view::npos ? text : text.substr(newline + 1);
  return line.find_first_not_of(" \t\f\r") == std::string_view::npos;
}

}  // namespace

Typed Look(std::string_view text) {
  CompileOptions options;
  options.interactive = true;
  SyntaxErrorInfo error;
  Source source;
  if (!source.Load(text, "<stdin>", &error)) return Typed::kComplete;
  const TokenList list = Lex(source);
  // Inside brackets and strings an empty line says nothing.
  if (list.tokens.back().kind == Tok::kError && list.error.at_end) {
    error = SyntaxErrorInfo();
    if (CompileModule(text, "<stdin>", options, &error) != nullptr || error.at_end) return Typed::kMore;
    return Typed::kComplete;  // an error before that
  }
  if (CompileModule(text, "<stdin>", options, &error) == nullptr && !error.at_end) return Typed::kComplete;
  const bool block = error.at_end || OpensBlock(list.tokens[0].kind);
  return block && !LastLineIsBlank(text) ? Typed::kMore : Typed::kComplete;
}

}  // namespace tidepool::rt::lang
