#include "results/analysis/estimate.h"

#include <cmath>
#include <stdexcept>

#include "results/analysis/student_t.h"

namespace conoscope::results {

namespace {

constexpr double kLevel = 0.95;

double mean_of(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("estimate: no values");
  // Equal values have exactly that mean: their differences to the first one are all 0.
  double sum = 0;
  for (const double value : values) sum += value - values[0];
  return values[0] + sum / static_cast<double>(values.size());
}

}  // namespace

double sample_sd(std::span<const double> values) {
  if (values.size() < 2) throw std::invalid_argument("sample_sd: fewer than two values");
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double t_half_width(std::int64_t n, double sd) {
  return two_sided_t(kLevel, n - 1) * sd / std::sqrt(static_cast<double>(n));
}

Estimate estimate_of(std::span<const double> values, std::int64_t asked) {
  Estimate out{mean_of(values), std::nullopt, static_cast<std::int64_t>(values.size()), asked};
  if (values.size() > 1) out.half_width = t_half_width(out.n, sample_sd(values));
  return out;
}

}  // namespace conoscope::results
