// Every option of tidepool, declared once.
//
// TIDEPOOL_OPTIONS below is the one table. The Options struct, parsing from
// the environment (TIDEPOOL_<NAME> in capitals) and from name=value pairs, the
// JSON form, the --help text and the reference page in docs/ all come from it.
//
// A value out of range or not understood is an error that names the option,
// the value and what would be allowed; nothing is clamped or ignored silently.
//
// Each row: X(type, name, default, min, max, unit, doc).
//   Int    int64_t, between min and max
//   Size   uint64_t bytes; the text may end in K, M or G (powers of 1024)
//   Bool   bool: 0, 1, true, false, on, off
//   Purge  PurgePolicyKind; BadFree  BadFreePolicy; both by name
//   Harden a set of mitigations (hardening.h), by name
//   Text   a short name (up to 47 characters)
#ifndef TIDEPOOL_ALLOCATOR_OPTIONS_H_
#define TIDEPOOL_ALLOCATOR_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tidepool/allocator/hardening.h"

namespace tidepool {

// When unused memory goes back to the OS.
enum class PurgePolicyKind : uint8_t {
  kLowWater,   // what stayed unused for a whole window of work
  kImmediate,  // as soon as it is free
  kDelayed,    // purge_delay_ms after it became free
  kBounded,    // what is above max_overhead_percent of the live bytes
  kNever,      // not until Purge() or a limit asks
};

// What a free of a pointer that is no live block of this domain does.
enum class BadFreePolicy : uint8_t { kIgnore, kLog, kAbort };

// A short text that needs no heap.
struct OptionText {
  char text[48];
  bool operator==(const OptionText& other) const;
};

#define TIDEPOOL_OPTIONS(X)                                                    \
  X(Int, page_full_retain, 2, -1, 1 << 20, "pages",                            \
    "full pages a thread keeps per size class; the others are abandoned and "  \
    "found by the first foreign free. -1 never abandons: small full pages "    \
    "then wait for their owner's next slow path or safepoint")                 \
  X(Int, page_reclaim_on_free, 0, -1, 1, "",                                   \
    "who takes over an abandoned page it frees into: -1 nobody, 0 only the "   \
    "thread that made the page, 1 any thread")                                 \
  X(Purge, purge_policy, PurgePolicyKind::kLowWater, 0, 4, "",                 \
    "when unused memory goes back to the OS: low_water, immediate, delayed, "  \
    "bounded or never (which gives up the bound on idle memory)")              \
  X(Int, purge_delay_ms, 500, 0, 3600000, "ms",                                \
    "delayed policy: how long memory stays unused before it goes; the others " \
    "use it as the length of an idle window")                                  \
  X(Int, max_overhead_percent, 25, 0, 10000, "%",                              \
    "bounded policy: unused bytes allowed over the live bytes")                \
  X(Size, max_memory, 0, 0, INT64_MAX, "bytes",                                \
    "hard limit on committed bytes of a heap domain; 0 is no limit")           \
  X(Size, soft_memory, 0, 0, INT64_MAX, "bytes",                               \
    "committed bytes above which the pressure callback is told; 0 is never")   \
  X(Size, limbo_budget, 8 << 20, 4096, INT64_MAX, "bytes",                     \
    "bytes that may wait for lock-free readers in a domain before every "      \
    "thread is asked for a safepoint; a thread acts at an eighth of it")       \
  X(Int, limbo_wait_us, 0, 0, 1000000, "us",                                   \
    "how long a freeing thread may wait at a safepoint for a slow reader once "\
    "four times the limbo budget is pending; 0 never waits")                   \
  X(Bool, background_thread, false, 0, 1, "",                                  \
    "one thread per heap domain that purges and drains when nobody allocates") \
  X(Size, arena_reserve, 256 << 20, 1 << 20, int64_t{1} << 40, "bytes",        \
    "address space reserved at a time (less where the OS refuses)")            \
  X(Bool, allow_huge_pages, false, 0, 1, "",                                   \
    "allow transparent huge pages in the arenas of small and medium pages")    \
  X(Bool, huge_large_blocks, true, 0, 1, "",                                   \
    "advise huge pages for the aligned inside of blocks from 2 MiB on")        \
  X(Harden, hardening, kHardenNone, 0, 0, "",                                  \
    "what is looked for beyond frees of foreign and interior pointers and "    \
    "double frees of large blocks: none; checked: every double free; "         \
    "hardened: all of double_free, links, canaries, guards, random and "       \
    "quarantine; or some of these joined by + (see hardening.md)")             \
  X(BadFree, bad_free, BadFreePolicy::kLog, 0, 2, "",                          \
    "what a refused free does besides being refused: ignore, log or abort")    \
  X(Size, heap_profile_interval, 0, 0, INT64_MAX, "bytes",                     \
    "bytes allocated between two samples of the heap profile, on average; 0 "  \
    "takes none, 512K is cheap enough to leave on")                            \
  X(Text, gc_policy, "live_bytes", 0, 0, "",                                   \
    "collection policy: live_bytes, threshold, pause, memory_limit, manual, "  \
    "or one that is linked in; settings may follow as name:key=value,...")     \
  X(Int, gc_threads, 0, 0, 64, "threads",                                      \
    "threads that mark in a collection, the collecting one included; 0 is one "\
    "for each core, up to 4")                                                  \
  X(Int, gc_pause_ms, 5, 1, 3600000, "ms",                                     \
    "policy pause: the longest a collection should hold all threads at once")  \
  X(Int, gc_stress, 0, 0, INT64_MAX, "",                                       \
    "collect at every n-th chance; 0 is off")                                  \
  X(Int, fail_allocation, 0, INT64_MIN + 1, INT64_MAX, "",                     \
    "for tests: the n-th allocation in a heap domain fails, or, if negative, " \
    "every one from the n-th on. 0 is never. There is no inline path then (as "\
    "under hardening=checked)")

struct Options {
#define TIDEPOOL_X_Int(name, value) int64_t name = value;
#define TIDEPOOL_X_Size(name, value) uint64_t name = value;
#define TIDEPOOL_X_Bool(name, value) bool name = value;
#define TIDEPOOL_X_Purge(name, value) PurgePolicyKind name = value;
#define TIDEPOOL_X_BadFree(name, value) BadFreePolicy name = value;
#define TIDEPOOL_X_Text(name, value) OptionText name = {value};
#define TIDEPOOL_X_Harden(name, value) uint32_t name = value;
#define TIDEPOOL_X(type, name, value, min, max, unit, doc) \
  TIDEPOOL_X_##type(name, value)
  TIDEPOOL_OPTIONS(TIDEPOOL_X)
#undef TIDEPOOL_X
#undef TIDEPOOL_X_Int
#undef TIDEPOOL_X_Size
#undef TIDEPOOL_X_Bool
#undef TIDEPOOL_X_Purge
#undef TIDEPOOL_X_BadFree
#undef TIDEPOOL_X_Text
#undef TIDEPOOL_X_Harden

  // Defaults overlaid with TIDEPOOL_<NAME> from the environment. An unknown
  // TIDEPOOL_ name is left alone (tools have variables of their own).
  static absl::StatusOr<Options> FromEnvironment();
  static absl::StatusOr<Options> FromEnvironment(const Options& defaults);

  // Sets one option from text. NOT_FOUND if there is no such option.
  absl::Status Set(absl::string_view name, absl::string_view value);

  // The value as Set() would take it; empty if there is no such option.
  std::string Get(absl::string_view name) const;

  // {"page_full_retain":2,...} in table order.
  std::string ToJson() const;
};

// A line for each variable of the environment that looks like a misspelt option
// (TIDEPOOL_MAX_MEMROY); other unknown TIDEPOOL_ names belong to tools. `more`:
// further names in lower case that are no mistake, ended by null.
std::string MisspeltVariables(const char* const* more);

// What the table says of an option.
struct OptionInfo {
  const char* name;
  const char* type;
  const char* default_text;
  const char* unit;
  const char* doc;
};

// All rows, in table order, ended by a row with a null name.
const OptionInfo* OptionTable();

// The text of --help: one paragraph per option.
std::string OptionHelp();

// docs/options.md.
std::string OptionsMarkdown();

const char* PurgePolicyName(PurgePolicyKind kind);
const char* BadFreePolicyName(BadFreePolicy policy);

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_OPTIONS_H_
