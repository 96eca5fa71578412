// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// How a published statement about scores is checked, by t intervals over seeds.
enum class Rule {
  kAscending,  ///< each subject's mean is above the one before: paired differences
  kEqual,      ///< the subjects agree seed by seed, up to `bound` times the larger size
  kAlike,      ///< the others lie within `bound` of the first: paired differences
  kAbove,      ///< every mean is above `bound`
  kBelow,      ///< every mean is below `bound`
  kAgrees,  ///< every mean is that published: no difference is significant, nor can it pass `bound`
  kCorrelates,  ///< over subjects, two metrics rise together: r > 0, and significant
};

/// Says nothing with fewer than two subjects.
bool compares_subjects(Rule rule);

/// Says nothing without one.
bool needs_bound(Rule rule);

enum class Verdict {
  kReproduced,     ///< the rule holds, intervals and all
  kNotReproduced,  ///< the intervals exclude it, for one subject or step at least
  kOpen,           ///< neither: they hold both, or seeds give no interval
  kNoData,         ///< a subject has no number
};

/// A statement with the scores of the subjects that it is about.
struct Claim {
  Rule rule = Rule::kAscending;
  double bound = 0;
  std::vector<double> theirs, theirs_half_width;         ///< kAgrees: one for each subject
  std::vector<std::map<std::int64_t, double>> subjects;  ///< by seed
  std::optional<double> r, p;                            ///< kCorrelates: for subjects
  double resampled = 0;  ///< seeds split one sample: test rows for each training row (estimate.h)
};

/// What the scores say of a claim, by its rule alone, where it is wrongly decided with probability alpha
/// at most. Intervals are those at 1 - alpha.
///
///   ascending  step i holds if the interval of s_{i+1} - s_i, over the seeds that both have, lies
///              above 0, and fails if it lies below 0
///   equal      |a - b| <= bound max(|a|, |b|) for all subjects, pairwise with the first, and seeds
///   alike      the interval of s_i - s_1 lies within +- bound; fails if it lies beyond on one side
///   above, below   the interval of each mean
///   agrees     d = mean - theirs, with half-width h = sqrt(ours^2 + theirs_half_width^2): fails if
///              |d| > h, holds if d +- h lies within +- (bound + theirs_half_width)
///   correlates  p >= alpha leaves it open, whatever r is
///
/// Fewer than two seeds have no interval. Nor have seeds that all give the same number: the data are
/// one sample then, and nothing is drawn. Whole numbers are excepted: counts, and 0 and 1, where many
/// scores end.
///
/// seeds    as though so many had given the same means and spreads; 0: as many as there are
/// returns  kReproduced where all steps (subjects) hold, kNotReproduced where one fails, else kOpen
/// throws   std::invalid_argument: fewer than two subjects (ascending, equal, alike), or none; of kAgrees
///          as many published values as subjects are not there
Verdict judge(const Claim& claim, double alpha = 0.05, std::int64_t seeds = 0);

/// The verdicts on claims that are read together, as those about one table: by Holm's procedure, so that
/// one wrong decision among them has a probability of 0.05 at most. Equality is no test and is not counted.
std::vector<Verdict> judge_together(const std::vector<Claim>& claims);

/// How many seeds would decide an open claim, had they these means and spreads, at the strictest step of
/// Holm's procedure over so many claims. None: no number below a million would, or there is no interval.
std::optional<std::int64_t> seeds_to_decide(const Claim& claim, std::size_t claims);

/// "reproduced", "not reproduced", "open", "no data".
std::string_view to_string(Verdict verdict);

}  // namespace conoscope::results
