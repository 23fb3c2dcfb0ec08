// The lab's results for people, for machines, and as a picture.

#ifndef TIDEPOOL_GC_LAB_REPORT_H_
#define TIDEPOOL_GC_LAB_REPORT_H_

#include <string>
#include <vector>

#include "tidepool/gc/lab/recording.h"
#include "tidepool/gc/lab/replay.h"

namespace tidepool {
namespace gc_lab {

// A line for each policy, at most 80 columns.
std::string Table(const std::vector<Prediction>& predictions);
// {"policies":[{"policy":...,"collections":...,...},...]}
std::string Json(const std::vector<Prediction>& predictions);
std::string Json(const Summary& summary);
// Live bytes against bytes allocated, one panel for each policy, all to one scale; a pass is
// where the line falls, and a tick below. The grey area is what is truly alive.
std::string Svg(const Recording& recording, const std::vector<Prediction>& predictions);

}  // namespace gc_lab
}  // namespace tidepool

#endif  // TIDEPOOL_GC_LAB_REPORT_H_
