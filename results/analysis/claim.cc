#include "results/analysis/claim.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "results/boards/estimate.h"

namespace conoscope::results {

namespace {

using Seeds = std::map<std::int64_t, double>;

struct ClaimInterval {
  double low, high;
};

/// None: fewer than two values, or all the same: one sample, seen several times.
std::optional<ClaimInterval> interval_of(const std::vector<double>& values, double resampled) {
  if (values.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most && *least != 0.0 && *least != 1.0) return std::nullopt;
  const Estimate estimate =
      estimate_of(values, static_cast<std::int64_t>(values.size()), resampled);
  return ClaimInterval{estimate.mean - *estimate.half_width, estimate.mean + *estimate.half_width};
}

std::vector<double> values_of(const Seeds& seeds) {
  std::vector<double> out;
  for (const auto& [seed, value] : seeds) out.push_back(value);
  return out;
}

Verdict of_interval(const std::optional<ClaimInterval>& interval, double bound) {
  if (!interval) return Verdict::kOpen;
  if (interval->low > bound) return Verdict::kReproduced;
  return interval->high < bound ? Verdict::kNotReproduced : Verdict::kOpen;
}

/// Within +- bound.
Verdict of_closeness(const std::optional<ClaimInterval>& interval, double bound) {
  if (!interval) return Verdict::kOpen;
  if (interval->low > -bound && interval->high < bound) return Verdict::kReproduced;
  return interval->low > bound || interval->high < -bound ? Verdict::kNotReproduced
                                                          : Verdict::kOpen;
}

/// b - a, over the seeds that both have.
std::optional<ClaimInterval> difference(const Seeds& a, const Seeds& b, double resampled) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a)
    if (const auto other = b.find(seed); other != b.end())
      differences.push_back(other->second - value);
  return interval_of(differences, resampled);
}

Verdict of_equality(const Seeds& a, const Seeds& b, double tolerance) {
  bool any = false;
  for (const auto& [seed, x] : a) {
    const auto other = b.find(seed);
    if (other == b.end()) continue;
    any = true;
    if (std::abs(x - other->second) > tolerance * std::max(std::abs(x), std::abs(other->second)))
      return Verdict::kNotReproduced;
  }
  return any ? Verdict::kReproduced : Verdict::kOpen;
}

/// One failure decides, then one that is open.
Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::kNotReproduced || b == Verdict::kNotReproduced) return Verdict::kNotReproduced;
  return a == Verdict::kReproduced ? b : a;
}

Verdict of_subject(const Claim& claim, std::size_t i) {
  const auto interval = interval_of(values_of(claim.subjects[i]), claim.resampled);
  switch (claim.rule) {
    case Rule::kAbove:
      return of_interval(interval, claim.bound);
    case Rule::kBelow:
      return of_interval(
          interval ? std::optional(ClaimInterval{-interval->high, -interval->low}) : std::nullopt,
          -claim.bound);
    case Rule::kAgrees: {
      if (!interval) return Verdict::kOpen;
      const double half = claim.theirs_half_width.empty() ? 0.0 : claim.theirs_half_width[i];
      const double low = claim.theirs[i] - half, high = claim.theirs[i] + half;
      if (interval->low > high || interval->high < low) return Verdict::kNotReproduced;
      return interval->low >= low - claim.bound && interval->high <= high + claim.bound
                 ? Verdict::kReproduced
                 : Verdict::kOpen;
    }
    case Rule::kAscending:
      return i == 0
                 ? Verdict::kReproduced
                 : of_interval(
                       difference(claim.subjects[i - 1], claim.subjects[i], claim.resampled), 0.0);
    case Rule::kAlike:
      return i == 0
                 ? Verdict::kReproduced
                 : of_closeness(difference(claim.subjects[0], claim.subjects[i], claim.resampled),
                                claim.bound);
    case Rule::kEqual:
      return i == 0 ? Verdict::kReproduced
                    : of_equality(claim.subjects[0], claim.subjects[i], claim.bound);
    case Rule::kCorrelates:
    case Rule::kUncorrelated:
      break;
  }
  throw std::invalid_argument("judge: no such rule");
}

}  // namespace

bool is_correlation(Rule rule) { return rule == Rule::kCorrelates || rule == Rule::kUncorrelated; }

bool compares_subjects(Rule rule) {
  return rule == Rule::kAscending || rule == Rule::kEqual || rule == Rule::kAlike;
}

bool needs_bound(Rule rule) {
  return rule == Rule::kAbove || rule == Rule::kBelow || rule == Rule::kAlike ||
         rule == Rule::kAgrees;
}

Verdict judge(const Claim& claim) {
  if (is_correlation(claim.rule)) {
    if (!claim.r || !claim.p) return Verdict::kNoData;
    const bool significant = *claim.p < 0.05;
    if (claim.rule == Rule::kUncorrelated)
      return significant ? Verdict::kNotReproduced : Verdict::kOpen;
    if (!significant) return Verdict::kOpen;
    return *claim.r > 0.0 ? Verdict::kReproduced : Verdict::kNotReproduced;
  }
  const bool compares = compares_subjects(claim.rule);
  if (claim.subjects.size() < (compares ? 2U : 1U))
    throw std::invalid_argument("judge: " + std::to_string(claim.subjects.size()) +
                                " subjects, expected " + (compares ? "two" : "one") + " or more");
  if (claim.rule == Rule::kAgrees && (claim.theirs.size() != claim.subjects.size() ||
                                      (!claim.theirs_half_width.empty() &&
                                       claim.theirs_half_width.size() != claim.subjects.size())))
    throw std::invalid_argument("judge: " + std::to_string(claim.theirs.size()) +
                                " published values for " + std::to_string(claim.subjects.size()) +
                                " subjects");
  for (const Seeds& seeds : claim.subjects)
    if (seeds.empty()) return Verdict::kNoData;
  Verdict all = Verdict::kReproduced;
  for (std::size_t i = 0; i < claim.subjects.size(); ++i) all = both(all, of_subject(claim, i));
  return all;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kNotReproduced:
      return "not reproduced";
    case Verdict::kOpen:
      return "open";
    case Verdict::kNoData:
      return "no data";
  }
  return "";
}

}  // namespace conoscope::results
