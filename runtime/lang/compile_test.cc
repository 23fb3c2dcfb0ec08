// Golden bytecode of small programs, what the optimiser does and does not do.
#include <string>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/anchors.h"
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/verify.h"

namespace tidepool::rt::lang {
namespace {

std::string Dump(const std::string& source, bool superinstructions = true) {
  SyntaxErrorInfo error;
  CompileOptions options;
  options.superinstructions = superinstructions;
  auto unit = CompileModule(source, "t.py", options, &error);
  if (unit == nullptr) return error.Format();
  EXPECT_EQ(Verify(*unit), "");
  return "\n" + Disassemble(*unit);
}

TEST(Compile, Arithmetic) {
  EXPECT_EQ(Dump(R"py(x = 1 + 2 * 3
y = a + 1
z = -a ** 2 % b
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_INT              7
         1 STORE_GLOBAL          x
    2    2 LOAD_GLOBAL           a
         4 BINARY_ADD_INT        1
         5 STORE_GLOBAL          y
    3    6 LOAD_GLOBAL           a
         8 LOAD_INT              2
         9 BINARY_OP             **
        10 UNARY_NEGATIVE
        11 LOAD_GLOBAL           b
        13 BINARY_OP             %
        14 STORE_GLOBAL          z
    1   15 RETURN_CONST          None
)dump");
}

TEST(Compile, Folding) {
  EXPECT_EQ(Dump(R"py(a = (1, (2, 'x'), None)
b = 'a' 'b' * 2
c = 2 ** 70
d = -5 // 2
e = not 1
f = x in [1, 2]
g = x in {1, 2}
h = 1 << 62
i = -0.0
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_CONST            (1, (2, 'x'), None)
         1 STORE_GLOBAL          a
    2    2 LOAD_CONST            'abab'
         3 STORE_GLOBAL          b
    3    4 LOAD_INT              2
         5 LOAD_INT              70
         6 BINARY_OP             **
         7 STORE_GLOBAL          c
    4    8 LOAD_INT              -3
         9 STORE_GLOBAL          d
    5   10 LOAD_FALSE
        11 STORE_GLOBAL          e
    6   12 LOAD_GLOBAL           x
        14 LOAD_CONST            (1, 2)
        15 CONTAINS_OP
        16 STORE_GLOBAL          f
    7   17 LOAD_GLOBAL           x
        19 LOAD_CONST            frozenset(1, 2)
        20 CONTAINS_OP
        21 STORE_GLOBAL          g
    8   22 LOAD_INT              1
        23 LOAD_INT              62
        24 BINARY_OP             <<
        25 STORE_GLOBAL          h
    9   26 LOAD_CONST            -0
        27 STORE_GLOBAL          i
    1   28 RETURN_CONST          None
)dump");
}

TEST(Compile, FastSlots) {
  EXPECT_EQ(Dump(R"py(def f(a, b=1, *c, d, e=2, **g):
    x = a + b
    if x:
        y = d
    return y, x
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 3 line 1
    1    0 LOAD_CONST            (1,)
         1 LOAD_INT              2
         2 LOAD_CONST            ('e',)
         3 BUILD_CONST_KEY_MAP   1
         4 LOAD_CONST            <code f>
         5 MAKE_FUNCTION         3
         6 STORE_GLOBAL          f
         7 RETURN_CONST          None
code f(a, b, d, e, c, g, x, y) args 2/0/2 flags 3 stack 2 line 1
    2    0 LOAD_FAST_LOAD_FAST   a b
         1 BINARY_ADD
    3    2 STORE_FAST_LOAD_FAST  x x
         3 POP_JUMP_IF_FALSE     -> 6
    4    4 LOAD_FAST             d
         5 STORE_FAST            y
    5    6 LOAD_FAST_CHECK       y
         7 LOAD_FAST             x
         8 BUILD_TUPLE           2
         9 RETURN_VALUE
)dump");
}

TEST(Compile, Closure) {
  EXPECT_EQ(Dump(R"py(def f(a):
    b = a
    def g():
        nonlocal b
        b += 1
        return a, b
    return g
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 1 line 1
    1    0 LOAD_CONST            <code f>
         1 MAKE_FUNCTION         0
         2 STORE_GLOBAL          f
         3 RETURN_CONST          None
code f(a param-cell, g, b cell) args 1/0/0 flags 0 stack 2 line 1
         0 MAKE_CELL             a
         1 MAKE_CELL             b
    2    2 LOAD_DEREF            a
         3 STORE_DEREF           b
    3    4 LOAD_CLOSURE          a
         5 LOAD_CLOSURE          b
         6 BUILD_TUPLE           2
         7 LOAD_CONST            <code f.<locals>.g>
         8 MAKE_FUNCTION         8
    7    9 STORE_FAST_LOAD_FAST  g g
        10 RETURN_VALUE
code f.<locals>.g(a free, b free) args 0/0/0 flags 32 stack 2 line 3
         0 COPY_FREE_VARS        2
    5    1 LOAD_DEREF            b
         2 INPLACE_ADD_INT       1
         3 STORE_DEREF           b
    6    4 LOAD_DEREF            a
         5 LOAD_DEREF            b
         6 BUILD_TUPLE           2
         7 RETURN_VALUE
)dump");
}

TEST(Compile, Class) {
  EXPECT_EQ(Dump(R"py(@deco
class C(Base, metaclass=M):
    'doc'
    x: int = 1
    def m(self):
        return super().m()
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 6 line 1
    1    0 LOAD_GLOBAL           deco
    2    2 LOAD_BUILD_CLASS
         3 LOAD_CONST            <code C>
         4 MAKE_FUNCTION         0
         5 LOAD_CONST            'C'
         6 LOAD_GLOBAL           Base
         8 LOAD_GLOBAL           M
        10 CALL_KW               4 ('metaclass',)
    1   12 CALL                  1
    2   13 STORE_GLOBAL          C
    1   14 RETURN_CONST          None
code C(__class__ cell) args 0/0/0 flags 8 stack 3 line 1
         0 MAKE_CELL             __class__
    2    1 LOAD_NAME             __name__
         2 STORE_NAME            __module__
         3 LOAD_CONST            'C'
         4 STORE_NAME            __qualname__
         5 LOAD_CONST            'doc'
         6 STORE_NAME            __doc__
         7 SETUP_ANNOTATIONS
    4    8 LOAD_INT              1
         9 STORE_NAME            x
        10 LOAD_NAME             int
        11 LOAD_NAME             __annotations__
        12 LOAD_CONST            'x'
        13 STORE_SUBSCR
    5   14 LOAD_CLOSURE          __class__
        15 BUILD_TUPLE           1
        16 LOAD_CONST            <code C.m>
        17 MAKE_FUNCTION         8
        18 STORE_NAME            m
    2   19 LOAD_CLOSURE          __class__
        20 STORE_NAME            __classcell__
    1   21 RETURN_CONST          None
code C.m(self, __class__ free) args 1/0/0 flags 0 stack 2 line 5
         0 COPY_FREE_VARS        1
    6    1 LOAD_GLOBAL           super
         3 CALL                  0
         4 LOAD_METHOD           m
         6 CALL_METHOD           0
         7 RETURN_VALUE
)dump");
}

TEST(Compile, Loops) {
  EXPECT_EQ(Dump(R"py(for i in range(3):
    if i: continue
    if j: break
else:
    done()
while x < 3:
    x -= 1
while True:
    pass
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_GLOBAL           range
         2 LOAD_INT              3
         3 CALL                  1
         4 GET_ITER
         5 FOR_ITER              -> 17
         6 STORE_GLOBAL          i
    2    7 LOAD_GLOBAL           i
         9 POP_JUMP_IF_FALSE     -> 11
        10 JUMP_BACK             -> 5
    3   11 LOAD_GLOBAL           j
        13 POP_JUMP_IF_FALSE     -> 16
        14 POP_TOP
        15 JUMP                  -> 21
    1   16 JUMP_BACK             -> 5
    5   17 LOAD_GLOBAL           done
        19 CALL                  0
        20 POP_TOP
    6   21 LOAD_GLOBAL           x
        23 LOAD_INT              3
        24 COMPARE_LT
        25 POP_JUMP_IF_FALSE     -> 35
    7   26 LOAD_GLOBAL           x
        28 INPLACE_SUB_INT       1
        29 STORE_GLOBAL          x
    6   30 LOAD_GLOBAL           x
        32 LOAD_INT              3
        33 COMPARE_LT
        34 POP_JUMP_BACK_IF_TRUE -> 26
    8   35 JUMP_BACK             -> 35
)dump");
}

TEST(Compile, TryExcept) {
  EXPECT_EQ(Dump(R"py(def f():
    try:
        g()
    except (A, B) as e:
        h(e)
    except:
        raise
    else:
        k()
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 1 line 1
    1    0 LOAD_CONST            <code f>
         1 MAKE_FUNCTION         0
         2 STORE_GLOBAL          f
         3 RETURN_CONST          None
code f(e) args 0/0/0 flags 0 stack 4 line 1
    3    0 LOAD_GLOBAL           g
         2 CALL                  0
         3 POP_TOP
    9    4 LOAD_GLOBAL           k
         6 CALL                  0
         7 POP_TOP
    2    8 JUMP                  -> 37
         9 PUSH_EXC_INFO
    4   10 LOAD_GLOBAL           A
        12 LOAD_GLOBAL           B
        14 BUILD_TUPLE           2
        15 CHECK_EXC_MATCH
        16 POP_JUMP_IF_FALSE     -> 32
        17 STORE_FAST            e
    5   18 LOAD_GLOBAL           h
        20 LOAD_FAST             e
        21 CALL                  1
        22 POP_TOP
    4   23 POP_EXCEPT
        24 LOAD_NONE
        25 STORE_FAST            e
        26 DELETE_FAST           e
        27 JUMP                  -> 37
        28 LOAD_NONE
        29 STORE_FAST            e
        30 DELETE_FAST           e
        31 RERAISE
    6   32 POP_TOP
    7   33 RAISE                 0
    2   34 SWAP                  2
        35 POP_EXCEPT
        36 RERAISE
    1   37 RETURN_CONST          None
      except 0..4 -> 9 depth 0
      except 10..18 -> 34 depth 1
      except 18..23 -> 28 depth 1
      except 28..34 -> 34 depth 1
)dump");
}

TEST(Compile, TryFinally) {
  EXPECT_EQ(Dump(R"py(def f(x):
    for i in x:
        try:
            return i
        finally:
            g()
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 1 line 1
    1    0 LOAD_CONST            <code f>
         1 MAKE_FUNCTION         0
         2 STORE_GLOBAL          f
         3 RETURN_CONST          None
code f(x, i) args 1/0/0 flags 0 stack 4 line 1
    2    0 LOAD_FAST             x
         1 GET_ITER
         2 FOR_ITER              -> 21
         3 STORE_FAST            i
    4    4 LOAD_FAST             i
    6    5 LOAD_GLOBAL           g
         7 CALL                  0
         8 POP_TOP
    4    9 SWAP                  2
        10 POP_TOP
        11 RETURN_VALUE
    3   12 PUSH_EXC_INFO
    6   13 LOAD_GLOBAL           g
        15 CALL                  0
        16 POP_TOP
    3   17 RERAISE
        18 SWAP                  2
        19 POP_EXCEPT
        20 RERAISE
    1   21 RETURN_CONST          None
      except 4..5 -> 12 depth 1
      except 13..18 -> 18 depth 2
)dump");
}

TEST(Compile, With) {
  EXPECT_EQ(Dump(R"py(with a as b, c:
    d
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 5 line 1
    1    0 LOAD_GLOBAL           a
         2 BEFORE_WITH
         3 STORE_GLOBAL          b
         4 LOAD_GLOBAL           c
         6 BEFORE_WITH
         7 POP_TOP
    2    8 LOAD_GLOBAL           d
        10 POP_TOP
    1   11 LOAD_NONE
        12 LOAD_NONE
        13 LOAD_NONE
        14 CALL                  3
        15 POP_TOP
        16 JUMP                  -> 28
        17 PUSH_EXC_INFO
        18 WITH_EXCEPT_START
        19 POP_JUMP_IF_TRUE      -> 21
        20 RERAISE
        21 POP_TOP
        22 POP_EXCEPT
        23 POP_TOP
        24 JUMP                  -> 28
        25 SWAP                  2
        26 POP_EXCEPT
        27 RERAISE
        28 LOAD_NONE
        29 LOAD_NONE
        30 LOAD_NONE
        31 CALL                  3
        32 POP_TOP
        33 JUMP                  -> 45
        34 PUSH_EXC_INFO
        35 WITH_EXCEPT_START
        36 POP_JUMP_IF_TRUE      -> 38
        37 RERAISE
        38 POP_TOP
        39 POP_EXCEPT
        40 POP_TOP
        41 JUMP                  -> 45
        42 SWAP                  2
        43 POP_EXCEPT
        44 RERAISE
        45 RETURN_CONST          None
      except 3..7 -> 34 depth 1
      except 7..11 -> 17 depth 2
      except 11..18 -> 34 depth 1
      except 18..21 -> 25 depth 3
      except 21..28 -> 34 depth 1
      except 35..38 -> 42 depth 2
)dump");
}

TEST(Compile, Calls) {
  EXPECT_EQ(Dump(R"py(f(1, x=2)
o.m(1)
o.m(*a, b, **k)
f(**k, z=1)
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 5 line 1
    1    0 LOAD_GLOBAL           f
         2 LOAD_INT              1
         3 LOAD_INT              2
         4 CALL_KW               2 ('x',)
         6 POP_TOP
    2    7 LOAD_GLOBAL           o
         9 LOAD_METHOD           m
        11 LOAD_INT              1
        12 CALL_METHOD           1
        13 POP_TOP
    3   14 LOAD_GLOBAL           o
        16 LOAD_ATTR             m
        18 BUILD_LIST            0
        19 LOAD_GLOBAL           a
        21 LIST_EXTEND           1
        22 LOAD_GLOBAL           b
        24 LIST_APPEND           1
        25 LIST_TO_TUPLE
        26 BUILD_MAP             0
        27 LOAD_GLOBAL           k
        29 DICT_MERGE            1
        30 CALL_EX               1
        31 POP_TOP
    4   32 LOAD_GLOBAL           f
        34 BUILD_TUPLE           0
        35 BUILD_MAP             0
        36 LOAD_GLOBAL           k
        38 DICT_MERGE            1
        39 LOAD_INT              1
        40 LOAD_CONST            ('z',)
        41 BUILD_CONST_KEY_MAP   1
        42 DICT_MERGE            1
        43 CALL_EX               1
        44 POP_TOP
    1   45 RETURN_CONST          None
)dump");
}

TEST(Compile, Comprehensions) {
  EXPECT_EQ(Dump(R"py([x * k for x in y if x for z in x]
{a: b for a, b in c}
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_CONST            <code <listcomp>>
         1 MAKE_FUNCTION         0
         2 LOAD_GLOBAL           y
         4 GET_ITER
         5 CALL                  1
         6 POP_TOP
    2    7 LOAD_CONST            <code <dictcomp>>
         8 MAKE_FUNCTION         0
         9 LOAD_GLOBAL           c
        11 GET_ITER
        12 CALL                  1
        13 POP_TOP
    1   14 RETURN_CONST          None
code <listcomp>(.0, x, z) args 1/1/0 flags 64 stack 5 line 1
    1    0 BUILD_LIST            0
         1 LOAD_FAST             .0
         2 FOR_ITER              -> 15
         3 STORE_FAST_LOAD_FAST  x x
         4 POP_JUMP_IF_FALSE     -> 14
         5 LOAD_FAST             x
         6 GET_ITER
         7 FOR_ITER              -> 14
         8 STORE_FAST_LOAD_FAST  z x
         9 LOAD_GLOBAL           k
        11 BINARY_MUL
        12 LIST_APPEND           3
        13 JUMP_BACK             -> 7
        14 JUMP_BACK             -> 2
        15 RETURN_VALUE
code <dictcomp>(.0, a, b) args 1/1/0 flags 64 stack 4 line 2
    2    0 BUILD_MAP             0
         1 LOAD_FAST             .0
         2 FOR_ITER              -> 8
         3 UNPACK_SEQUENCE       2
         4 STORE_FAST_STORE_FAST a b
         5 LOAD_FAST_LOAD_FAST   a b
         6 MAP_ADD               2
         7 JUMP_BACK             -> 2
         8 RETURN_VALUE
)dump");
}

TEST(Compile, Generator) {
  EXPECT_EQ(Dump(R"py(def g(x):
    y = yield x
    z = yield from y
    return z
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 1 line 1
    1    0 LOAD_CONST            <code g>
         1 MAKE_FUNCTION         0
         2 STORE_GLOBAL          g
         3 RETURN_CONST          None
code g(x, y, z) args 1/0/0 flags 4 stack 2 line 1
    2    0 LOAD_FAST             x
         1 YIELD_VALUE
    3    2 STORE_FAST_LOAD_FAST  y y
         3 GET_YIELD_FROM_ITER
         4 LOAD_NONE
         5 YIELD_FROM
    4    6 STORE_FAST_LOAD_FAST  z z
         7 RETURN_VALUE
)dump");
}

TEST(Compile, Compare) {
  EXPECT_EQ(Dump(R"py(a < b < c
if a < b < c and d is not None or not e: f
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 3 line 1
    1    0 LOAD_GLOBAL           a
         2 LOAD_GLOBAL           b
         4 SWAP                  2
         5 COPY                  2
         6 COMPARE_LT
         7 JUMP_IF_FALSE_OR_POP  -> 12
         8 LOAD_GLOBAL           c
        10 COMPARE_LT
        11 JUMP                  -> 14
        12 SWAP                  2
        13 POP_TOP
        14 POP_TOP
    2   15 LOAD_GLOBAL           a
        17 LOAD_GLOBAL           b
        19 SWAP                  2
        20 COPY                  2
        21 COMPARE_LT
        22 POP_JUMP_IF_FALSE     -> 28
        23 LOAD_GLOBAL           c
        25 COMPARE_LT
        26 POP_JUMP_IF_FALSE     -> 33
        27 JUMP                  -> 30
        28 POP_TOP
        29 JUMP                  -> 33
        30 LOAD_GLOBAL           d
        32 POP_JUMP_IF_NOT_NONE  -> 36
        33 LOAD_GLOBAL           e
        35 POP_JUMP_IF_TRUE      -> 39
        36 LOAD_GLOBAL           f
        38 POP_TOP
    1   39 RETURN_CONST          None
)dump");
}

TEST(Compile, Targets) {
  EXPECT_EQ(Dump(R"py(a, *b, c = d
o.x[1], y = z
a[1:2] += b
o.p += 1
del a[0], o.q, n
x, y = y, x
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 6 line 1
    1    0 LOAD_GLOBAL           d
         2 UNPACK_EX             1|1
         3 STORE_GLOBAL          a
         4 STORE_GLOBAL          b
         5 STORE_GLOBAL          c
    2    6 LOAD_GLOBAL           z
         8 UNPACK_SEQUENCE       2
         9 LOAD_GLOBAL           o
        11 LOAD_ATTR             x
        13 LOAD_INT              1
        14 STORE_SUBSCR
        15 STORE_GLOBAL          y
    3   16 LOAD_GLOBAL           a
        18 LOAD_INT              1
        19 LOAD_INT              2
        20 COPY                  3
        21 COPY                  3
        22 COPY                  3
        23 BINARY_SLICE
        24 LOAD_GLOBAL           b
        26 INPLACE_ADD
        27 SWAP                  4
        28 SWAP                  3
        29 SWAP                  2
        30 STORE_SLICE
    4   31 LOAD_GLOBAL           o
        33 COPY                  1
        34 LOAD_ATTR             p
        36 INPLACE_ADD_INT       1
        37 SWAP                  2
        38 STORE_ATTR            p
    5   40 LOAD_GLOBAL           a
        42 LOAD_INT              0
        43 DELETE_SUBSCR
        44 LOAD_GLOBAL           o
        46 DELETE_ATTR           q
        47 DELETE_GLOBAL         n
    6   48 LOAD_GLOBAL           y
        50 LOAD_GLOBAL           x
        52 SWAP                  2
        53 STORE_GLOBAL          x
        54 STORE_GLOBAL          y
    1   55 RETURN_CONST          None
)dump");
}

TEST(Compile, FString) {
  EXPECT_EQ(Dump(R"py(f'{a!r:>{w}} {b=} {{}}'
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 4 line 1
    1    0 LOAD_GLOBAL           a
         2 LOAD_CONST            '>'
         3 LOAD_GLOBAL           w
         5 FORMAT_VALUE          0
         6 BUILD_STRING          2
         7 FORMAT_VALUE          6
         8 LOAD_CONST            ' b='
         9 LOAD_GLOBAL           b
        11 FORMAT_VALUE          2
        12 LOAD_CONST            ' {}'
        13 BUILD_STRING          4
        14 POP_TOP
        15 RETURN_CONST          None
)dump");
}

TEST(Compile, Imports) {
  EXPECT_EQ(Dump(R"py(import a.b.c, d as e, f.g as h
from m import x, y as z
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_INT              0
         1 LOAD_NONE
         2 IMPORT_NAME           a.b.c
         3 STORE_GLOBAL          a
         4 LOAD_INT              0
         5 LOAD_NONE
         6 IMPORT_NAME           d
         7 STORE_GLOBAL          e
         8 LOAD_INT              0
         9 LOAD_NONE
        10 IMPORT_NAME           f.g
        11 IMPORT_FROM           g
        12 SWAP                  2
        13 POP_TOP
        14 STORE_GLOBAL          h
    2   15 LOAD_INT              0
        16 LOAD_CONST            ('x', 'y')
        17 IMPORT_NAME           m
        18 IMPORT_FROM           x
        19 STORE_GLOBAL          x
        20 IMPORT_FROM           y
        21 STORE_GLOBAL          z
        22 POP_TOP
    1   23 RETURN_CONST          None
)dump");
}

TEST(Compile, Assert) {
  EXPECT_EQ(Dump(R"py(assert a, 'text'
assert (yes := b)
)py"), R"dump(
code <module>() args 0/0/0 flags 16 stack 2 line 1
    1    0 LOAD_GLOBAL           a
         2 POP_JUMP_IF_TRUE      -> 7
         3 LOAD_ASSERTION_ERROR
         4 LOAD_CONST            'text'
         5 CALL                  1
         6 RAISE                 1
    2    7 LOAD_GLOBAL           b
         9 COPY                  1
        10 STORE_GLOBAL          yes
        11 POP_JUMP_IF_TRUE      -> 14
        12 LOAD_ASSERTION_ERROR
        13 RAISE                 1
    1   14 RETURN_CONST          None
)dump");
}

TEST(Anchors, OperatorsAndBrackets) {
  auto find = [](const char* segment) {
    uint32_t start = 0, end = 0;
    return FindOperator(segment, &start, &end) ? std::to_string(start) + "-" + std::to_string(end) : std::string();
  };
  EXPECT_EQ(find("a + b"), "2-3");
  EXPECT_EQ(find("a // b"), "2-4");
  EXPECT_EQ(find("[1, 2, 3][5]"), "9-12");
  EXPECT_EQ(find("f(x)"), "");
  EXPECT_EQ(find("a.b"), "");
  EXPECT_EQ(find("a +"), "");
}

TEST(Compile, SuperinstructionsCanBeSwitchedOff) {
  std::string plain = Dump("def f(a, b):\n    c = a + b\n    return c + 1\n", false);
  EXPECT_EQ(plain.find("LOAD_FAST_LOAD_FAST"), std::string::npos);
  EXPECT_EQ(plain.find("ADD_INT"), std::string::npos);
}

TEST(Compile, DeadCodeVanishes) {
  std::string dump = Dump("def f():\n    return 1\n    g()\n    while x: h()\n");
  EXPECT_EQ(dump.find("LOAD_GLOBAL"), std::string::npos) << dump;
  dump = Dump("if 0:\n    g()\nelif 1:\n    h()\nelse:\n    k()\n");
  EXPECT_EQ(dump.find(" g\n"), std::string::npos) << dump;
  EXPECT_NE(dump.find(" h\n"), std::string::npos) << dump;
  EXPECT_EQ(dump.find(" k\n"), std::string::npos) << dump;
}

TEST(Compile, BoundnessOfSlots) {
  // Bound on all paths: no check. A del, a loop that may not run, or an exception before the store: checked.
  EXPECT_EQ(Dump("def f(c):\n    if c:\n        x = 1\n    else:\n        x = 2\n    return x\n").find("LOAD_FAST_CHECK"), std::string::npos);
  EXPECT_NE(Dump("def f(c):\n    del c\n    return c\n").find("LOAD_FAST_CHECK"), std::string::npos);
  EXPECT_NE(Dump("def f(c):\n    for x in c: pass\n    return x\n").find("LOAD_FAST_CHECK       x"), std::string::npos);
  EXPECT_NE(Dump("def f(c):\n    try:\n        x = c()\n    except E:\n        pass\n    return x\n").find("LOAD_FAST_CHECK       x"),
            std::string::npos);
  EXPECT_EQ(Dump("def f(c):\n    x = 0\n    try:\n        x = c()\n    except E:\n        pass\n    return x\n").find("LOAD_FAST_CHECK"),
            std::string::npos);
}

TEST(Compile, CodeUnitFields) {
  SyntaxErrorInfo error;
  auto unit = CompileModule("'module doc'\n@d\ndef f(a, /, b, *, c): 'doc'\n", "t.py", {}, &error);
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->consts[unit->doc_const].s, "module doc");
  const CodeUnit* f = nullptr;
  for (const Const& c : unit->consts) {
    if (c.kind == Const::Kind::kCode) f = c.code.get();
  }
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->argcount, 2u);
  EXPECT_EQ(f->posonlyargcount, 1u);
  EXPECT_EQ(f->kwonlyargcount, 1u);
  EXPECT_EQ(f->first_line, 2u);
  EXPECT_EQ(f->consts[f->doc_const].s, "doc");
  EXPECT_EQ(f->filename, "t.py");
  EXPECT_EQ(unit->flags, kModule);
}

TEST(Compile, PositionsAndHandlers) {
  SyntaxErrorInfo error;
  auto unit = CompileModule("try:\n    f(a.b +\n      1)\nexcept E: pass\n", "t.py", {}, &error);
  ASSERT_NE(unit, nullptr);
  bool found = false;
  for (uint32_t at = 0; at < unit->code.size(); at += static_cast<uint32_t>(OpWords(OpOf(unit->code[at])))) {
    if (OpOf(unit->code[at]) != Op::kBinaryAddInt) continue;
    found = true;
    Position p = unit->PositionAt(at);
    EXPECT_EQ(p.line, 2u);
    EXPECT_EQ(p.col, 6u);
    EXPECT_EQ(p.end_line, 3u);
    EXPECT_EQ(p.end_col, 7u);
    ASSERT_NE(unit->FindHandler(at), nullptr);
    EXPECT_EQ(unit->FindHandler(at)->depth, 0u);
    EXPECT_EQ(OpOf(unit->code[unit->FindHandler(at)->handler]), Op::kPushExcInfo);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(unit->FindHandler(static_cast<uint32_t>(unit->code.size()) - 1), nullptr);
}

}  // namespace
}  // namespace tidepool::rt::lang
