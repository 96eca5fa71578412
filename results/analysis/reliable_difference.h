// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace conoscope::results {

// How small a difference of two scores is no more than noise? MRD: minimum reliable difference.

/// Several scores of one thing, as of an explainer over its seeds.
struct Scores {
  std::int64_t n = 0;
  double mean = 0;
  double sd = 0;  ///< divided by n - 1; without a meaning where n < 2
};

/// throws  std::invalid_argument: no values
Scores scores_of(std::span<const double> values);

/// How far do scores of the same thing scatter?
struct Noise {
  double sd = 0;            ///< pooled
  std::int64_t dof = 0;     ///< of sd; 0: nothing was scored twice, and sd has no meaning
  double largest_over = 1;  ///< the largest sd of one thing over the pooled one; 1 where that is 0
};

/// The spread that several things share, of which each may have its own mean.
///
///   s^2 = sum_l (n_l - 1) sd_l^2 / df,   df = sum_l (n_l - 1)
///
/// things   any number; those with fewer than two scores say nothing
/// throws   std::invalid_argument: an n or sd is negative, or an sd not finite
Noise pooled_noise(std::span<const Scores> things);

/// What the true spread is below, with probability `level`.
///
///   s sqrt(df / q),   q the (1 - level) quantile of chi-squared(df)
///
/// throws   std::invalid_argument: no degrees of freedom, or level outside (0, 1)
double noise_upper_bound(const Noise& noise, double level = 0.95);

/// sd / |mean|, of two values or more.
///
/// throws   std::invalid_argument: fewer than two values;  std::domain_error: their mean is 0
double coefficient_of_variation(const Scores& scores);

/// Which difference of two means over `seeds` scores does chance alone hardly make?
///
///   MRD = t s sqrt(2 / seeds),   t the two-sided quantile of Student(df)
///
/// noise    its degrees of freedom are those of s, however it was estimated: n - 1 of n reseeds of one
///          subject, or the sum over entries
/// seeds    >= 1; 1: of two single scores, 3.93 s for five reseeds
/// level    in (0, 1)
/// throws   std::invalid_argument: no degrees of freedom, seeds < 1, level outside
///
/// A true difference of this size is found only half of the time: see detectable_difference().
/// Source: for single scores arXiv 2605.18229.
double reliable_difference(const Noise& noise, std::int64_t seeds, double level = 0.95);

/// The same as published for means, where s is taken from the two sides alone:
///
///   t s sqrt(2 / seeds),   t the two-sided quantile of Student(2 seeds - 2)
///
/// 2.27 s for three seeds and 1.46 s for five. The paper prints 1.6 s and 1.0 s against this formula.
///
/// throws   std::invalid_argument: seeds < 2, which leaves no degrees of freedom; level outside
///
/// Source: arXiv 2605.18229.
double published_reliable_difference(double sd, std::int64_t seeds, double level = 0.95);

/// The true difference of two such means that is found with probability `power`.
///
///   MDE = (t_two-sided(level) + t_one-sided(power)) s sqrt(2 / seeds)
///
/// throws   as reliable_difference(); power outside (0, 1)
double detectable_difference(const Noise& noise, std::int64_t seeds, double level = 0.95,
                             double power = 0.8);

/// The same for two sides with equal seeds, which take away what a seed does to both.
///
///   t sd(differences) / sqrt(n),   t of Student(n - 1)
///
/// differences  one for each seed
/// throws       std::invalid_argument: fewer than two, level outside
double paired_reliable_difference(std::span<const double> differences, double level = 0.95);

/// How large a share of the pairs is at least `difference` apart?
///
/// means    any numbers.   difference  >= 0
/// returns  [0, 1]
/// throws   std::invalid_argument: fewer than two means, or a negative difference
double told_apart(std::span<const double> means, double difference);

/// How many neighbours in the order of the means are at least `difference` apart, of one less than there
/// are means?
///
/// throws   as told_apart()
std::int64_t neighbours_apart(std::span<const double> means, double difference);

}  // namespace conoscope::results
