// policy_lab: what other policies would have done in a recorded run.
//
//   policy_lab [--policy=SPEC]... [--policy-lib=FILE] [--sliced=LOG] [--svg=FILE] [--json] LOG
//   policy_lab --summary LOG          what the run itself did, as JSON
//
// --sliced: a log of the same program under record:sliced=1, for the price of slices.
//
// Without --policy: every bundled one. tools/policy_lab records and calls this.

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tidepool/gc/lab/recording.h"
#include "tidepool/gc/lab/replay.h"
#include "tidepool/gc/lab/report.h"
#include "tidepool/gc/policy.h"

namespace {

using namespace tidepool::gc_lab;

int Usage(const std::string& message) {
  std::fprintf(stderr,
               "policy_lab: %s\n"
               "usage: policy_lab [--policy=SPEC]... [--policy-lib=FILE] [--sliced=LOG]\n"
               "                  [--svg=FILE] [--json] LOG\n"
               "       policy_lab --summary LOG\n",
               message.c_str());
  return 2;
}

bool Value(const std::string& arg, const char* name, std::string* value) {
  const std::string prefix = std::string(name) + "=";
  if (arg.compare(0, prefix.size(), prefix) != 0) return false;
  *value = arg.substr(prefix.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> policies;
  std::string log, sliced_log, svg, value;
  bool json = false, summary = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (Value(arg, "--policy", &value)) {
      policies.push_back(value);
    } else if (Value(arg, "--policy-lib", &value)) {
      if (dlopen(value.c_str(), RTLD_NOW) == nullptr) return Usage(dlerror());
    } else if (Value(arg, "--svg", &svg) || Value(arg, "--sliced", &sliced_log)) {
    } else if (arg == "--json") {
      json = true;
    } else if (arg == "--summary") {
      summary = true;
    } else if (arg.empty() || arg[0] == '-') {
      return Usage("unknown option '" + arg + "'");
    } else if (log.empty()) {
      log = arg;
    } else {
      return Usage("one log, please");
    }
  }
  if (log.empty()) return Usage("no log given");
  const absl::StatusOr<Recording> recording = Recording::Load(log);
  const absl::StatusOr<Recording> sliced = Recording::Load(sliced_log.empty() ? log : sliced_log);
  for (const auto* one : {&recording, &sliced}) {
    if (one->ok()) continue;
    std::fprintf(stderr, "policy_lab: %s\n", std::string(one->status().message()).c_str());
    return 1;
  }
  if (summary) {
    std::fputs(Json(Summarize(*recording)).c_str(), stdout);
    return 0;
  }
  if (policies.empty()) {
    for (const tidepool::PolicyInfo& info : tidepool::ListPolicies()) {
      if (info.name != "record") policies.push_back(info.name);
    }
  }
  std::vector<Prediction> predictions;
  for (const std::string& policy : policies) {
    absl::StatusOr<Prediction> prediction = Replay(*recording, policy, &*sliced);
    if (!prediction.ok()) return Usage(std::string(prediction.status().message()));
    predictions.push_back(*std::move(prediction));
  }
  std::fputs((json ? Json(predictions) : Table(predictions)).c_str(), stdout);
  if (!svg.empty()) {
    std::ofstream out(svg);
    out << Svg(*recording, predictions);
    if (!out.flush()) {
      std::fprintf(stderr, "policy_lab: cannot write '%s'\n", svg.c_str());
      return 1;
    }
  }
  return 0;
}
