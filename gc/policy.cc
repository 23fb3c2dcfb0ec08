// The registry of policies: the bundled ones, and what static initialisers add, so it lives
// in a function-local static; registration and look-up happen a handful of times in a
// process. Factories are anybody's code: what one throws ends here. The lock is base's;
// std::string and std::vector are fine: creating a collector is not an allocation path.

#include "tidepool/gc/policy.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/base/mutex.h"
#include "tidepool/gc/policies/bundled.h"

namespace tidepool {
namespace {

constexpr char kDefaultPolicy[] = "live_bytes";
constexpr int kMaxPolicies = 32;

struct Registry {
  struct Entry {
    const char* name;
    const char* help;
    PolicyFactory factory;
  };
  Mutex mutex{0};
  Entry entries[kMaxPolicies] = {
      {"live_bytes", "when live bytes grew by growth=75 percent and base=4m bytes",
       &gc_internal::MakeLiveBytes},
      {"threshold", "CPython's rule on net new containers (gc.set_threshold)",
       &gc_internal::MakeThreshold},
      {"pause", "as live_bytes, in slices that hold the world for ms=N at most",
       &gc_internal::MakePause},
      {"memory_limit", "uses limit=BYTES (or max_memory), collects more often near it",
       &gc_internal::MakeMemoryLimit},
      {"manual", "never collects by itself", &gc_internal::MakeManual},
      {"record", "for tools/policy_lab: collects after grain=512k bytes",
       &gc_internal::MakeRecord},
  };
  int count = 6;
};

Registry& GetRegistry() {
  // Never destroyed: policies may register from libraries that outlive main's statics.
  static Registry* registry = new Registry;
  return *registry;
}

std::string KnownNames() {
  std::string names;
  for (const PolicyInfo& info : ListPolicies()) {
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return names;
}

}  // namespace

bool RegisterPolicy(const char* name, const char* help, PolicyFactory factory) {
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mutex);
  if (registry.count == kMaxPolicies) return false;
  for (int i = 0; i < registry.count; ++i) {
    if (absl::string_view(registry.entries[i].name) == name) return false;
  }
  registry.entries[registry.count++] = {name, help, factory};
  return true;
}

absl::StatusOr<std::unique_ptr<CollectionPolicy>> MakePolicy(
    absl::string_view spec) {
  const size_t colon = spec.find(':');
  absl::string_view name = spec.substr(0, colon);
  absl::string_view arguments =
      colon == absl::string_view::npos ? "" : spec.substr(colon + 1);
  if (name.empty()) name = kDefaultPolicy;
  PolicyFactory factory = nullptr;
  {
    Registry& registry = GetRegistry();
    MutexLock lock(&registry.mutex);
    for (int i = 0; i < registry.count; ++i) {
      if (name == registry.entries[i].name) {
        factory = registry.entries[i].factory;
        break;
      }
    }
  }
  if (factory == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown gc policy '", name, "'; known: ", KnownNames()));
  }
  try {
    auto made = factory(arguments);
    if (made.ok() && *made == nullptr) {
      return absl::InternalError(absl::StrCat("the factory of gc policy '", name, "' made nothing"));
    }
    return made;
  } catch (const std::exception& e) {
    return absl::InternalError(
        absl::StrCat("the factory of gc policy '", name, "' threw '", e.what(), "'"));
  } catch (...) {
    return absl::InternalError(absl::StrCat("the factory of gc policy '", name, "' threw"));
  }
}

std::vector<PolicyInfo> ListPolicies() {
  std::vector<PolicyInfo> result;
  Registry& registry = GetRegistry();
  MutexLock lock(&registry.mutex);
  for (int i = 0; i < registry.count; ++i) {
    PolicyInfo info{registry.entries[i].name, registry.entries[i].help};
    if (info.name == kDefaultPolicy) {
      result.insert(result.begin(), std::move(info));
    } else {
      result.push_back(std::move(info));
    }
  }
  return result;
}

absl::Status ParsePolicyArguments(absl::string_view arguments, void* context,
                                  bool (*set)(void* context,
                                              absl::string_view key,
                                              absl::string_view value)) {
  while (!arguments.empty()) {
    const size_t comma = arguments.find(',');
    const absl::string_view item = arguments.substr(0, comma);
    arguments = comma == absl::string_view::npos ? absl::string_view()
                                                 : arguments.substr(comma + 1);
    const size_t equals = item.find('=');
    const absl::string_view key = item.substr(0, equals);
    const absl::string_view value = equals == absl::string_view::npos
                                        ? absl::string_view()
                                        : item.substr(equals + 1);
    if (!set(context, key, value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("bad gc policy argument '", item, "'"));
    }
  }
  return absl::OkStatus();
}

bool ParsePolicyBytes(absl::string_view text, uint64_t* bytes) {
  if (text.empty()) return false;
  int shift = 0;
  switch (text.back()) {
    case 'k': case 'K': shift = 10; break;
    case 'm': case 'M': shift = 20; break;
    case 'g': case 'G': shift = 30; break;
    default: break;
  }
  if (shift != 0) text.remove_suffix(1);
  if (text.empty()) return false;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  if (shift != 0 && value > (UINT64_MAX >> shift)) return false;
  *bytes = value << shift;
  return true;
}

}  // namespace tidepool
