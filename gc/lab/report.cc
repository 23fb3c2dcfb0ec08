// Writes the table, the JSON and the picture.

#include "tidepool/gc/lab/report.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace tidepool {
namespace gc_lab {
namespace {

constexpr double kMiB = 1 << 20;

template <class... Args>
std::string Format(const char* format, Args... args) {
  char text[512];
  std::snprintf(text, sizeof(text), format, args...);
  return text;
}

std::string Fields(const Summary& s) {
  return Format(
      "\"collections\":%llu,\"cpu_ns\":%.0f,\"max_pause_ns\":%.0f,\"paused_ns\":%.0f,"
      "\"peak_bytes\":%.0f,\"run_ns\":%.0f",
      static_cast<unsigned long long>(s.collections), s.cpu_ns, s.max_pause_ns, s.paused_ns,
      s.peak, s.run_ns);
}

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string Table(const std::vector<Prediction>& predictions) {
  std::string out = Format("%-30s %6s %9s %6s %10s %9s\n", "policy", "passes", "in them",
                           "share", "max pause", "peak");
  for (const Prediction& p : predictions) {
    const Summary& s = p.summary;
    absl::StrAppend(&out, Format("%-30.30s %6llu %6.0f ms %5.1f%% %7.2f ms %5.1f MiB\n",
                                 p.policy.c_str(),
                                 static_cast<unsigned long long>(s.collections),
                                 s.cpu_ns / 1e6, s.run_ns > 0 ? 100 * s.cpu_ns / s.run_ns : 0,
                                 s.max_pause_ns / 1e6, s.peak / kMiB));
  }
  return out;
}

std::string Json(const std::vector<Prediction>& predictions) {
  std::string out = "{\"policies\":[";
  for (size_t i = 0; i < predictions.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ",", "{\"policy\":\"", predictions[i].policy, "\",",
                    Fields(predictions[i].summary), "}");
  }
  return out + "]}\n";
}

std::string Json(const Summary& summary) { return "{" + Fields(summary) + "}\n"; }

std::string Svg(const Recording& recording, const std::vector<Prediction>& predictions) {
  constexpr double kWidth = 760, kHeight = 110, kLeft = 70, kTop = 30, kGap = 46;
  double peak = 1, end = 1;
  for (const Prediction& p : predictions) peak = std::max(peak, p.summary.peak);
  if (!recording.points.empty()) end = std::max(end, recording.points.back().place);
  const double height = kTop + (kHeight + kGap) * static_cast<double>(predictions.size());
  std::string out = Format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kLeft + kWidth + 20, height);
  double top = kTop;
  for (const Prediction& p : predictions) {
    auto x = [&](double place) { return kLeft + kWidth * place / end; };
    auto y = [&](double live) { return top + kHeight * (1 - live / peak); };
    absl::StrAppend(
        &out, "<text x=\"", kLeft, "\" y=\"", top - 8, "\">", Escape(p.policy),
        Format(": %llu passes, %.0f ms in them, peak %.1f MiB</text>\n",
               static_cast<unsigned long long>(p.summary.collections), p.summary.cpu_ns / 1e6,
               p.summary.peak / kMiB));
    absl::StrAppend(&out, Format("<path fill=\"#ddd\" stroke=\"none\" d=\"M%.1f %.1f", x(0), y(0)));
    for (const Point& point : recording.points) {
      absl::StrAppend(&out, Format("L%.1f %.1f", x(point.place), y(point.true_live)));
    }
    absl::StrAppend(&out, Format("L%.1f %.1fZ\"/>\n", x(end), y(0)));
    absl::StrAppend(&out, "<path fill=\"none\" stroke=\"#0b62a4\" d=\"");
    bool first = true;
    for (const Prediction::Step& step : p.steps) {
      absl::StrAppend(&out, Format("%s%.1f %.1f", first ? "M" : "L", x(step.place), y(step.live)));
      first = false;
    }
    absl::StrAppend(&out, "\"/>\n<path stroke=\"#c33\" d=\"");
    for (const Prediction::Step& step : p.steps) {
      if (step.pass) {
        absl::StrAppend(&out, Format("M%.1f %.1fv5", x(step.place), top + kHeight + 2));
      }
    }
    absl::StrAppend(&out, "\"/>\n",
                    Format("<path stroke=\"#888\" fill=\"none\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n",
                           kLeft, top, top + kHeight, kLeft + kWidth),
                    Format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.1f MiB</text>\n",
                           kLeft - 4, top + 10, peak / kMiB),
                    Format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.0f MiB "
                           "allocated</text>\n",
                           kLeft + kWidth, top + kHeight + 20, end / kMiB));
    top += kHeight + kGap;
  }
  return out + "</svg>\n";
}

}  // namespace gc_lab
}  // namespace tidepool
