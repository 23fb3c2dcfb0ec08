// How names resolve.
#include "tidepool/runtime/lang/symtable.h"

#include <string>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
namespace {

struct Tables {
  Source source;
  Arena arena;
  SymbolTable table;
  SyntaxErrorInfo error;
  bool ok = false;

  explicit Tables(const std::string& text) {
    if (!source.Load(text, "t.py", &error)) return;
    Module* m = ParseModule(source, arena, &error);
    ok = m != nullptr && table.Build(source, *m, &error);
  }
  // The scope reached by child numbers from the module.
  const Scope* At(std::initializer_list<int> path) const {
    const Scope* s = table.module();
    for (int i : path) s = s->children[i].get();
    return s;
  }
  char Kind(std::initializer_list<int> path, const char* name) const {
    const Symbol* s = At(path)->Find(name);
    return s == nullptr ? '-' : "LCFGN"[static_cast<int>(s->kind)];
  }
};

TEST(SymbolTable, LocalsCellsFrees) {
  Tables t("def f(a, b):\n  c = a\n  def g(d):\n    nonlocal b\n    b = c + d + e\n  return g\n");
  ASSERT_TRUE(t.ok);
  EXPECT_EQ(t.Kind({0}, "a"), 'L');
  EXPECT_EQ(t.Kind({0}, "b"), 'C');
  EXPECT_EQ(t.Kind({0}, "c"), 'C');
  EXPECT_EQ(t.Kind({0, 0}, "b"), 'F');
  EXPECT_EQ(t.Kind({0, 0}, "c"), 'F');
  EXPECT_EQ(t.Kind({0, 0}, "d"), 'L');
  EXPECT_EQ(t.Kind({0, 0}, "e"), 'G');
  EXPECT_EQ(t.At({0, 0})->free, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(t.Kind({}, "f"), 'G');
}

TEST(SymbolTable, PassThroughAndClassScopes) {
  Tables t("def f():\n  x = 1\n  class C:\n    x = 2\n    y = x\n    def m(self):\n      return x, y\n");
  ASSERT_TRUE(t.ok);
  EXPECT_EQ(t.Kind({0}, "x"), 'C');
  EXPECT_EQ(t.Kind({0, 0}, "x"), 'N');                                      // the class's own
  EXPECT_EQ(t.At({0, 0})->free, (std::vector<std::string>{"x"}));           // and f's, on its way to m
  EXPECT_EQ(t.Kind({0, 0, 0}, "x"), 'F');
  EXPECT_EQ(t.Kind({0, 0, 0}, "y"), 'G');                                   // class names are not seen by methods
}

TEST(SymbolTable, GlobalStatement) {
  Tables t("def f():\n  global g\n  g = 1\n  def h():\n    return g\n");
  ASSERT_TRUE(t.ok);
  EXPECT_EQ(t.Kind({0}, "g"), 'G');
  EXPECT_EQ(t.Kind({0, 0}, "g"), 'G');
}

TEST(SymbolTable, SuperNeedsTheClassCell) {
  Tables t("class C:\n  def m(self):\n    return super().m()\n  def n(self): pass\n");
  ASSERT_TRUE(t.ok);
  EXPECT_TRUE(t.At({0})->needs_class_cell);
  EXPECT_EQ(t.At({0, 0})->free, (std::vector<std::string>{"__class__"}));
  EXPECT_TRUE(t.At({0, 1})->free.empty());
}

TEST(SymbolTable, ComprehensionsAreScopesAndWalrusLeavesThem) {
  Tables t("def f(v):\n  return [last := x for x in v], last\n");
  ASSERT_TRUE(t.ok);
  EXPECT_EQ(t.Kind({0}, "last"), 'C');
  EXPECT_EQ(t.Kind({0}, "x"), '-');
  EXPECT_EQ(t.Kind({0, 0}, "x"), 'L');
  EXPECT_EQ(t.Kind({0, 0}, "last"), 'F');
  EXPECT_EQ(t.Kind({0, 0}, ".0"), 'L');
}

TEST(SymbolTable, PrivateNamesAreMangled) {
  Tables t("class _Ab:\n  __x = 1\n  def m(self, __p):\n    __y = self.__z__\n");
  ASSERT_TRUE(t.ok);
  EXPECT_EQ(t.Kind({0}, "_Ab__x"), 'N');
  EXPECT_EQ(t.Kind({0, 0}, "_Ab__p"), 'L');
  EXPECT_EQ(t.Kind({0, 0}, "_Ab__y"), 'L');
  EXPECT_EQ(MangleName("C", "__a"), "_C__a");
  EXPECT_EQ(MangleName("C", "__a__"), "__a__");
  EXPECT_EQ(MangleName("__", "__a"), "__a");
  EXPECT_EQ(MangleName("C", "_a"), "_a");
  EXPECT_EQ(MangleName("", "__a"), "__a");
}

TEST(SymbolTable, Generators) {
  Tables t("def f():\n  yield\ndef g():\n  return (lambda: (yield))\n");
  ASSERT_TRUE(t.ok);
  EXPECT_TRUE(t.At({0})->generator);
  EXPECT_FALSE(t.At({1})->generator);
  EXPECT_TRUE(t.At({1, 0})->generator);
}

}  // namespace
}  // namespace tidepool::rt::lang
