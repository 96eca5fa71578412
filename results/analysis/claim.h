#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// How a published statement about scores is checked. Intervals are 95 % t intervals over seeds.
enum class Rule {
  kAscending,     ///< each subject's mean is above the one before: paired differences
  kEqual,         ///< the subjects agree seed by seed, up to `bound` times the larger size
  kAlike,         ///< the others lie within `bound` of the first: paired differences
  kAbove,         ///< every mean is above `bound`
  kBelow,         ///< every mean is below `bound`
  kAgrees,        ///< every mean's interval meets the published one and lies within `bound` of it
  kCorrelates,    ///< over subjects, two metrics rise together: r > 0 with p < 0.05
  kUncorrelated,  ///< no such relation is significant: p >= 0.05 says nothing, p < 0.05 refutes it
};

/// Of two metrics over models: r and p.
bool is_correlation(Rule rule);

/// Needs two subjects or more.
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
  std::optional<double> r, p;  ///< kCorrelates, kUncorrelated: for subjects
  double resampled = 0;  ///< seeds split one sample: test rows for each training row (estimate.h)
};

/// What the scores say of the claim, by its rule alone.
///
///   ascending  step i holds if the interval of s_{i+1} - s_i, over the seeds that both have, lies
///              above 0, and fails if it lies below 0
///   equal      |a - b| <= bound max(|a|, |b|) for all subjects, pairwise with the first, and seeds
///   alike      the interval of s_i - s_1 lies within +- bound; fails if it lies beyond on one side
///   above, below   the interval of each mean
///   agrees     the interval of the mean meets the published one, theirs +- theirs_half_width, and lies
///              within `bound` of it; fails if they do not meet
///   correlates  p >= 0.05 leaves it open, whatever r is
///   uncorrelated  p < 0.05 fails; else it is open: that nothing is significant is no evidence
///
/// Fewer than two seeds have no interval. Nor have seeds that all give the same number: the data are
/// one sample then, and nothing is drawn. 0 and 1 are excepted, where many scores end.
///
/// returns  kReproduced where all steps (subjects) hold, kNotReproduced where one fails, else kOpen
/// throws   std::invalid_argument: fewer than two subjects (ascending, equal, alike), or none; of kAgrees
///          as many published values as subjects are not there
Verdict judge(const Claim& claim);

/// "reproduced", "not reproduced", "open", "no data".
std::string_view to_string(Verdict verdict);

}  // namespace conoscope::results
