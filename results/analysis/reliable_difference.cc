// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/reliable_difference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"

namespace conoscope::results {

namespace {

using numerics::refuse;

double dof_of(const char* function, const Noise& noise) {
  if (noise.dof < 1)
    refuse(function, "the noise has " + std::to_string(noise.dof) + " degrees of freedom");
  return static_cast<double>(noise.dof);
}

/// Of a difference of two means, over that of one score.
double spread_of_difference(const char* function, std::int64_t seeds) {
  numerics::require_at_least(function, "seeds", seeds, 1);
  return std::sqrt(2.0 / static_cast<double>(seeds));
}

void require_means(const char* function, std::span<const double> means, double difference) {
  numerics::require_at_least(function, "means", static_cast<numerics::Index>(means.size()), 2);
  numerics::require_weight(function, "difference", difference);
}

}  // namespace

Scores scores_of(std::span<const double> values) {
  return {static_cast<std::int64_t>(values.size()), numerics::mean(values),
          values.size() < 2 ? 0.0 : numerics::sample_sd(values)};
}

Noise pooled_noise(std::span<const Scores> things) {
  Noise out;
  double squares = 0.0, largest = 0.0;
  for (const Scores& one : things) {
    if (one.n < 0) refuse("pooled_noise", "n is " + std::to_string(one.n));
    if (one.n < 2) continue;
    numerics::require_weight("pooled_noise", "sd", one.sd);
    squares += static_cast<double>(one.n - 1) * one.sd * one.sd;
    largest = std::max(largest, one.sd);
    out.dof += one.n - 1;
  }
  if (out.dof > 0) out.sd = std::sqrt(squares / static_cast<double>(out.dof));
  if (out.sd > 0.0) out.largest_over = largest / out.sd;
  return out;
}

double noise_upper_bound(const Noise& noise, double level) {
  const double dof = dof_of("noise_upper_bound", noise);
  return noise.sd * std::sqrt(dof / numerics::chi_squared_quantile(1.0 - level, dof));
}

double coefficient_of_variation(const Scores& scores) {
  numerics::require_at_least("coefficient_of_variation", "n", scores.n, 2);
  if (scores.mean == 0.0) throw std::domain_error("coefficient_of_variation: the mean is 0");
  return scores.sd / std::abs(scores.mean);
}

double reliable_difference(const Noise& noise, std::int64_t seeds, double level) {
  const double dof = dof_of("reliable_difference", noise);
  return numerics::student_two_sided_quantile(level, dof) * noise.sd *
         spread_of_difference("reliable_difference", seeds);
}

double published_reliable_difference(double sd, std::int64_t seeds, double level) {
  numerics::require_at_least("published_reliable_difference", "seeds", seeds, 2);
  return reliable_difference({.sd = sd, .dof = 2 * seeds - 2}, seeds, level);
}

double detectable_difference(const Noise& noise, std::int64_t seeds, double level, double power) {
  const double dof = dof_of("detectable_difference", noise);
  return (numerics::student_two_sided_quantile(level, dof) +
          numerics::student_quantile(power, dof)) *
         noise.sd * spread_of_difference("detectable_difference", seeds);
}

double paired_reliable_difference(std::span<const double> differences, double level) {
  const double error = numerics::standard_error(differences);
  return numerics::student_two_sided_quantile(level, static_cast<double>(differences.size() - 1)) *
         error;
}

double told_apart(std::span<const double> means, double difference) {
  require_means("told_apart", means, difference);
  std::int64_t pairs = 0, apart = 0;
  for (std::size_t i = 1; i < means.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      ++pairs;
      if (std::abs(means[i] - means[j]) >= difference) ++apart;
    }
  return static_cast<double>(apart) / static_cast<double>(pairs);
}

std::int64_t neighbours_apart(std::span<const double> means, double difference) {
  require_means("neighbours_apart", means, difference);
  std::vector<double> sorted(means.begin(), means.end());
  std::ranges::sort(sorted);
  std::int64_t apart = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] >= difference) ++apart;
  return apart;
}

}  // namespace conoscope::results
