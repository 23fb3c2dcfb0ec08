// The prompt, through a pseudo terminal: with the terminal's own editing, and with libedit where it is installed.
#include <dlfcn.h>

#include <fstream>

#include "gtest/gtest.h"
#include "tidepool/tests/people/child.h"

namespace tidepool::testing {
namespace {

// Sends lines and expects what they print. An expectation must not occur in what is echoed before it.
struct Step {
  const char* send;
  const char* expect;
};

void Walk(Child* child, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    child->Send(step.send);
    ASSERT_TRUE(child->Expect(step.expect)) << "after " << step.send << " came:\n" << child->read();
  }
}

class Repl : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    if (openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) {
      GTEST_SKIP() << "no pseudo terminals here (is /dev/pts mounted?)";
    }
    for (const int end : ends) close(end);
  }
};

Child Plain() { return Child(Child::kTerminal, {}, {"TERM=dumb", "TIDEPOOL_HISTORY="}); }

TEST_F(Repl, StatementsAndExpressions) {
  Child child = Plain();
  ASSERT_TRUE(child.Expect(">>> ")) << child.read();
  Walk(&child, {
                   {"6 * 7\n", "\r\n42\r\n>>> "},
                   {"_ + 1\n", "\r\n43\r\n>>> "},
                   {"None\n", "None\r\n>>> "},
                   {"_\n", "\r\n43\r\n>>> "},
                   {"'text'\n", "\r\n'text'\r\n>>> "},
                   {"x = [i\n", "\r\n... "},
                   {"for i in range(3)]\n", ">>> "},
                   {"x\n", "\r\n[0, 1, 2]\r\n>>> "},
                   {"def f(n):\n", "... "},
                   {"    return n * 100\n", "... "},
                   {"\n", ">>> "},
                   {"f(3); f(4)\n", "\r\n300\r\n400\r\n>>> "},
                   {"if x: len(x)\n", "... "},
                   {"\n", "\r\n3\r\n>>> "},
                   {"'''a\n", "... "},
                   {"\n", "... "},
                   {"b'''\n", "\r\n'a\\n\\nb'\r\n>>> "},
                   {"y = 1 + \\\n", "... "},
                   {"9\n", ">>> "},
                   {"y\n", "\r\n10\r\n>>> "},
                   {"try:\n", "... "},
                   {"  1/0\n", "... "},
                   {"except ZeroDivisionError as e: repr(e)\n", "... "},
                   {"\n", "\r\n\"ZeroDivisionError('division by zero')\"\r\n>>> "},
                   {"@staticmethod\n", "... "},
                   {"def g(): pass\n", "... "},
                   {"\n", ">>> "},
                   {"exit\n", "Use exit() or Ctrl-D (i.e. EOF) to exit\r\n>>> "},
                   {"__name__\n", "\r\n'__main__'\r\n>>> "},
                   {"   \n", ">>> "},
               });
  child.Send("exit(7)\n");
  EXPECT_EQ(child.Wait(), 7) << child.read();
}

TEST_F(Repl, ErrorsDoNotEndIt) {
  Child child = Plain();
  ASSERT_TRUE(child.Expect(">>> ")) << child.read();
  Walk(&child, {
                   {"1 / 0\n",
                    "Traceback (most recent call last):\r\n  File \"<stdin>\", line 1, in <module>\r\nZeroDivisionError: division by zero\r\n>>> "},
                   {"x = \n", "SyntaxError: invalid syntax\r\n>>> "},
                   {"def f(:\n", "SyntaxError: invalid syntax\r\n>>> "},
                   {"  y\n", "IndentationError: unexpected indent\r\n>>> "},
                   {"for i in range(3):\n", "... "},
                   {"\n", "IndentationError: expected an indented block after 'for' statement on line 1\r\n>>> "},
                   {"class C:\n", "... "},
                   {"  def __repr__(self): return 1\n", "... "},
                   {"\n", ">>> "},
                   {"C()\n", "TypeError: __repr__ returned non-string (type int)\r\n>>> "},
                   {"(1, 2)]\n", "SyntaxError: unmatched ']'\r\n>>> "},
                   {"'open\n", "SyntaxError: unterminated string literal (detected at line 1)\r\n>>> "},
                   {"raise KeyboardInterrupt('mine')\n", "KeyboardInterrupt: mine\r\n>>> "},
                   {"5 * 5\n", "\r\n25\r\n>>> "},
               });
  child.Send("\x04");
  EXPECT_EQ(child.Wait(), 0) << child.read();
}

TEST_F(Repl, Interrupts) {
  Child child = Plain();
  ASSERT_TRUE(child.Expect(">>> ")) << child.read();
  Walk(&child, {
                   {"\x03", "KeyboardInterrupt\r\n>>> "},
                   {"x = (1,\n", "... "},
                   {"\x03", "KeyboardInterrupt\r\n>>> "},
                   {"def g():\n", "... "},
                   {"  print('g' + 'o', flush=True)\n", "... "},
                   {"  while True: pass\n", "... "},
                   {"\n", ">>> "},
                   {"g()\n", "go\r\n"},
                   {"\x03", "KeyboardInterrupt\r\n>>> "},
                   {"import time\n", ">>> "},
                   {"print('s' + 'o', flush=True); time.sleep(10000)\n", "so\r\n"},
                   {"\x03", "KeyboardInterrupt\r\n>>> "},
                   {"import threading\n", ">>> "},
                   {"t = threading.Thread(target=print, args=('from a' + ' thread',)); t.start(); t.join()\n", "from a thread\r\n>>> "},
                   {"3 + 4\n", "\r\n7\r\n>>> "},
               });
  child.Send("import sys; sys.exit('good' + 'bye')\n");
  EXPECT_EQ(child.Wait(), 1) << child.read();
  EXPECT_NE(child.read().find("goodbye\r\n"), std::string::npos) << child.read();
}

bool HaveLibedit() {
  void* handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  return handle != nullptr;
}

TEST_F(Repl, EditsAndRemembers) {
  if (!HaveLibedit()) GTEST_SKIP() << "libedit is not installed";
  const std::string history = TempFile("history." + std::to_string(getpid()));
  unlink(history.c_str());
  const std::vector<std::string> environment{"TERM=xterm", "TIDEPOOL_HISTORY=" + history};
  {
    Child child(Child::kTerminal, {}, environment);
    ASSERT_TRUE(child.Expect(">>> ")) << child.read();
    // Ctrl-A: to the start of the line. Ctrl-P: the line before. Ctrl-U: away with it. Each step waits for the prompt after it
    // and for libedit: before that the terminal would take such characters itself.
    auto step = [&child](const char* send, const char* expect, const char* prompt) {
      ASSERT_TRUE(child.AwaitEditor());
      child.Send(send);
      ASSERT_TRUE(child.Expect(expect) && child.Expect(prompt)) << "after " << send << " came:\n" << child.read();
    };
    step("11 + 2\x01" "100 * \n", "1102\r\n", ">>> ");
    step("\x10\x01" "7 + \n", "1109\r\n", ">>> ");
    step("if 1:\n", "\n", "... ");
    step("\tprint('in' + 'side')\n", "\n", "... ");
    step("\n", "inside\r\n", ">>> ");
    step("'\xc3\xa9' * 3\n", "'\xc3\xa9\xc3\xa9\xc3\xa9'\r\n", ">>> ");
    step("abc\x15" "2 ** 20\n", "1048576\r\n", ">>> ");
    step("half a line\x03", "KeyboardInterrupt\r\n", ">>> ");
    step("'kept' + 'over'\n", "'keptover'\r\n", ">>> ");
    ASSERT_TRUE(child.AwaitEditor());
    child.Send("\x04");
    EXPECT_EQ(child.Wait(), 0) << child.read();
  }
  std::ifstream in(history);
  std::string first;
  std::getline(in, first);
  EXPECT_EQ(first, "100 * 11 + 2");
  {
    Child child(Child::kTerminal, {}, environment);
    ASSERT_TRUE(child.Expect(">>> ") && child.AwaitEditor()) << child.read();
    Walk(&child, {{"\x10\n", "'keptover'"}});
    child.Send("quit()\n");
    EXPECT_EQ(child.Wait(), 0) << child.read();
  }
  unlink(history.c_str());
}

}  // namespace
}  // namespace tidepool::testing
