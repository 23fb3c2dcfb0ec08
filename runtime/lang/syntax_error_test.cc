// Messages and places of syntax errors.
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/compile.h"

namespace tidepool::rt::lang {
namespace {

struct Case {
  const char* source;
  const char* kind;
  const char* message;
  uint32_t line, column;
};

// clang-format off
// Exactly as CPython 3.11 says it.
constexpr Case kSame[] = {
    {"x = = 3", "SyntaxError", "invalid syntax", 1, 5},
    {"if x\n    pass", "SyntaxError", "expected ':'", 1, 5},
    {"if x:\npass", "IndentationError", "expected an indented block after 'if' statement on line 1", 2, 1},
    {"def f(:\n    pass", "SyntaxError", "invalid syntax", 1, 7},
    {"def f()\n    pass", "SyntaxError", "expected ':'", 1, 8},
    {"def f(a, a): pass", "SyntaxError", "duplicate argument 'a' in function definition", 1, 10},
    {"def f(a=1, b): pass", "SyntaxError", "non-default argument follows default argument", 1, 12},
    {"class C\n    pass", "SyntaxError", "expected ':'", 1, 8},
    {"x = (1,\ny = 2", "SyntaxError", "'(' was never closed", 1, 5},
    {"x = [1, 2", "SyntaxError", "'[' was never closed", 1, 5},
    {"x = 1)", "SyntaxError", "unmatched ')'", 1, 6},
    {"x = (1]", "SyntaxError", "closing parenthesis ']' does not match opening parenthesis '('", 1, 7},
    {"x = 'abc", "SyntaxError", "unterminated string literal (detected at line 1)", 1, 5},
    {"x = \"\"\"abc\ndef", "SyntaxError", "unterminated triple-quoted string literal (detected at line 2)", 1, 5},
    {"x = 1 +", "SyntaxError", "invalid syntax", 1, 8},
    {"f() = 1", "SyntaxError", "cannot assign to function call here. Maybe you meant '==' instead of '='?", 1, 1},
    {"1 = x", "SyntaxError", "cannot assign to literal here. Maybe you meant '==' instead of '='?", 1, 1},
    {"a + 1 = 2", "SyntaxError", "cannot assign to expression here. Maybe you meant '==' instead of '='?", 1, 1},
    {"None = 1", "SyntaxError", "cannot assign to None", 1, 1},
    {"(a, 1) = x", "SyntaxError", "cannot assign to literal", 1, 5},
    {"x = f() = 3", "SyntaxError", "cannot assign to function call", 1, 5},
    {"f() += 1", "SyntaxError", "'function call' is an illegal expression for augmented assignment", 1, 1},
    {"(a, b) += 1", "SyntaxError", "'tuple' is an illegal expression for augmented assignment", 1, 1},
    {"del f()", "SyntaxError", "cannot delete function call", 1, 5},
    {"del 1", "SyntaxError", "cannot delete literal", 1, 5},
    {"for f() in x: pass", "SyntaxError", "cannot assign to function call", 1, 5},
    {"for 1 in x: pass", "SyntaxError", "cannot assign to literal", 1, 5},
    {"with a as f(): pass", "SyntaxError", "cannot assign to function call", 1, 11},
    {"return 1", "SyntaxError", "'return' outside function", 1, 1},
    {"def f():\n    break", "SyntaxError", "'break' outside loop", 2, 5},
    {"continue", "SyntaxError", "'continue' not properly in loop", 1, 1},
    {"yield 1", "SyntaxError", "'yield' outside function", 1, 1},
    {"class C:\n    yield 1", "SyntaxError", "'yield' outside function", 2, 5},
    {"class C:\n    return 1", "SyntaxError", "'return' outside function", 2, 5},
    {"print \"hello\"", "SyntaxError", "Missing parentheses in call to 'print'. Did you mean print(...)?", 1, 1},
    {"print x, y", "SyntaxError", "Missing parentheses in call to 'print'. Did you mean print(...)?", 1, 1},
    {"exec \"abc\"", "SyntaxError", "Missing parentheses in call to 'exec'. Did you mean exec(...)?", 1, 1},
    {"x = 0777", "SyntaxError", "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers", 1, 5},
    {"x = 0xg", "SyntaxError", "invalid hexadecimal literal", 1, 6},
    {"x = 1abc", "SyntaxError", "invalid decimal literal", 1, 5},
    {"x = 0b12", "SyntaxError", "invalid digit '2' in binary literal", 1, 8},
    {"x = 1__0", "SyntaxError", "invalid decimal literal", 1, 6},
    {"x = 1_", "SyntaxError", "invalid decimal literal", 1, 6},
    {"x = 0o8", "SyntaxError", "invalid digit '8' in octal literal", 1, 7},
    {"a b", "SyntaxError", "invalid syntax", 1, 3},
    {"(a b)", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 2},
    {"[1 2]", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 2},
    {"f(a b)", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 3},
    {"{1: 2 3: 4}", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 5},
    {"{1 2}", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 2},
    {"f(**a, *b)", "SyntaxError", "iterable argument unpacking follows keyword argument unpacking", 1, 8},
    {"f(a=1, a=2)", "SyntaxError", "keyword argument repeated: a", 1, 8},
    {"f(a.b=1)", "SyntaxError", "expression cannot contain assignment, perhaps you meant \"==\"?", 1, 3},
    {"f(1=2)", "SyntaxError", "expression cannot contain assignment, perhaps you meant \"==\"?", 1, 3},
    {"f(True=2)", "SyntaxError", "cannot assign to True", 1, 3},
    {"f(x for x in y, 1)", "SyntaxError", "Generator expression must be parenthesized", 1, 3},
    {"f(1, x for x in y)", "SyntaxError", "Generator expression must be parenthesized", 1, 6},
    {"lambda x y: 1", "SyntaxError", "invalid syntax", 1, 10},
    {"def f(*): pass", "SyntaxError", "named arguments must follow bare *", 1, 7},
    {"def f(*, **k): pass", "SyntaxError", "named arguments must follow bare *", 1, 7},
    {"def f(**k, a): pass", "SyntaxError", "arguments cannot follow var-keyword argument", 1, 12},
    {"def f(a, *, *b): pass", "SyntaxError", "* argument may appear only once", 1, 13},
    {"def f(/, a): pass", "SyntaxError", "at least one argument must precede /", 1, 7},
    {"def f(a, /, b, /): pass", "SyntaxError", "/ may appear only once", 1, 16},
    {"def f(*a, /): pass", "SyntaxError", "/ must be ahead of *", 1, 11},
    {"def f(**k=1): pass", "SyntaxError", "var-keyword argument cannot have default value", 1, 10},
    {"def f(*a=1): pass", "SyntaxError", "var-positional argument cannot have default value", 1, 9},
    {"try:\n    pass\nx = 1", "SyntaxError", "expected 'except' or 'finally' block", 3, 1},
    {"try:\n    pass\nexcept:\n    pass\nexcept ValueError:\n    pass", "SyntaxError", "default 'except:' must be last", 3, 1},
    {"try:\n    pass\nexcept A, B:\n    pass", "SyntaxError", "multiple exception types must be parenthesized", 3, 8},
    {"try: pass\nfinally\n    pass", "SyntaxError", "expected ':'", 2, 8},
    {"if x:\n    pass\n  y = 1", "IndentationError", "unindent does not match any outer indentation level", 3, 8},
    {"if x:\n\tpass\n        y = 1", "TabError", "inconsistent use of tabs and spaces in indentation", 3, 1},
    {"def f():\n    x = 1\n    global x", "SyntaxError", "name 'x' is assigned to before global declaration", 3, 5},
    {"def f():\n    print(x)\n    global x", "SyntaxError", "name 'x' is used prior to global declaration", 3, 5},
    {"def f(x):\n    global x", "SyntaxError", "name 'x' is parameter and global", 2, 5},
    {"def f(x):\n    nonlocal x", "SyntaxError", "name 'x' is parameter and nonlocal", 2, 5},
    {"def f():\n    nonlocal x", "SyntaxError", "no binding for nonlocal 'x' found", 2, 5},
    {"nonlocal x", "SyntaxError", "nonlocal declaration not allowed at module level", 1, 1},
    {"def f():\n    x: int\n    global x", "SyntaxError", "annotated name 'x' can't be global", 3, 5},
    {"x = $", "SyntaxError", "invalid syntax", 1, 5},
    {"x = a?b", "SyntaxError", "invalid syntax", 1, 6},
    {"x = a!b", "SyntaxError", "invalid syntax", 1, 6},
    {"x = \\ y", "SyntaxError", "unexpected character after line continuation character", 1, 6},
    {"x = “a”", "SyntaxError", "invalid character '“' (U+201C)", 1, 5},
    {"x = a b", "SyntaxError", "invalid syntax", 1, 7},
    {"b'é'", "SyntaxError", "bytes can only contain ASCII literal characters", 1, 1},
    {"if x = 3: pass", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 4},
    {"if f() = 3: pass", "SyntaxError", "cannot assign to function call here. Maybe you meant '==' instead of '='?", 1, 4},
    {"while x = 3: pass", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 7},
    {"(x = 3)", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 2},
    {"[x = 3]", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 2},
    {"x := 3", "SyntaxError", "invalid syntax", 1, 3},
    {"(x.y := 3)", "SyntaxError", "cannot use assignment expressions with attribute", 1, 2},
    {"(x[0] := 3)", "SyntaxError", "cannot use assignment expressions with subscript", 1, 2},
    {"*a", "SyntaxError", "can't use starred expression here", 1, 1},
    {"*a = b", "SyntaxError", "starred assignment target must be in a list or tuple", 1, 1},
    {"*a, *b = c", "SyntaxError", "multiple starred expressions in assignment", 1, 1},
    {"a = *b", "SyntaxError", "can't use starred expression here", 1, 5},
    {"x: int = ", "SyntaxError", "invalid syntax", 1, 10},
    {"(a, b): int", "SyntaxError", "only single target (not tuple) can be annotated", 1, 1},
    {"[a]: int", "SyntaxError", "only single target (not list) can be annotated", 1, 1},
    {"f(): int", "SyntaxError", "illegal target for annotation", 1, 1},
    {"import a.b as", "SyntaxError", "invalid syntax", 1, 14},
    {"from a import", "SyntaxError", "invalid syntax", 1, 14},
    {"from a import b,", "SyntaxError", "trailing comma not allowed without surrounding parentheses", 1, 17},
    {"from a import (b, c", "SyntaxError", "'(' was never closed", 1, 15},
    {"import a as b.c", "SyntaxError", "invalid syntax", 1, 14},
    {"[x, y for x in z]", "SyntaxError", "did you forget parentheses around the comprehension target?", 1, 2},
    {"[*x for x in y]", "SyntaxError", "iterable unpacking cannot be used in comprehension", 1, 2},
    {"{x: y for x in z for}", "SyntaxError", "invalid syntax", 1, 21},
    {"[x for 1 in y]", "SyntaxError", "cannot assign to literal", 1, 8},
    {"[x if y for z in w]", "SyntaxError", "expected 'else' after 'if' expression", 1, 2},
    {"x if y", "SyntaxError", "expected 'else' after 'if' expression", 1, 1},
    {"x if y else", "SyntaxError", "invalid syntax", 1, 12},
    {"raise a from", "SyntaxError", "invalid syntax", 1, 13},
    {"assert", "SyntaxError", "invalid syntax", 1, 7},
    {"del", "SyntaxError", "invalid syntax", 1, 4},
    {"pass 1", "SyntaxError", "invalid syntax", 1, 6},
    {"break 1", "SyntaxError", "invalid syntax", 1, 7},
    {"else: pass", "SyntaxError", "invalid syntax", 1, 1},
    {"elif x: pass", "SyntaxError", "invalid syntax", 1, 1},
    {"if x: pass\nelse x: pass", "SyntaxError", "expected ':'", 2, 6},
    {"with a as b, c as d\n    pass", "SyntaxError", "expected ':'", 1, 20},
    {"with a as 1: pass", "SyntaxError", "cannot assign to literal", 1, 11},
    {"@\ndef f(): pass", "SyntaxError", "invalid syntax", 1, 2},
    {"@a b\ndef f(): pass", "SyntaxError", "invalid syntax", 1, 4},
    {"@a\nx = 1", "SyntaxError", "invalid syntax", 2, 1},
    {"a = b = ", "SyntaxError", "invalid syntax", 1, 9},
    {"a.1", "SyntaxError", "invalid syntax", 1, 2},
    {"a..b", "SyntaxError", "invalid syntax", 1, 3},
    {"a[", "SyntaxError", "'[' was never closed", 1, 2},
    {"a[]", "SyntaxError", "invalid syntax", 1, 3},
    {"a[1:2:3:4]", "SyntaxError", "invalid syntax", 1, 8},
    {"{a:}", "SyntaxError", "expression expected after dictionary key and ':'", 1, 3},
    {"{a: *b}", "SyntaxError", "cannot use a starred expression in a dictionary value", 1, 5},
    {"{a, b: c}", "SyntaxError", "invalid syntax", 1, 6},
    {"{a: b, c}", "SyntaxError", "':' expected after dictionary key", 1, 8},
    {"not", "SyntaxError", "invalid syntax", 1, 4},
    {"a is is b", "SyntaxError", "invalid syntax", 1, 6},
    {"a =< b", "SyntaxError", "invalid syntax", 1, 4},
    {"def f(x, (y, z)): pass", "SyntaxError", "Function parameters cannot be parenthesized", 1, 10},
    {"lambda (x): 1", "SyntaxError", "Lambda expression parameters cannot be parenthesized", 1, 8},
    {"def 1f(): pass", "SyntaxError", "invalid decimal literal", 1, 5},
    {"def f: pass", "SyntaxError", "expected '('", 1, 6},
    {"class 1: pass", "SyntaxError", "invalid syntax", 1, 7},
    {"class C(: pass", "SyntaxError", "invalid syntax", 1, 9},
    {"[(yield) for x in y]", "SyntaxError", "'yield' inside list comprehension", 1, 3},
    {"def f(): [(yield x) for x in y]", "SyntaxError", "'yield' inside list comprehension", 1, 12},
    {"def f(): ((yield x) for x in y)", "SyntaxError", "'yield' inside generator expression", 1, 12},
    {"[x := 1 for x in y]", "SyntaxError", "assignment expression cannot rebind comprehension iteration variable 'x'", 1, 2},
    {"[(x := 1) for x in y]", "SyntaxError", "assignment expression cannot rebind comprehension iteration variable 'x'", 1, 3},
    {"[y for x in (y := z)]", "SyntaxError", "assignment expression cannot be used in a comprehension iterable expression", 1, 14},
    {"class C:\n    [(z := 1) for x in y]", "SyntaxError", "assignment expression within a comprehension cannot be used in a class body", 2, 7},
    {"[[(j := 1) for j in y] for i in z]", "SyntaxError", "assignment expression cannot rebind comprehension iteration variable 'j'", 1, 4},
    {"__debug__ = 1", "SyntaxError", "cannot assign to __debug__", 1, 1},
    {"a.__debug__ = 1", "SyntaxError", "cannot assign to __debug__", 1, 1},
    {"lambda: x = 1", "SyntaxError", "cannot assign to lambda", 1, 1},
    {"a and b = 1", "SyntaxError", "cannot assign to expression", 1, 1},
    {"a < b = 1", "SyntaxError", "cannot assign to comparison", 1, 1},
    {"-a = 1", "SyntaxError", "cannot assign to expression here. Maybe you meant '==' instead of '='?", 1, 1},
    {"[a, b()] = 1", "SyntaxError", "cannot assign to function call", 1, 5},
    {"'a' = 1", "SyntaxError", "cannot assign to literal here. Maybe you meant '==' instead of '='?", 1, 1},
    {"f'{a}' = 1", "SyntaxError", "cannot assign to f-string expression here. Maybe you meant '==' instead of '='?", 1, 1},
    {"{} = 1", "SyntaxError", "cannot assign to dict literal here. Maybe you meant '==' instead of '='?", 1, 1},
    {"{a} = 1", "SyntaxError", "cannot assign to set display here. Maybe you meant '==' instead of '='?", 1, 1},
    {"[x for x in y] = 1", "SyntaxError", "cannot assign to list comprehension here. Maybe you meant '==' instead of '='?", 1, 1},
    {"(x for x in y) = 1", "SyntaxError", "cannot assign to generator expression", 1, 1},
    {"(yield) = 1", "SyntaxError", "cannot assign to yield expression here. Maybe you meant '==' instead of '='?", 1, 2},
    {"... = 1", "SyntaxError", "cannot assign to ellipsis here. Maybe you meant '==' instead of '='?", 1, 1},
    {"True = 1", "SyntaxError", "cannot assign to True", 1, 1},
    {"x = yield = 1", "SyntaxError", "assignment to yield expression not possible", 1, 5},
    {"def f(): x = yield = 1", "SyntaxError", "assignment to yield expression not possible", 1, 14},
    {"while True print(1)", "SyntaxError", "invalid syntax", 1, 12},
    {"for x y in z: pass", "SyntaxError", "invalid syntax", 1, 7},
    {"for x in y print(x)", "SyntaxError", "invalid syntax", 1, 12},
    {"for x: pass", "SyntaxError", "invalid syntax", 1, 6},
    {"def f():", "IndentationError", "expected an indented block after function definition on line 1", 1, 9},
    {"while 1:\n# c\nx", "IndentationError", "expected an indented block after 'while' statement on line 1", 3, 1},
    {"class C:\nx=1", "IndentationError", "expected an indented block after class definition on line 1", 2, 1},
    {"try:\nx", "IndentationError", "expected an indented block after 'try' statement on line 1", 2, 1},
    {"with x:\ny", "IndentationError", "expected an indented block after 'with' statement on line 1", 2, 1},
    {"def f():\n    '''a\n    x", "SyntaxError", "unterminated triple-quoted string literal (detected at line 3)", 2, 5},
    {"x = {\n 'a': 1\n 'b': 2\n}", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 2, 7},
    {"x = (1\n  + 2\ny = 3\nz = 4)", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 6},
    {"print(1\nprint(2)", "SyntaxError", "'(' was never closed", 1, 6},
    {"foo(1, 2\nbar = 3\n", "SyntaxError", "'(' was never closed", 1, 4},
};

// Ours: what is not supported, and places or wordings where we differ.
constexpr Case kOwn[] = {
    {"f(a=1, 2)", "SyntaxError", "positional argument follows keyword argument", 1, 8},
    {"f(**a, 2)", "SyntaxError", "positional argument follows keyword argument unpacking", 1, 8},
    {"lambda x=: 1", "SyntaxError", "expected default value expression", 1, 9},
    {"  x = 1", "IndentationError", "unexpected indent", 1, 1},
    {"x = 1\n    y = 2", "IndentationError", "unexpected indent", 2, 1},
    {"def f():\n    global x\n    nonlocal x", "SyntaxError", "name 'x' is nonlocal and global", 3, 5},
    {"f'{'", "SyntaxError", "f-string: expecting '}'", 1, 4},
    {"f'}'", "SyntaxError", "f-string: single '}' is not allowed", 1, 3},
    {"f'{}'", "SyntaxError", "f-string: empty expression not allowed", 1, 3},
    {"f'{a'", "SyntaxError", "f-string: expecting '}'", 1, 5},
    {"f'{a!x}'", "SyntaxError", "f-string: invalid conversion character: expected 's', 'r', or 'a'", 1, 6},
    {"f'{a!'", "SyntaxError", "f-string: expecting '}'", 1, 6},
    {"f'{a b}'", "SyntaxError", "f-string: invalid syntax. Perhaps you forgot a comma?", 1, 4},
    {"f'{a\\n}'", "SyntaxError", "f-string expression part cannot include a backslash", 1, 5},
    {"f'{a #}'", "SyntaxError", "f-string expression part cannot include '#'", 1, 6},
    {"f'{a:{b:{c}}}'", "SyntaxError", "f-string: expressions nested too deeply", 1, 1},
    {"f'{(a}'", "SyntaxError", "f-string: closing parenthesis '}' does not match opening parenthesis '('", 1, 6},
    {"f'{a)}'", "SyntaxError", "f-string: unmatched ')'", 1, 5},
    {"f'{*a}'", "SyntaxError", "f-string: cannot use starred expression here", 1, 4},
    {"f'{a=1}'", "SyntaxError", "f-string: expecting '}'", 1, 6},
    {"f'{lambda x: 1}'", "SyntaxError", "f-string: invalid syntax", 1, 12},
    {"f'{1 +}'", "SyntaxError", "f-string: invalid syntax", 1, 7},
    {"'a' b'a'", "SyntaxError", "cannot mix bytes and nonbytes literals", 1, 1},
    {"'\\x1'", "SyntaxError", "(unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: truncated \\xXX escape", 1, 1},
    {"'\\u123'", "SyntaxError", "(unicode error) 'unicodeescape' codec can't decode bytes in position 0-4: truncated \\uXXXX escape", 1, 1},
    {"'\\U00110000'", "SyntaxError", "(unicode error) 'unicodeescape' codec can't decode bytes in position 0-9: illegal Unicode character", 1, 1},
    {"b'\\x1'", "SyntaxError", "(value error) invalid \\x escape at position 0", 1, 1},
    {"return *a", "SyntaxError", "can't use starred expression here", 1, 8},
    {"from __future__ import nope", "SyntaxError", "future feature nope is not defined", 1, 24},
    {"'doc'\nx = 1\nfrom __future__ import annotations", "SyntaxError",
     "from __future__ imports must occur at the beginning of the file", 3, 1},
    {"def f():\n  from __future__ import annotations", "SyntaxError",
     "from __future__ imports must occur at the beginning of the file", 2, 3},
    {"'doc'; 'x'\nfrom __future__ import annotations", "SyntaxError",
     "from __future__ imports must occur at the beginning of the file", 2, 1},
    {"class A(x for x in y): pass", "SyntaxError", "invalid syntax", 1, 11},
    {"from . import *", "SyntaxError", "'import *' is not supported", 1, 15},
    {"[x for x in y z]", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 13},
    {"{**x for x in y}", "SyntaxError", "dict unpacking cannot be used in dict comprehension", 1, 1},
    {"a not b", "SyntaxError", "invalid syntax", 1, 3},
    {"a <> b", "SyntaxError", "invalid syntax", 1, 4},
    {"await x", "SyntaxError", "'await' outside function", 1, 1},
    {"def f():\n  await x", "SyntaxError", "'await' outside async function", 2, 3},
    {"def f():\n  async with x: pass", "SyntaxError", "'async with' outside async function", 2, 3},
    {"async for x in y: pass", "SyntaxError", "'async for' outside async function", 1, 1},
    {"async def f():\n  yield from x", "SyntaxError", "'yield from' inside async function", 2, 3},
    {"async def f():\n  yield 1\n  return 5", "SyntaxError", "'return' with value in async generator", 3, 3},
    {"def f():\n  [x async for x in y]", "SyntaxError", "asynchronous comprehension outside of an asynchronous function", 2, 3},
    {"try: pass\nexcept E: pass\nexcept* F: pass", "SyntaxError", "cannot have both 'except' and 'except*' on the same 'try'", 3, 1},
    {"try: pass\nexcept*: pass", "SyntaxError", "expected one or more exception types", 2, 8},
    {"def f():\n  try: pass\n  except* E:\n    return 1", "SyntaxError",
     "'break', 'continue' and 'return' cannot appear in an except* block", 4, 5},
    {"def f(__debug__): pass", "SyntaxError", "cannot assign to __debug__", 1, 7},
    {"f(__debug__=1)", "SyntaxError", "cannot assign to __debug__", 1, 3},
    {"x = 1 if 2 else 3 = 4", "SyntaxError", "cannot assign to conditional expression", 1, 5},
    {"if True:\n    if True:\nx = 1", "IndentationError", "expected an indented block after 'if' statement on line 2", 3, 1},
};
// clang-format on

void Check(const Case& c) {
  SyntaxErrorInfo error;
  auto unit = CompileModule(c.source, "t.py", {}, &error);
  ASSERT_EQ(unit, nullptr) << c.source;
  EXPECT_EQ(std::string(error.KindName()), c.kind) << c.source;
  EXPECT_EQ(error.message, c.message) << c.source;
  EXPECT_EQ(error.line, c.line) << c.source;
  EXPECT_EQ(error.column, c.column) << c.source;
  EXPECT_EQ(error.filename, "t.py");
}

TEST(SyntaxError, AsInCPython) {
  for (const Case& c : kSame) Check(c);
}

TEST(SyntaxError, Own) {
  for (const Case& c : kOwn) Check(c);
}

TEST(SyntaxError, Format) {
  SyntaxErrorInfo error;
  EXPECT_EQ(CompileModule("x = 1\n  \tfoo(é, a b)\n", "dir/t.py", {}, &error), nullptr);
  EXPECT_EQ(error.Format(),
            "  File \"dir/t.py\", line 2\n"
            "    foo(é, a b)\n"
            "IndentationError: unexpected indent\n");
  EXPECT_EQ(CompileModule("if x:\n    foo(é, a b)\n", "t.py", {}, &error), nullptr);
  EXPECT_EQ(error.Format(),
            "  File \"t.py\", line 2\n"
            "    foo(é, a b)\n"
            "           ^^^\n"
            "SyntaxError: invalid syntax. Perhaps you forgot a comma?\n");
}

// A generated line of 100 kB is not echoed whole: some columns around the mark are enough.
TEST(SyntaxErrors, LongLinesAreCutAroundTheError) {
  for (const size_t before : {0, 5, 59, 60, 61, 3000, 50000}) {
    for (const char* unit : {"1,", "\xc3\xa9,"}) {
      std::string line = "if 1:\n   x = ";
      for (size_t i = 0; i < before; i++) line += unit;
      line += "1 $ 1";
      for (size_t i = 0; i < 50000; i++) line += ",1";
      SyntaxErrorInfo error;
      ASSERT_EQ(CompileModule(line + "\n", "t.py", CompileOptions(), &error), nullptr);
      const std::string text = error.Format();
      ASSERT_LT(text.size(), 700u);
      std::vector<std::string> rows;
      std::istringstream in(text);
      for (std::string row; std::getline(in, row);) rows.push_back(row);
      ASSERT_EQ(rows.size(), 4u) << text;
      // The mark stands below the error.
      size_t column = 0, at = 0;
      for (; at < rows[1].size() && rows[1][at] != '$'; at++) column += (rows[1][at] & 0xc0) != 0x80;
      ASSERT_LT(at, rows[1].size()) << text;
      EXPECT_EQ(rows[2].find('^'), column) << text;
      EXPECT_EQ(rows[1].substr(4, 3) == "...", before > 40) << text;
      EXPECT_EQ(rows[1].substr(rows[1].size() - 3), "...");
    }
  }
}

}  // namespace
}  // namespace tidepool::rt::lang
