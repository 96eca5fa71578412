// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/analysis/ladder.h"

namespace conoscope::results {

/// Does more or less of a metric say how good an explanation is? Not of metrics that describe
/// (direction none), nor of those that count cost, as their unit says.
bool can_be_judged(std::string_view direction, std::string_view unit);

/// Mean over the seeds with a number; none without any.
std::optional<double> mean_of(const Ladder::Step& step);

/// Does the metric put a sanity ladder in order?
///
///   pass   each step is worse than the one before, in the metric's direction: the mean of the
///          differences, seed by seed, is beyond twice its standard error, and beyond rounding
///          (1e-9 of the largest mean, or of 1 if that is smaller)
///   fail   which step is not, or that none makes a difference
///
/// One seed alone has no standard error: rounding decides. Empty where there is nothing to judge: a
/// step without a number, or a metric that describes or counts cost.
std::string verdict(const Ladder& ladder);

inline bool passes(const std::string& verdict) { return verdict == "pass"; }

/// A metric that was put to the test and keeps the order of no ladder.
struct Doubtful {
  std::string metric;
  std::string run;  ///< the newest run that says so
};

/// Those of the metrics whose newest sanity run in this store has a verdict for them, and no pass.
std::vector<Doubtful> doubtful_metrics(Store& store, const std::vector<std::string>& metrics);

}  // namespace conoscope::results
