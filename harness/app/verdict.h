#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/analysis/ladder.h"

namespace conoscope::app {

/// Mean over the seeds with a number; none without any.
std::optional<double> mean_of(const results::Ladder::Step& step);

/// Does the metric put a sanity ladder in order?
///
///   pass   each step is worse than the one before, in the metric's direction: the mean of the
///          differences, seed by seed, is beyond twice its standard error, and beyond rounding
///          (1e-9 of the largest mean, or of 1 if that is smaller)
///   fail   which step is not, or that none makes a difference
///
/// One seed alone has no standard error: rounding decides. Empty where there is nothing to judge: a
/// step without a number, a metric that describes or counts cost, one of a plugin.
std::string verdict(const results::Ladder& ladder);

inline bool passes(const std::string& verdict) { return verdict == "pass"; }

/// A metric that was put to the test and keeps the order of no ladder.
struct Doubtful {
  std::string metric;
  std::string run;  ///< the newest run that says so
};

/// Those of the metrics whose newest sanity run in this store has a verdict for them, and no pass.
std::vector<Doubtful> doubtful_metrics(results::Store& store,
                                       const std::vector<std::string>& metrics);

}  // namespace conoscope::app
