// Reads the lines of docs/gc_log.md. They are ours and flat, so a search for "key": is enough.

#include "tidepool/gc/lab/recording.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace tidepool {
namespace gc_lab {
namespace {

class Line {
 public:
  explicit Line(absl::string_view text) : text_(text) {}

  double Number(absl::string_view key) const {
    const absl::string_view value = Find(key);
    return value.empty() ? 0 : std::strtod(std::string(value.substr(0, 24)).c_str(), nullptr);
  }
  uint64_t Count(absl::string_view key) const { return static_cast<uint64_t>(Number(key)); }
  bool Flag(absl::string_view key) const { return Find(key).substr(0, 4) == "true"; }
  std::string Text(absl::string_view key) const {
    absl::string_view value = Find(key);
    if (value.empty() || value[0] != '"') return "";
    value.remove_prefix(1);
    return std::string(value.substr(0, value.find('"')));
  }
  bool complete() const { return text_.size() > 2 && text_.front() == '{' && text_.back() == '}'; }

 private:
  absl::string_view Find(absl::string_view key) const {
    const std::string wanted = absl::StrCat("\"", key, "\":");
    const size_t at = text_.find(wanted);
    return at == absl::string_view::npos ? absl::string_view() : text_.substr(at + wanted.size());
  }
  absl::string_view text_;
};

Point MakePoint(const Line& line, double gc_ns) {
  Point p;
  p.place = line.Number("allocated");
  p.mutator_ns = std::max(0.0, line.Number("time_ns") - gc_ns);
  p.live = line.Number("live");
  p.objects = line.Number("objects");
  p.external = line.Number("external");
  p.committed = line.Number("committed");
  p.limbo = line.Number("limbo");
  p.dormant = line.Number("dormant");
  p.limit = line.Count("limit");
  p.threads = std::max<uint64_t>(line.Count("threads"), 1);
  return p;
}

Pass MakePass(const Line& line) {
  Pass pass;
  pass.place = line.Number("allocated");
  pass.reason = line.Text("reason");
  pass.at_exit = pass.reason == "exit";
  pass.live_before = line.Number("live");
  pass.live_after = line.Number("live_after");
  pass.objects_before = line.Number("objects");
  pass.objects_after = line.Number("objects_after");
  pass.committed_after = line.Number("committed_after");
  pass.allocated_during = std::max(0.0, line.Number("allocated_after") - pass.place);
  pass.collected = line.Number("collected");
  // A pass that found nothing freed nothing: what went meanwhile died by counts.
  if (pass.collected > 0) {
    pass.freed = std::min(line.Number("freed"), pass.live_before);
    pass.freed_objects = std::max(line.Number("freed_objects"), pass.collected);
  }
  pass.stops = line.Number("stops");
  pass.threads = line.Number("threads");
  pass.budget_ns = line.Number("pause_budget_ns");
  pass.given_up = line.Flag("given_up");
  pass.tracked = line.Number("tracked");
  pass.cpu_ns = line.Number("cpu_ns");
  pass.total_ns = line.Number("total_ns");
  pass.pause_ns = line.Number("pause_ns");
  pass.paused_ns = line.Number("paused_ns");
  return pass;
}

// One thread allocates nothing beside a pass: what the clock went on there is handed out again
// before the next pass.
void SpreadReuse(Recording* r) {
  for (size_t i = 0; i < r->points.size(); ++i) {
    if (r->points[i].pass < 0 || r->points[i].threads > 1) continue;
    const double start = r->points[i].place;
    const double during = r->passes[static_cast<size_t>(r->points[i].pass)].allocated_during;
    size_t next = i + 1;
    while (next < r->points.size() && r->points[next].pass < 0) ++next;
    if (next == r->points.size()) break;
    const double span = r->points[next].place - start;
    if (span <= during) continue;
    for (size_t k = i + 1; k < next; ++k) {
      double& place = r->points[k].place;
      place = start + std::max(0.0, place - start - during) * span / (span - during);
    }
  }
}

// Fills in what the passes show of the points before them.
void Separate(Recording* r) {
  double made = 0, made_objects = 0, place = 0;
  size_t first = 0;
  for (size_t i = 0; i < r->points.size(); ++i) {
    const bool last = i + 1 == r->points.size();
    if (r->points[i].pass < 0 && !last) continue;
    const double span = r->points[i].place - place;
    double freed = 0, freed_objects = 0;
    if (r->points[i].pass >= 0) {
      const Pass& pass = r->passes[static_cast<size_t>(r->points[i].pass)];
      freed = pass.freed;
      freed_objects = pass.freed_objects;
    }
    for (size_t k = first; k <= i; ++k) {
      Point& p = r->points[k];
      const double part = span > 0 ? (p.place - place) / span : 1;
      p.true_live = std::max(0.0, p.live - part * freed);
      p.true_objects = std::max(0.0, p.objects - part * freed_objects);
      p.made = made + part * freed;
      p.made_objects = made_objects + part * freed_objects;
    }
    made += freed;
    made_objects += freed_objects;
    first = i + 1;
    if (!last) place = r->points[r->points[first].after_pass ? first : i].place;
  }
}

}  // namespace

absl::StatusOr<Recording> Recording::Parse(absl::string_view text) {
  Recording r;
  double pid = 0, gc_ns = 0;
  uint64_t thresholds[3] = {700, 10, 10};
  bool thresholds_explicit = false;
  std::string wanted_reason;  // of the pass that the policy just asked for
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const Line line(text.substr(0, end));
    text = end == absl::string_view::npos ? absl::string_view() : text.substr(end + 1);
    ++number;
    if (!line.complete()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, " is no line of a gc log"));
    }
    const std::string event = line.Text("event");
    if (number == 1) {
      if (event != "start" || line.Number("format") != 1) {
        return absl::InvalidArgumentError("this is no gc log of format 1");
      }
      pid = line.Number("pid");
      r.policy = line.Text("policy");
      r.every = line.Number("every");
      r.pause_ms = line.Count("pause_ms");
    }
    if (line.Number("pid") != pid) continue;  // a forked child
    if (event == "ask") {
      thresholds[0] = line.Count("threshold0");
      thresholds[1] = line.Count("threshold1");
      thresholds[2] = line.Count("threshold2");
      thresholds_explicit = line.Flag("threshold_set");
      wanted_reason = line.Flag("collect") ? line.Text("reason") : "";
      continue;
    }
    if (event != "start" && event != "sample" && event != "collect" && event != "end") continue;
    Point p = MakePoint(line, gc_ns);
    if (!r.points.empty()) p.place = std::max(p.place, r.points.back().place);
    for (int i = 0; i < 3; ++i) p.thresholds[i] = thresholds[i];
    p.thresholds_explicit = thresholds_explicit;
    p.enabled = event == "sample" ? line.Flag("enabled")
                                  : r.points.empty() || r.points.back().enabled;
    if (event == "collect") {
      Pass pass = MakePass(line);
      pass.place = p.place;
      pass.asked_by_policy = !wanted_reason.empty() && pass.reason == wanted_reason;
      wanted_reason.clear();
      gc_ns += pass.total_ns;
      p.pass = static_cast<int>(r.passes.size());
      r.passes.push_back(pass);
      r.points.push_back(p);
      if (p.threads <= 1) continue;
      p.pass = -1;
      p.after_pass = true;
      p.place += pass.allocated_during;
      p.live = pass.live_after;
      p.objects = pass.objects_after;
      p.committed = pass.committed_after;
    }
    r.points.push_back(p);
  }
  if (r.points.empty()) return absl::InvalidArgumentError("the gc log is empty");
  double late = 0, samples = 0;
  for (size_t i = 1; i < r.points.size(); ++i) {
    const double more = r.points[i].place - r.points[i - 1].place - r.every;
    if (r.points[i - 1].pass >= 0 || more < 0 || more > 64 << 10) continue;
    late += more;
    ++samples;
  }
  if (samples > 0) r.late = late / samples;
  SpreadReuse(&r);
  Separate(&r);
  return r;
}

absl::StatusOr<Recording> Recording::Load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::InvalidArgumentError(absl::StrCat("cannot read '", path, "'"));
  std::stringstream text;
  text << in.rdbuf();
  absl::StatusOr<Recording> r = Parse(text.str());
  if (!r.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", r.status().message()));
  }
  return r;
}

Summary Summarize(const Recording& recording) {
  Summary s;
  double gc_ns = 0;
  for (const Pass& pass : recording.passes) {
    ++s.collections;
    s.cpu_ns += pass.cpu_ns;
    s.paused_ns += pass.paused_ns;
    s.max_pause_ns = std::max(s.max_pause_ns, pass.pause_ns);
    gc_ns += pass.total_ns;
  }
  for (const Point& p : recording.points) s.peak = std::max(s.peak, p.live);
  if (!recording.points.empty()) s.run_ns = recording.points.back().mutator_ns + gc_ns;
  return s;
}

}  // namespace gc_lab
}  // namespace tidepool
