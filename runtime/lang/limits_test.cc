// Hostile input: deep nesting, huge programs, truncated and mutated sources. Everything ends in code that the verifier
// accepts or in an error with a message, within bounded stack and time.
#include <dirent.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/ast.h"
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/lexer.h"
#include "tidepool/runtime/lang/verify.h"

namespace tidepool::rt::lang {
namespace {

// "" if it compiled, else the error's message.
std::string Compile(const std::string& source) {
  SyntaxErrorInfo error;
  auto unit = CompileModule(source, "t.py", {}, &error);
  if (unit == nullptr) {
    EXPECT_NE(error.message, "");
    EXPECT_NE(error.Format(), "");
    return error.message;
  }
  EXPECT_EQ(Verify(*unit), "") << source.substr(0, 2000);
  return "";
}

std::string Repeat(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; i++) out += s;
  return out;
}

TEST(Limits, NestedBrackets) {
  for (const char* pair : {"()", "[]", "{}"}) {
    auto nest = [&](int n) { return Compile("x = " + std::string(n, pair[0]) + "1" + std::string(n, pair[1])); };
    EXPECT_EQ(nest(100), "") << pair;
    EXPECT_EQ(nest(kMaxParens + 1), "too many nested parentheses");
  }
  EXPECT_NE(Compile("x = " + Repeat("f(", 100000)), "");
  EXPECT_NE(Compile(Repeat("[", 100000)), "");
}

TEST(Limits, NestedOperators) {
  std::string deep = "expression is nested too deeply";
  EXPECT_EQ(Compile("x = " + Repeat("-", 200) + "y"), "");
  EXPECT_EQ(Compile("x = " + Repeat("-", 100000) + "y"), deep);
  EXPECT_EQ(Compile("x = " + Repeat("not ", 100000) + "y"), deep);
  EXPECT_EQ(Compile("x = " + Repeat("y ** ", 100000) + "y"), deep);
  EXPECT_EQ(Compile("x = " + Repeat("lambda: ", 100000) + "y"), deep);
  EXPECT_EQ(Compile("x = " + Repeat("a if b else ", 100000) + "y"), deep);
  EXPECT_EQ(Compile("x = " + Repeat("a + ", 900) + "a"), "");
  EXPECT_EQ(Compile("x = " + Repeat("a + ", 100000) + "a"), deep);
  EXPECT_EQ(Compile("x = a" + Repeat(".b", 900)), "");
  EXPECT_EQ(Compile("x = a" + Repeat(".b", 100000)), deep);
  EXPECT_EQ(Compile("x = a" + Repeat("()", 100000)), deep);
  EXPECT_EQ(Compile("x = a" + Repeat("[0]", 100000)), deep);
  EXPECT_EQ(Compile("x = " + Repeat("lambda: ", 250) + "y"), "");
}

TEST(Limits, LongFlatChains) {
  EXPECT_EQ(Compile("x = " + Repeat("a and ", 20000) + "a"), "");
  EXPECT_EQ(Compile("x = " + Repeat("a < ", 20000) + "a"), "");
  EXPECT_EQ(Compile("x = " + Repeat("'a' ", 20000)), "");
  EXPECT_EQ(Compile("x = [" + Repeat("a, ", 50000) + "]"), "");
  EXPECT_EQ(Compile("x = (" + Repeat("1, ", 50000) + ")"), "");
  EXPECT_EQ(Compile("x = {" + Repeat("a: b, ", 20000) + "}"), "");
  EXPECT_EQ(Compile("f(" + Repeat("a, ", 5000) + ")"), "");
  EXPECT_EQ(Compile(Repeat("a = ", 5000) + "b"), "");
  EXPECT_EQ(Compile("if a: pass\n" + Repeat("elif b: pass\n", 20000) + "else: pass\n"), "");
  EXPECT_EQ(Compile(Repeat("x = a + b\n", 50000)), "");
  EXPECT_EQ(Compile("x = f'" + Repeat("{a}b", 20000) + "'"), "");
  EXPECT_EQ(Compile(Repeat("a, ", 5000) + " = b"), "");
  EXPECT_EQ(Compile(Repeat("a, ", 5000) + " *b = c"), "too many expressions in star-unpacking assignment");
  std::string params, slots;
  for (int i = 0; i < 5000; i++) {
    params += "p" + std::to_string(i) + ", ";
    slots += " v" + std::to_string(i) + " = p" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(Compile("def f(" + params + "):\n" + slots), "");
}

TEST(Limits, Blocks) {
  auto blocks = [](const std::string& head, int n) {
    std::string out;
    for (int i = 0; i < n; i++) out += std::string(i, ' ') + head + "\n";
    return out + std::string(n, ' ') + "pass\n";
  };
  EXPECT_EQ(Compile(blocks("if a:", 99)), "");
  EXPECT_EQ(Compile(blocks("if a:", 101)), "too many levels of indentation");
  EXPECT_EQ(Compile(blocks("for a in b:", 20)), "");
  EXPECT_EQ(Compile(blocks("for a in b:", 21)), "too many statically nested blocks");
  EXPECT_EQ(Compile(blocks("def f():", 99)), "");
  EXPECT_EQ(Compile(blocks("class C:", 99)), "");
  // A finally body is compiled once per way out: nested ones must not explode.
  auto finals = [](int n) {
    std::string out;
    for (int i = 0; i < n; i++) out += std::string(i, ' ') + "try: pass\n" + std::string(i, ' ') + "finally:\n";
    return out + std::string(n, ' ') + "x = 1\n";
  };
  EXPECT_EQ(Compile(finals(10)), "");
  EXPECT_EQ(Compile(finals(19)), "code is too large");
  EXPECT_EQ(Compile(finals(60)), "code is too large");
  
}

TEST(Limits, FStrings) {
  EXPECT_EQ(Compile("f'{a:{b}}'"), "");
  EXPECT_NE(Compile("f'{a:{b:{c}}}'"), "");
  EXPECT_NE(Compile("f'" + Repeat("{", 100001) + "'"), "");
  EXPECT_NE(Compile("f'{" + Repeat("(", 1000) + "'"), "");
  EXPECT_NE(Compile("f'{" + Repeat("-", 100000) + "a}'"), "");
  EXPECT_EQ(Compile("f\"{f'{a}'}\""), "");
  EXPECT_EQ(Compile("f'''" + Repeat("\n{a}", 20000) + "'''"), "");
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The scripts of tests/scripts, as a corpus.
std::vector<std::string> Corpus() {
  std::vector<std::string> out;
  const char* srcdir = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  std::string folder = (srcdir != nullptr && workspace != nullptr ? std::string(srcdir) + "/" + workspace : std::string(".")) + "/tests/scripts";
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return out;
  while (dirent* entry = readdir(dir)) {
    std::string name = entry->d_name;
    if (name.size() > 3 && name.substr(name.size() - 3) == ".py") out.push_back(ReadFile(folder + "/" + name));
  }
  closedir(dir);
  return out;
}

TEST(Corpus, CompilesAndVerifies) {
  std::vector<std::string> corpus = Corpus();
  ASSERT_GE(corpus.size(), 30u);
  int good = 0;
  for (const std::string& s : corpus) good += Compile(s).empty();
  EXPECT_GE(good, static_cast<int>(corpus.size()) - 8);  // a few scripts show syntax errors
}

TEST(Corpus, TruncatedAnywhere) {
  std::mt19937 random(1);
  for (const std::string& s : Corpus()) {
    for (int i = 0; i < 10; i++) Compile(s.substr(0, random() % (s.size() + 1)));
  }
}

TEST(Corpus, Mutated) {
  static const char* kPieces[] = {"(", ")", "[", "]", "{", "}", ":", ",", "\n", "\n    ", " ", "'", "\"\"\"", "\\", "=", ":=", "*", "**", "lambda ", "yield ",
                                  "return ", "break\n", "f'{", "def f():", "class C:", "except:", "finally:", "with a:", "for x in y:", "global x", "nonlocal x",
                                  "\xc3\xa9", "\xff", "1e", "0x", "@", ".", "...", "del x", "async ", "not "};
  std::mt19937 random(2);
  for (const std::string& original : Corpus()) {
    for (int i = 0; i < 20; i++) {
      // A window of the script, with a few edits.
      size_t start = random() % (original.size() + 1);
      std::string s = original.substr(original.find('\n', start) == std::string::npos ? 0 : original.find('\n', start) + 1, 600);
      for (int edit = random() % 4; edit >= 0; edit--) {
        size_t at = random() % (s.size() + 1);
        if (random() % 2 == 0) {
          s.insert(at, kPieces[random() % (sizeof kPieces / sizeof *kPieces)]);
        } else {
          s.erase(at, random() % 8);
        }
      }
      Compile(s);
    }
  }
}

}  // namespace
}  // namespace tidepool::rt::lang
