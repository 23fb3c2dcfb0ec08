// The statistics page: what a person looks at. Every line is explained in
// docs/stats.md, which comes from the same tables (a test compares).
#ifndef TIDEPOOL_ALLOCATOR_STATS_PAGE_H_
#define TIDEPOOL_ALLOCATOR_STATS_PAGE_H_

#include <string>

#include "tidepool/allocator/heap_domain.h"

namespace tidepool {

// Resident memory by cause, then the counters, at most 80 columns. Takes a map of the
// heap (heap_map.h): some milliseconds per GiB; no stop, nobody is asked.
std::string StatsPage(const HeapDomain& domain);
// Writes it to a file descriptor.
void PrintStats(const HeapDomain& domain, int fd);

// Pages used, free and committed by heap kind and size class.
std::string StatsByClass(const HeapDomain& domain);

// The part of docs/stats.md that explains StatsPage.
std::string StatsMarkdown();

// "12.3 MiB", "4.0 KiB", "17 B".
std::string FormatBytes(uint64_t bytes);

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_STATS_PAGE_H_
