#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/report/contest.h"
#include "results/store/store.h"

namespace conoscope::results {

/// The parts of one subject's scores of a metric: by part, the values of the seeds that have one.
using Parts = std::map<std::int64_t, std::vector<double>>;

/// By subject; what has no parts is not there.
std::map<BoardSubject, Parts> parts_of(Store& store, const std::string& run,
                                       const std::string& metric);

}  // namespace conoscope::results
