// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/verdict.h"

#include <algorithm>
#include <cmath>

#include "numerics/statistics/moments.h"

namespace conoscope::results {

namespace {

constexpr double kRounding = 1e-9;
constexpr double kStandardErrors = 2.0;

/// By how much b is above a, in standard errors and beyond rounding: -1, 0 (no difference) or 1.
int compare(const Ladder::Step& a, const Ladder::Step& b, double scale) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a.by_seed)
    if (const auto other = b.by_seed.find(seed); other != b.by_seed.end())
      differences.push_back(other->second - value);
  double mean = *mean_of(b) - *mean_of(a), error = 0.0;
  if (differences.size() > 1) {
    mean = numerics::mean(differences);
    error = numerics::standard_error(differences);
  }
  if (std::abs(mean) <= std::max(kRounding * scale, kStandardErrors * error)) return 0;
  return mean > 0.0 ? 1 : -1;
}

}  // namespace

bool can_be_judged(std::string_view direction, std::string_view unit) {
  return direction != "none" && unit != "parameters" && unit != "FLOP per sample";
}

std::optional<double> mean_of(const Ladder::Step& step) {
  if (step.by_seed.empty()) return std::nullopt;
  double sum = 0.0;
  for (const auto& [seed, value] : step.by_seed) sum += value;
  return sum / static_cast<double>(step.by_seed.size());
}

std::string verdict(const Ladder& ladder) {
  if (!can_be_judged(ladder.direction, ladder.unit)) return "";
  double scale = 1.0;
  for (const auto& step : ladder.steps) {
    const auto mean = mean_of(step);
    if (!mean) return "";
    scale = std::max(scale, std::abs(*mean));
  }
  const int worse = ladder.direction == "lower" ? 1 : -1;
  const int first = compare(ladder.steps[0], ladder.steps[1], scale);
  const int second = compare(ladder.steps[1], ladder.steps[2], scale);
  if (first == worse && second == worse) return "pass";
  if (ladder.of_models) {
    if (first == 0 && second == 0) return "fail: blind";
    return first == worse ? "fail: random is not worse than half"
                          : "fail: half is not worse than perfect";
  }
  if (first == 0) return "fail: blind to importances";
  return first == worse ? "fail: random concepts are not worse"
                        : "fail: random importances are not worse";
}

std::vector<Doubtful> doubtful_metrics(Store& store, const std::vector<std::string>& metrics) {
  std::vector<Doubtful> out;
  std::vector<std::string> open = metrics;
  for (const auto& run : ladder_runs(store)) {
    if (open.empty()) break;
    const std::vector<std::string> asked = store.run_metrics(run);
    std::vector<std::string> here;
    for (const auto& metric : open)
      if (std::find(asked.begin(), asked.end(), metric) != asked.end()) here.push_back(metric);
    for (const auto& metric : here) {
      bool judged = false, kept = false;
      for (const auto& ladder : ladders(store, run, {metric})) {
        const std::string said = verdict(ladder);
        judged = judged || !said.empty();
        kept = kept || passes(said);
      }
      if (!judged) continue;
      std::erase(open, metric);
      if (!kept) out.push_back({metric, run});
    }
  }
  return out;
}

}  // namespace conoscope::results
