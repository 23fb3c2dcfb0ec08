// Puts lines together and writes them.

#include "tidepool/gc/internal/gc_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace tidepool {
namespace gc_internal {

// {"event":"...","pid":N,...}\n, cut (and then still one line) should it be too long.
class GcLog::Line {
 public:
  explicit Line(const char* event) {
    Raw("{\"event\":\"");
    Raw(event);
    Raw("\"");
    Number("pid", static_cast<uint64_t>(getpid()));
  }
  void Number(const char* key, uint64_t value) {
    Key(key);
    Digits(value);
  }
  void Flag(const char* key, bool value) {
    Key(key);
    Raw(value ? "true" : "false");
  }
  void Text(const char* key, const char* value) {
    Key(key);
    Put('"');
    for (const char* p = value; *p != '\0'; ++p) {
      const unsigned char c = static_cast<unsigned char>(*p);
      if (c == '"' || c == '\\') Put('\\');
      Put(c < 0x20 ? ' ' : *p);
    }
    Put('"');
  }
  void Snapshot(const HeapSnapshot& s) {
    Number("time_ns", s.run_ns);
    Number("allocated", s.allocated_total);
    Number("live", s.live_bytes);
    Number("objects", s.gc_blocks);
    Number("external", s.external_bytes);
    Number("committed", s.committed_bytes);
    Number("limbo", s.limbo_bytes);
    Number("dormant", s.dormant_bytes);
    Number("limit", s.memory_limit);
    Number("threads", s.threads);
  }
  void Phases(const CollectStats& stats) {
    Key("phase_ns");
    for (int i = 0; i < kGcPhaseCount; ++i) {
      Raw(i == 0 ? "{\"" : ",\"");
      Raw(GcPhaseName(static_cast<GcPhase>(i)));
      Raw("\":");
      Digits(stats.phase_ns[i]);
    }
    Put('}');
  }
  const char* End() {
    text_[size_++] = '}';
    text_[size_++] = '\n';
    return text_;
  }
  size_t size() const { return size_; }

 private:
  void Key(const char* key) {
    Raw(",\"");
    Raw(key);
    Raw("\":");
  }
  void Digits(uint64_t value) {
    char digits[20];
    int n = 0;
    do {
      digits[n++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (n > 0) Put(digits[--n]);
  }
  void Raw(const char* text) {
    while (*text != '\0') Put(*text++);
  }
  void Put(char c) {
    if (size_ < sizeof(text_) - 2) text_[size_++] = c;
  }

  char text_[3072];
  size_t size_ = 0;
};

GcLog::~GcLog() {
  const int fd = fd_.load(kRelaxed);
  if (fd >= 0) close(fd);
}

absl::Status GcLog::Open(const char* path) {
  if (on()) return absl::FailedPreconditionError("the gc log is open already");
  std::string name = path;
  for (size_t at; (at = name.find("%p")) != std::string::npos;) {
    name.replace(at, 2, std::to_string(getpid()));
  }
  const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write the gc log '", name, "': ", std::strerror(errno)));
  }
  fd_.store(fd, kRelaxed);
  return absl::OkStatus();
}

void GcLog::Write(Line& line) {
  const int saved = errno;
  const char* text = line.End();
  ssize_t n;
  do {
    n = write(fd_.load(kRelaxed), text, line.size());
  } while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(line.size())) lost_.fetch_add(1, kRelaxed);  // a figure
  errno = saved;
}

void GcLog::Start(const char* policy, uint64_t every, const HeapSnapshot& s) {
  Line line("start");
  line.Number("format", 1);
  line.Text("policy", policy);
  line.Number("every", every);
  line.Number("pause_ms", s.pause_ms);
  line.Snapshot(s);
  Write(line);
}

void GcLog::Sample(const HeapSnapshot& s, bool enabled) {
  Line line("sample");
  line.Flag("enabled", enabled);
  line.Snapshot(s);
  Write(line);
}

void GcLog::Ask(const char* policy, const HeapSnapshot& s, const Decision& d) {
  Line line("ask");
  line.Text("policy", policy);
  line.Flag("collect", d.collect);
  line.Text("reason", d.reason);
  line.Number("next", d.next_threshold);
  line.Snapshot(s);
  line.Number("live_after_last", s.live_bytes_after_last);
  line.Number("objects_after_last", s.gc_blocks_after_last);
  line.Number("allocated_since", s.allocated_since);
  line.Number("survivors", s.survivors);
  line.Number("last_pause_ns", s.last_pause_ns);
  line.Number("since_last_ns", s.since_last_ns);
  line.Number("total_gc_ns", s.total_gc_ns);
  line.Number("threshold0", s.thresholds[0]);
  line.Number("threshold1", s.thresholds[1]);
  line.Number("threshold2", s.thresholds[2]);
  line.Flag("threshold_set", s.thresholds_explicit);
  Write(line);
}

void GcLog::Collect(const char* policy, const HeapSnapshot& before, const HeapSnapshot& after,
                    const Plan& plan, const CollectStats& stats) {
  Line line("collect");
  line.Text("policy", policy);
  line.Text("reason", stats.reason);
  line.Number("generation", static_cast<uint64_t>(stats.generation));
  line.Snapshot(before);
  line.Number("live_after_last", before.live_bytes_after_last);
  line.Number("live_after", after.live_bytes);
  line.Number("objects_after", after.gc_blocks);
  line.Number("committed_after", after.committed_bytes);
  line.Number("allocated_after", after.allocated_total);
  line.Number("freed", stats.freed_bytes);
  line.Number("freed_objects", stats.freed_objects);
  line.Number("end_ns", after.run_ns);
  line.Number("cpu_ns", stats.cpu_ns);
  line.Number("total_ns", stats.total_ns);
  line.Number("span_ns", stats.span_ns);
  line.Number("stops", stats.stops);
  line.Number("slices", stats.slices);
  line.Number("pause_ns", stats.pause_ns);
  line.Number("paused_ns", stats.paused_ns);
  line.Number("tracked", stats.tracked);
  line.Number("frozen", stats.frozen);
  line.Number("marked", stats.marked);
  line.Number("candidates", stats.candidates);
  line.Number("collected", stats.collected);
  line.Number("uncollectable", stats.uncollectable);
  line.Number("resurrected", stats.resurrected);
  line.Number("finalizers", stats.finalizers);
  line.Number("weakrefs_cleared", stats.weakrefs_cleared);
  line.Flag("out_of_memory", stats.out_of_memory);
  line.Flag("given_up", stats.given_up);
  line.Number("mark_threads", static_cast<uint64_t>(plan.mark_threads));
  line.Number("pause_budget_ns", plan.pause_budget_ns);
  line.Flag("purged", plan.purge_afterwards);
  line.Phases(stats);
  Write(line);
}

void GcLog::Policy(const char* policy, const HeapSnapshot& s) {
  Line line("policy");
  line.Text("policy", policy);
  line.Snapshot(s);
  Write(line);
}

void GcLog::Fault(const char* policy, const char* fault) {
  Line line("fault");
  line.Text("policy", policy);
  line.Text("fault", fault);
  Write(line);
}

void GcLog::End(const HeapSnapshot& s) {
  Line line("end");
  line.Snapshot(s);
  line.Number("collections", s.collections);
  line.Number("total_gc_ns", s.total_gc_ns);
  line.Number("lost_lines", lost());
  Write(line);
}

}  // namespace gc_internal
}  // namespace tidepool
