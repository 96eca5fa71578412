// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "results/formats/table.h"

namespace conoscope::results {

/// Half-width of the t interval of a mean: t sd sqrt(1/n + resampled).
///
/// resampled  0: independent values. Of n splits of one sample, whose scores share rows: test rows
///            for each training row
/// throws     std::invalid_argument: n < 2
///
/// Source: Student, Biometrika 1908; Nadeau & Bengio, Machine Learning 52, 2003. The leakage papers
/// print 1.96 se, a bootstrap over five values, or a population standard deviation in its place; at
/// n = 5 Student's factor is 2.776.
double t_half_width(std::int64_t n, double sd, double resampled = 0.0, double level = 0.95);

/// How much wider the spread of n scores over seeds has to be taken than that of independent ones: each
/// is a mean over pairs of cells, and both cells of a pair share it. By the jackknife of such a mean over
/// pairs (a U statistic of degree two), n >= 3:
///
///   2 (n - 1) / (n - 2)
///
/// Source: Arvesen, Annals of Mathematical Statistics 40, 1969.
double over_seeds_spread(std::int64_t n);

/// Mean and 95 % t interval; one value alone has no interval.
/// throws  std::invalid_argument: no values
Estimate estimate_of(std::span<const double> values, std::int64_t asked, double resampled = 0.0);

}  // namespace conoscope::results
