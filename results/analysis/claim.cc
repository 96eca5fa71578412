// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/claim.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"
#include "results/boards/estimate.h"

namespace conoscope::results {

namespace {

using Seeds = std::map<std::int64_t, double>;

struct ClaimInterval {
  double low, high;
};

/// What seeds say of one number, and how surely.
class Sample {
 public:
  Sample(const std::vector<double>& values, double resampled)
      : resampled_(resampled), n_(static_cast<std::int64_t>(values.size())) {
    if (n_ < 2) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    // All the same: one sample, seen several times, but where it is a count.
    is_drawn_ = *least != *most || *least == std::round(*least);
    mean_ = numerics::mean(values);
    sd_ = numerics::sample_sd(values);
  }

  std::optional<ClaimInterval> interval(double alpha, std::int64_t seeds) const {
    if (!is_drawn_) return std::nullopt;
    const double half = t_half_width(seeds > 0 ? seeds : n_, sd_, resampled_, 1.0 - alpha);
    return ClaimInterval{mean_ - half, mean_ + half};
  }

 private:
  double resampled_;
  std::int64_t n_;
  bool is_drawn_ = false;
  double mean_ = 0.0, sd_ = 0.0;
};

std::vector<double> values_of(const Seeds& seeds) {
  std::vector<double> out;
  for (const auto& [seed, value] : seeds) out.push_back(value);
  return out;
}

/// b - a, over the seeds that both have.
std::vector<double> differences(const Seeds& a, const Seeds& b) {
  std::vector<double> out;
  for (const auto& [seed, value] : a)
    if (const auto other = b.find(seed); other != b.end()) out.push_back(other->second - value);
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

/// With the published mean and the half-width of its interval.
Verdict of_agreement(const std::optional<ClaimInterval>& ours, double theirs, double half_width,
                     double bound) {
  if (!ours) return Verdict::kOpen;
  const double difference = (ours->low + ours->high) / 2.0 - theirs;
  // Not std::hypot: glibc 2.35 has another version of it, and older systems then not this program.
  const double own = (ours->high - ours->low) / 2.0, half = std::sqrt(own * own + half_width * half_width);
  if (std::abs(difference) > half) return Verdict::kNotReproduced;
  return std::abs(difference) + half <= bound + half_width ? Verdict::kReproduced : Verdict::kOpen;
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

Verdict of_subject(const Claim& claim, std::size_t i, double alpha, std::int64_t seeds) {
  const auto own = [&] {
    return Sample(values_of(claim.subjects[i]), claim.resampled).interval(alpha, seeds);
  };
  const auto against = [&](std::size_t other) {
    return Sample(differences(claim.subjects[other], claim.subjects[i]), claim.resampled)
        .interval(alpha, seeds);
  };
  switch (claim.rule) {
    case Rule::kAbove:
      return of_interval(own(), claim.bound);
    case Rule::kBelow: {
      const auto interval = own();
      return of_interval(
          interval ? std::optional(ClaimInterval{-interval->high, -interval->low}) : std::nullopt,
          -claim.bound);
    }
    case Rule::kAgrees:
      return of_agreement(own(), claim.theirs[i],
                          claim.theirs_half_width.empty() ? 0.0 : claim.theirs_half_width[i],
                          claim.bound);
    case Rule::kAscending:
      return i == 0 ? Verdict::kReproduced : of_interval(against(i - 1), 0.0);
    case Rule::kAlike:
      return i == 0 ? Verdict::kReproduced : of_closeness(against(0), claim.bound);
    case Rule::kEqual:
      return i == 0 ? Verdict::kReproduced
                    : of_equality(claim.subjects[0], claim.subjects[i], claim.bound);
    case Rule::kCorrelates:
      break;
  }
  throw std::invalid_argument("judge: no such rule");
}

constexpr double kAlpha = 0.05;

}  // namespace

bool compares_subjects(Rule rule) {
  return rule == Rule::kAscending || rule == Rule::kEqual || rule == Rule::kAlike;
}

bool needs_bound(Rule rule) {
  return rule == Rule::kAbove || rule == Rule::kBelow || rule == Rule::kAlike ||
         rule == Rule::kAgrees;
}

Verdict judge(const Claim& claim, double alpha, std::int64_t seeds) {
  if (claim.rule == Rule::kCorrelates) {
    if (!claim.r || !claim.p) return Verdict::kNoData;
    if (*claim.p >= alpha) return Verdict::kOpen;
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
  for (const Seeds& subject : claim.subjects)
    if (subject.empty()) return Verdict::kNoData;
  // All have to hold, but one is enough to fail, which is the likelier the more there are.
  const double for_one = alpha / static_cast<double>(claim.subjects.size() - (compares ? 1 : 0));
  bool hold = true;
  for (std::size_t i = 0; i < claim.subjects.size(); ++i) {
    if (of_subject(claim, i, for_one, seeds) == Verdict::kNotReproduced)
      return Verdict::kNotReproduced;
    hold = hold && of_subject(claim, i, alpha, seeds) == Verdict::kReproduced;
  }
  return hold ? Verdict::kReproduced : Verdict::kOpen;
}

std::vector<Verdict> judge_together(const std::vector<Claim>& claims) {
  std::vector<Verdict> out(claims.size(), Verdict::kOpen);
  std::vector<std::size_t> undecided;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    out[i] = judge(claims[i], kAlpha);
    const bool is_test = claims[i].rule != Rule::kEqual && out[i] != Verdict::kNoData;
    if (!is_test) continue;
    out[i] = Verdict::kOpen;
    undecided.push_back(i);
  }
  // The surest first: at each step one that alpha over those that are left decides.
  for (bool found = true; found && !undecided.empty();) {
    found = false;
    const double alpha = kAlpha / static_cast<double>(undecided.size());
    for (auto it = undecided.begin(); it != undecided.end() && !found; ++it)
      if (const Verdict verdict = judge(claims[*it], alpha); verdict != Verdict::kOpen) {
        out[*it] = verdict;
        undecided.erase(it);
        found = true;
        break;
      }
  }
  return out;
}

std::optional<std::int64_t> seeds_to_decide(const Claim& claim, std::size_t claims) {
  constexpr std::int64_t kMost = 1'000'000;
  if (claim.rule == Rule::kCorrelates || claims == 0) return std::nullopt;
  const double alpha = kAlpha / static_cast<double>(claims);
  const auto decides = [&](std::int64_t seeds) {
    return judge(claim, alpha, seeds) != Verdict::kOpen;
  };
  std::int64_t enough = 2;
  while (enough <= kMost && !decides(enough)) enough *= 2;
  if (enough > kMost) return std::nullopt;
  std::int64_t few = enough / 2;
  while (enough - few > 1) {
    const std::int64_t middle = few + (enough - few) / 2;
    (decides(middle) ? enough : few) = middle;
  }
  return enough;
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
