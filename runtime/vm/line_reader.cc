// Lines from a terminal: see line_reader.h.
//
// Waiting. Both readers wait in poll() for input and for the interrupt descriptor (signals.h), which SIGINT makes readable
// whichever thread takes the signal; so no signal falls between a look at a flag and the wait.
//
// libedit's functions and numbers are those of its histedit.h (NetBSD), which have not changed since 2009.
#include "tidepool/runtime/vm/line_reader.h"

#include <dlfcn.h>
#include <locale.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <fstream>
#include <vector>

#include "tidepool/runtime/vm/signals.h"

namespace tidepool::rt {
namespace {

enum class Wait { kInput, kInterrupted, kBroken };

Wait WaitForInput() {
  for (;;) {
    pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {InterruptFd(), POLLIN, 0}};
    const int n = poll(fds, 2, -1);
    if (InterruptPending()) return Wait::kInterrupted;
    if (n < 0 && errno != EINTR) return Wait::kBroken;
    if (n > 0 && fds[0].revents != 0) return Wait::kInput;
    if (n > 0 && fds[1].revents != 0) ClearInterruptFd();  // left from an interrupt that was seen elsewhere
  }
}

class PlainReader : public LineReader {
 public:
  Result Read(const std::string& prompt, std::string* line) override {
    fputs(prompt.c_str(), stdout);
    fflush(stdout);
    line->clear();
    for (;;) {
      const Wait wait = WaitForInput();
      if (wait == Wait::kInterrupted) return Result::kInterrupted;
      if (wait == Wait::kBroken) return Result::kEnd;
      char buffer[4096];  // a terminal gives a line at most
      const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0 && line->empty()) return Result::kEnd;
      if (n > 0) line->append(buffer, static_cast<size_t>(n));
      if (!line->empty() && line->back() == '\n') return Result::kLine;
    }
  }
};

// ---- libedit

struct EditLine;
struct History;
struct HistEvent {
  int num;
  const char* str;
};
constexpr int kPrompt = 0, kEditor = 2, kBind = 4, kHist = 10, kGetCharacter = 13, kClientData = 14;
constexpr int kHistorySetSize = 1, kHistoryEnter = 10, kHistorySetUnique = 20;
constexpr int kHistoryLines = 1000;

struct Library {
  EditLine* (*init)(const char*, FILE*, FILE*, FILE*);
  void (*end)(EditLine*);
  int (*set)(EditLine*, int, ...);
  int (*get)(EditLine*, int, ...);
  const char* (*gets)(EditLine*, int*);
  History* (*history_init)();
  void (*history_end)(History*);
  int (*history)(History*, HistEvent*, int, ...);

  bool Load() {
    void* handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    bool all = true;
    auto find = [&](auto* function, const char* name) {
      void* address = dlsym(handle, name);
      all &= address != nullptr;
      std::memcpy(function, &address, sizeof address);
    };
    find(&init, "el_init");
    find(&end, "el_end");
    find(&set, "el_set");
    find(&get, "el_get");
    find(&gets, "el_gets");
    find(&history_init, "history_init");
    find(&history_end, "history_end");
    find(&history, "history");
    return all;
  }
};

class EditingReader : public LineReader {
 public:
  static std::unique_ptr<EditingReader> Make(const std::string& history_path) {
    std::unique_ptr<EditingReader> r(new EditingReader(history_path));
    if (!r->library_.Load()) return nullptr;
    setlocale(LC_CTYPE, "C.UTF-8");  // what libedit makes of bytes
    r->edit_ = r->library_.init("tidepool", stdin, stdout, stderr);
    if (r->edit_ == nullptr) return nullptr;
    const Library& lib = r->library_;
    g_get = lib.get;  // before any call-back runs
    lib.set(r->edit_, kClientData, r.get());
    lib.set(r->edit_, kPrompt, &EditingReader::PromptOf);
    lib.set(r->edit_, kEditor, "emacs");
    lib.set(r->edit_, kGetCharacter, &EditingReader::Character);
    lib.set(r->edit_, kBind, "^R", "em-inc-search-prev", nullptr);
    lib.set(r->edit_, kBind, "\t", "ed-insert", nullptr);
    r->OpenHistory();
    return r;
  }

  ~EditingReader() override {
    if (history_ != nullptr) library_.history_end(history_);
    if (edit_ != nullptr) library_.end(edit_);
  }

  Result Read(const std::string& prompt, std::string* line) override {
    prompt_ = prompt;
    interrupted_ = false;
    int count = 0;
    const char* text = library_.gets(edit_, &count);
    if (interrupted_) return Result::kInterrupted;
    if (text == nullptr || count <= 0) return Result::kEnd;
    line->assign(text, static_cast<size_t>(count));
    if (line->back() != '\n') line->push_back('\n');
    Remember(*line);
    return Result::kLine;
  }

 private:
  explicit EditingReader(const std::string& path) : path_(path) {}

  static char* PromptOf(EditLine* edit) { return Self(edit)->prompt_.data(); }
  static EditingReader* Self(EditLine* edit) {
    void* self = nullptr;
    g_get(edit, kClientData, &self);
    return static_cast<EditingReader*>(self);
  }

  // 1: a character, 0: the end, -1: give up.
  static int Character(EditLine* edit, wchar_t* out) {
    EditingReader* self = Self(edit);
    std::mbstate_t state{};
    for (;;) {
      const Wait wait = WaitForInput();
      self->interrupted_ = wait == Wait::kInterrupted;
      if (wait != Wait::kInput) return -1;
      char byte;
      const ssize_t n = read(STDIN_FILENO, &byte, 1);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return static_cast<int>(n);
      const size_t used = std::mbrtowc(out, &byte, 1, &state);
      if (used <= 1) return 1;
      if (used == static_cast<size_t>(-1)) state = std::mbstate_t{};  // no UTF-8: left out
    }
  }

  void OpenHistory() {
    history_ = library_.history_init();
    if (history_ == nullptr) return;
    HistEvent event;
    library_.history(history_, &event, kHistorySetSize, kHistoryLines);
    library_.history(history_, &event, kHistorySetUnique, 1);
    library_.set(edit_, kHist, library_.history, history_);
    if (path_.empty()) return;
    std::vector<std::string> lines;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const size_t first = lines.size() > kHistoryLines ? lines.size() - kHistoryLines : 0;
    for (size_t i = first; i < lines.size(); i++) Enter(lines[i] + "\n");
    if (lines.size() <= 2 * static_cast<size_t>(kHistoryLines)) return;
    // The file is written anew once it is twice as long as what is kept of it.
    std::ofstream out(path_ + ".new");
    for (size_t i = first; i < lines.size(); i++) out << lines[i] << '\n';
    out.close();
    if (out.good()) rename((path_ + ".new").c_str(), path_.c_str());
  }

  void Enter(const std::string& line) {
    HistEvent event;
    library_.history(history_, &event, kHistoryEnter, line.c_str());
  }

  // Appended at once, so that several terminals can share the file, and a crash loses nothing.
  void Remember(const std::string& line) {
    if (history_ == nullptr || line.find_first_not_of(" \t\n") == std::string::npos) return;
    Enter(line);
    if (path_.empty()) return;
    std::ofstream out(path_, std::ios::app);
    out << line;
  }

  static int (*g_get)(EditLine*, int, ...);  // el_get, for the call-backs

  Library library_{};
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
  std::string path_, prompt_;
  bool interrupted_ = false;
};

int (*EditingReader::g_get)(EditLine*, int, ...) = nullptr;

}  // namespace

std::unique_ptr<LineReader> LineReader::Open(const std::string& history_path) {
  const char* term = getenv("TERM");
  const bool editing = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term != nullptr && *term != '\0' && strcmp(term, "dumb") != 0;
  if (editing) {
    if (auto reader = EditingReader::Make(history_path)) return reader;
  }
  return std::make_unique<PlainReader>();
}

}  // namespace tidepool::rt
