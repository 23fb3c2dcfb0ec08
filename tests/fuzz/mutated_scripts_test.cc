// Scripts of tests/scripts, damaged at random (fixed seed), on //runtime:tidepool: whatever the text is, the program does not crash.
//
// Tokens are exchanged, doubled, left out and moved, numbers grow, brackets and blocks are nested, bytes are changed. Most of what
// comes out is a syntax error, which runtime/lang/limits_test.cc has plenty of; here those are left out in favour of texts that
// compile, so that what runs is nonsense that no person would write. A limit of memory applies, and SIGINT after some
// seconds, for nonsense may well loop. Allowed ends: any status below 120, 130 after SIGINT, and SIGKILL for what catches that.
//
// Names that reach beyond the process (files, processes, os) are left out of the corpus.
#include <fstream>
#include <random>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/verify.h"
#include "tidepool/tests/people/child.h"

namespace tidepool::testing {
namespace {

bool Harmless(const std::string& text) {
  for (const char* word : {"open(", "subprocess", "import os", "os.", "input(", "stdin", "exit", "kill", "sleep", "faulthandler", "ctypes", "recursionlimit"}) {
    if (text.find(word) != std::string::npos) return false;
  }
  return true;
}

// Words, numbers, strings, operators and white space, as a lexer of no great care sees them.
std::vector<std::string> Pieces(const std::string& text) {
  std::vector<std::string> out;
  auto word = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
  for (size_t i = 0; i < text.size();) {
    size_t j = i + 1;
    if (word(text[i])) {
      while (j < text.size() && word(text[j])) j++;
    } else if (text[i] == '\n') {
      while (j < text.size() && text[j] == ' ') j++;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (j < text.size() && text[j] != text[i] && text[j] != '\n') j++;
      if (j < text.size() && text[j] == text[i]) j++;
    }
    out.push_back(text.substr(i, j - i));
    i = j;
  }
  return out;
}

class Mutator {
 public:
  Mutator() {
    for (const Script& script : FindScripts()) {
      if (!IsPlain(script)) continue;
      const std::string text = Source(script);
      if (Harmless(text)) corpus_.push_back(Pieces(text));
    }
  }
  size_t size() const { return corpus_.size(); }

  std::string Next() {
    std::vector<std::string> p = Pick(corpus_);
    // A part of the script runs sooner than the whole.
    if (p.size() > 400 && Below(2) == 0) {
      size_t from = Below(p.size() - 300);
      while (from > 0 && p[from] != "\n") from--;
      p.erase(p.begin(), p.begin() + static_cast<int64_t>(from));
    }
    for (size_t n = 1 + Below(4); n > 0; n--) Change(&p);
    std::string text;
    for (const std::string& s : p) text += s;
    return text;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  template <class T>
  const T& Pick(const std::vector<T>& v) {
    return v[Below(v.size())];
  }
  // Another piece of the same kind in some script.
  std::string Alike(const std::string& old) {
    for (int i = 0; i < 50; i++) {
      const std::string& s = Pick(Pick(corpus_));
      if (isalpha(static_cast<unsigned char>(s[0])) == isalpha(static_cast<unsigned char>(old[0])) &&
          isdigit(static_cast<unsigned char>(s[0])) == isdigit(static_cast<unsigned char>(old[0])) && (s[0] == '\n') == (old[0] == '\n')) {
        return s;
      }
    }
    return old;
  }
  void Change(std::vector<std::string>* p) {
    const size_t at = Below(p->size());
    std::string& s = (*p)[at];
    switch (Below(9)) {
      case 0:
      case 1:
      case 2: s = Alike(s); break;
      case 3: s += s; break;
      case 4: s.clear(); break;
      case 5: std::swap(s, (*p)[Below(p->size())]); break;
      case 6:
        for (size_t i = at; i < p->size(); i++) {
          if (!isdigit(static_cast<unsigned char>((*p)[i][0]))) continue;
          static const std::vector<std::string> kNumbers{"0", "-1", "1", "2**63", "10**30", "1e308", "-2**62", "10**7", "None", "''", "()", "object", "print"};
          (*p)[i] = "(" + Pick(kNumbers) + ")";
          break;
        }
        break;
      case 7: {  // deep
        static const std::vector<std::pair<std::string, std::string>> kPairs{{"(", ")"}, {"[", "]"}, {"-", ""}, {"not ", ""}, {"(lambda: ", ")()"}, {"{1: ", "}"}};
        const auto& pair = Pick(kPairs);
        std::string before, after;
        for (size_t i = Below(60); i > 0; i--) {
          before += pair.first;
          after += pair.second;
        }
        s = before + s + after;
        break;
      }
      default:
        if (!s.empty()) s[Below(s.size())] = static_cast<char>(random_());
    }
  }

  std::vector<std::vector<std::string>> corpus_;
  std::mt19937 random_{20261130};
};

bool Compiles(const std::string& text) {
  rt::lang::SyntaxErrorInfo error;
  const auto unit = rt::lang::CompileModule(text, "mutated.py", {}, &error);
  if (unit == nullptr) {
    EXPECT_FALSE(error.message.empty());
    rt::lang::Look(text);
    return false;
  }
  EXPECT_EQ(rt::lang::Verify(*unit), "");
  return true;
}

TEST(MutatedScripts, DoNotCrash) {
  const bool full = Full();
  const int most = full ? 4000 : *kSanitizer != '\0' ? 25 : 100;
  const char* folder = getenv("TEST_TMPDIR");
  const std::string place = std::string(folder != nullptr ? folder : "/tmp") + "/";
  const std::string path = place + "mutated.py";
  // Scripts with threads import it.
  std::ofstream(place + "worker_threads.py", std::ios::binary) << ReadFile(Root() + "/tests/scripts/worker_threads.py");
  Mutator mutator;
  ASSERT_GE(mutator.size(), 20u);
  int ran = 0, texts = 0;
  while (ran < most && texts < most * 40) {
    texts++;
    const std::string text = mutator.Next();
    if (!Compiles(text)) continue;
    ran++;
    std::ofstream(path, std::ios::binary) << text;
    Child child(Child::kPipes, {"--max-memory=128M", path});
    child.CloseInput();
    int status = child.Wait(full ? 5 : 1);
    if (status == 2000) {
      child.Signal(SIGINT);
      status = child.Wait(5);
    }
    // 2000 again: it catches everything, or waits for threads of its own that do not end.
    const bool reported = *kSanitizer != '\0' && (child.read().find("Sanitizer:") != std::string::npos || child.read().find("runtime error:") != std::string::npos);
    if (!reported && (status < 120 || status == 130 || status == 2000)) continue;
    const std::string kept = path + "." + std::to_string(texts);
    std::ofstream(kept, std::ios::binary) << text;
    ADD_FAILURE() << "status " << status << " (1000 + n: signal n) of text " << texts << ", kept as " << kept << "\n"
                  << child.read().substr(child.read().size() > 3000 ? child.read().size() - 3000 : 0) << "\n" << text;
  }
  EXPECT_GE(ran, most / 2) << "of " << texts << " texts";
  unlink(path.c_str());
  unlink((place + "worker_threads.py").c_str());
}

}  // namespace
}  // namespace tidepool::testing
