// What a prompt asks: is the text that was typed so far a whole statement?
#include "gtest/gtest.h"
#include "tidepool/runtime/lang/compile.h"

namespace tidepool::rt::lang {
namespace {

TEST(Look, Complete) {
  for (const char* text : {"1\n", "x = 1; y = 2\n", "x =\n", "def f(:\n", "if 1: 2\n\n", "if 1:\n  2\n\n", "if 1:\n  2\n  \n", "(1,\n2)\n", "'''a\nb'''\n", "x = 1 + \\\n2\n",
                           "try:\n  1\nexcept E:\n  2\n\n", "@f\ndef g(): pass\n\n", "@f\n\n", "for x in y:\n\n", "  x\n", "'open\n", ")\n", "(1,]\n", "$\n", "x = 08\n",
                           "class C:\n  def f(self):\n\n", "f'{'\n", "f'{(1}'\n", "lambda:\n", "# comment\n", "return\n", "x = (yield)\n", "try:\n  1\n\n", "\xff\n"}) {
    EXPECT_EQ(Look(text), Typed::kComplete) << text;
  }
}

TEST(Look, More) {
  for (const char* text : {"if 1:\n", "if 1: 2\n", "if 1:\n  2\n", "if 1:\n  2\nelse:\n", "(1,\n", "(1,\n\n", "[(\n{\n", "'''a\n", "'''a\n\n", "f'''{x}\n", "x = 1 + \\\n", "try:\n",
                           "try:\n  1\n", "try:\n  1\nfinally:\n", "@f\n", "@f\n@g\n", "@f\ndef g():\n", "class C:\n  def f(self):\n", "while 1:\n  if 2:\n", "def f(a,\n",
                           "def f(a,\n  b):\n", "with a as b: pass\n", "if (1\n", "x = [i\n\n\n"}) {
    EXPECT_EQ(Look(text), Typed::kMore) << text;
  }
}

TEST(Look, InteractiveCodeShowsWhatStatementsGive) {
  CompileOptions options;
  options.interactive = true;
  SyntaxErrorInfo error;
  const auto unit = CompileModule("'doc'\nif x:\n  5\ndef f():\n  6\n", "<stdin>", options, &error);
  ASSERT_NE(unit, nullptr) << error.message;
  const std::string text = Disassemble(*unit);
  int shown = 0;
  for (size_t at = text.find("__displayhook__"); at != std::string::npos; at = text.find("__displayhook__", at + 1)) shown++;
  EXPECT_EQ(shown, 2) << text;
  EXPECT_EQ(text.find("__doc__"), std::string::npos) << text;
}

}  // namespace
}  // namespace tidepool::rt::lang
