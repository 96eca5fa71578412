// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "numerics/statistics/detectable_effect.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/multiple_tests.h"
#include "numerics/statistics/paired_bootstrap.h"
#include "numerics/statistics/sample_checks.h"
#include "numerics/statistics/t_test.h"
#include "numerics/statistics/wilcoxon_signed_rank.h"
#include "numerics/to_vector.h"
#include "results/boards/estimate.h"
#include "results/formats/numbers.h"

namespace conoscope::results {

namespace {

using numerics::Index;
using numerics::Vector;

struct Number {
  double value;
  std::string dataset, about;
  bool over_seeds;
};
using Side = std::map<std::string, std::map<std::string, Number>>;  // row -> partner

Side arranged(const std::vector<ComparedNumber>& numbers, const char* name) {
  Side side;
  for (const ComparedNumber& one : numbers)
    if (!side[one.row]
             .emplace(one.partner, Number{one.value, one.dataset, one.about, one.over_seeds})
             .second)
      throw std::invalid_argument(std::string(name) + " has two numbers for " + one.row + " at " +
                                  one.partner);
  return side;
}

/// All values, or their mean over each dataset.
std::vector<double> values_of(const std::vector<Number>& numbers, bool over_datasets) {
  std::vector<double> out;
  std::map<std::string, std::pair<double, double>> sums;
  for (const Number& number : numbers) {
    auto& [sum, count] = sums[number.dataset];
    sum += number.value;
    count += 1.0;
    if (!over_datasets) out.push_back(number.value);
  }
  if (over_datasets)
    for (const auto& [dataset, sum] : sums) out.push_back(sum.first / sum.second);
  return out;
}

/// Independent values as far from their mean as scores over seeds are to be taken to be.
Vector spread_over_seeds(const Vector& values) {
  const double mean = numerics::mean(numerics::as_span(values));
  return (mean + over_seeds_spread(values.size()) * (values.array() - mean)).matrix();
}

void test_pairs(const Vector& a, const Vector& b, const ComparisonOptions& options,
                ComparisonRow& row) {
  const double level = 1.0 - options.alpha;
  const numerics::TTest t = numerics::paired_t_test(a, b, level, options.resampled);
  row.low = t.difference - t.half_width;
  row.high = t.difference + t.half_width;
  switch (options.test) {
    case PairTest::kT:
      row.p = t.p;
      break;
    case PairTest::kWilcoxon: {
      const auto ranks = numerics::wilcoxon_signed_rank(a, b);
      const auto used = static_cast<double>(ranks.used);
      row.p = ranks.p;
      row.ranks_favour_a = ranks.w > used * (used + 1.0) / 4.0;
      break;
    }
    case PairTest::kBootstrap: {
      numerics::PairedBootstrapOptions bootstrap;
      bootstrap.level = level;
      const auto drawn = numerics::paired_bootstrap(a, b, bootstrap);
      row.p = drawn.p;
      row.low = drawn.low;
      row.high = drawn.high;
      break;
    }
  }
}

/// What so many pairs can show, were the differences spread as they were seen to be.
void plan_pairs(const Vector& differences, double alpha, double power, ComparisonRow& row) {
  const double sd = numerics::sample_sd(numerics::as_span(differences));
  if (sd == 0.0) return;
  row.detectable = sd * numerics::minimum_detectable_effect(differences.size(), alpha, power);
  row.needed = numerics::pairs_needed(row.difference / sd, alpha, power);
}

Vector corrected(const Vector& p, Correction correction) {
  switch (correction) {
    case Correction::kHolm:
      return numerics::holm(p);
    case Correction::kBenjaminiHochberg:
      return numerics::benjamini_hochberg(p);
    case Correction::kNone:
      break;
  }
  return p;
}

/// What no sum of such values can be trusted to tell apart in double precision.
double rounding_of(const Vector& x, const Vector& y) {
  constexpr double kRounding = 1e-12;
  return kRounding * std::max({1.0, x.cwiseAbs().maxCoeff(), y.cwiseAbs().maxCoeff()});
}

double range_of(const Vector& values) { return values.maxCoeff() - values.minCoeff(); }

void compare_pairs(const Vector& x, const Vector& y, const ComparisonOptions& options,
                   ComparisonRow& row) {
  const Vector differences = x - y;
  row.difference = numerics::mean(numerics::as_span(differences));
  row.equal = differences.cwiseAbs().maxCoeff() <= rounding_of(x, y);
  if (x.size() < 2) return;
  row.constant = !row.equal && range_of(differences) <= rounding_of(x, y);
  test_pairs(x, y, options, row);
}

void compare_groups(const Vector& x, const Vector& y, double alpha, ComparisonRow& row) {
  const Vector all = (Vector(x.size() + y.size()) << x, y).finished();
  row.difference = row.mean_a - row.mean_b;
  row.equal = range_of(all) <= rounding_of(x, y);
  if (x.size() < 2 || y.size() < 2) return;
  const numerics::TTest welch = numerics::welch_t_test(x, y, 1.0 - alpha);
  row.p = welch.p;
  row.low = welch.difference - welch.half_width;
  row.high = welch.difference + welch.half_width;
}

std::string amount(double value) {
  std::ostringstream text;
  text.precision(3);
  text << std::abs(value);
  return text.str();
}

}  // namespace

bool Comparison::different() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.different; });
}

namespace {

/// The p-values that are corrected together: of rows that are one test, one.
class Tests {
 public:
  /// To be called for each row of `out.rows`, in their order, before it is added there.
  void add(const Comparison& out, const std::string& about, const std::vector<double>& x,
           const std::vector<double>& y, ComparisonRow& row) {
    if (!row.p) return place_.push_back(-1);
    const auto [first, is_new] =
        first_.emplace(Pairs{about, about.empty() ? row.row : "", x, y}, out.rows.size());
    if (is_new)
      p_.push_back(*row.p);
    else
      row.same_as = out.rows[first->second].row;
    place_.push_back(is_new ? static_cast<Index>(p_.size()) - 1 : place_[first->second]);
  }

  const std::vector<double>& p() const { return p_; }
  /// Which of p() a row has.
  Index of(std::size_t row) const { return place_[row]; }

 private:
  using Pairs = std::tuple<std::string, std::string, std::vector<double>, std::vector<double>>;
  std::map<Pairs, std::size_t> first_;  ///< row
  std::vector<Index> place_;
  std::vector<double> p_;
};

}  // namespace

Comparison compare(const std::vector<ComparedNumber>& a, const std::vector<ComparedNumber>& b,
                   const ComparisonOptions& options) {
  if (!(options.alpha > 0.0 && options.alpha < 1.0))
    throw std::invalid_argument("compare: alpha is not between 0 and 1");
  if (!(options.power > options.alpha && options.power < 1.0))
    throw std::invalid_argument("compare: power is not between alpha and 1");
  const Side side_a = arranged(a, "A"), side_b = arranged(b, "B");
  Comparison out;
  out.alone_a = static_cast<std::int64_t>(a.size());
  out.alone_b = static_cast<std::int64_t>(b.size());

  std::vector<std::string> order;
  std::set<std::string_view> seen;
  for (const ComparedNumber& one : a)
    if (seen.insert(one.row).second) order.push_back(one.row);
  std::vector<Vector> differences;
  Tests tests;
  for (const std::string& name : order) {
    const auto found = side_b.find(name);
    if (found == side_b.end()) continue;
    std::vector<Number> numbers_a, numbers_b;
    for (const auto& [partner, number] : side_a.at(name)) {
      const auto other = found->second.find(partner);
      if (options.paired && other == found->second.end()) continue;
      numbers_a.push_back(number);
      if (options.paired) numbers_b.push_back(other->second);
    }
    if (!options.paired)
      for (const auto& [partner, number] : found->second) numbers_b.push_back(number);
    if (numbers_a.empty()) continue;
    const auto values_a = values_of(numbers_a, options.over_datasets),
               values_b = values_of(numbers_b, options.over_datasets);
    Vector x = numerics::to_vector(values_a), y = numerics::to_vector(values_b);
    ComparisonRow row;
    row.row = name;
    row.n_a = x.size();
    row.n_b = y.size();
    out.alone_a -= static_cast<std::int64_t>(numbers_a.size());
    out.alone_b -= static_cast<std::int64_t>(numbers_b.size());
    row.mean_a = numerics::mean(numerics::as_span(x));
    row.mean_b = numerics::mean(numerics::as_span(y));
    row.over_seeds = numbers_a.front().over_seeds;
    if (row.over_seeds && x.size() > 2 && y.size() > 2) {
      x = spread_over_seeds(x);
      y = spread_over_seeds(y);
    }
    if (options.paired)
      compare_pairs(x, y, options, row);
    else
      compare_groups(x, y, options.alpha, row);
    if (row.over_seeds && (x.size() < 3 || y.size() < 3)) row.low = row.high = row.p = std::nullopt;
    tests.add(out, numbers_a.front().about, values_a, values_b, row);
    differences.push_back(options.paired ? Vector(x - y) : Vector());
    out.rows.push_back(std::move(row));
  }

  const Vector adjusted = corrected(numerics::to_vector(tests.p()), options.correction);
  // The strictest step of the correction: a difference that needs no luck with the other rows.
  const double alpha = options.correction == Correction::kNone || tests.p().empty()
                           ? options.alpha
                           : options.alpha / static_cast<double>(tests.p().size());
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    ComparisonRow& row = out.rows[i];
    if (!row.p) continue;
    row.p_corrected = adjusted(tests.of(i));
    row.different = !row.equal && *row.p_corrected <= options.alpha;
    // How correlated splits would be with more of them is not known.
    if (options.plan && options.paired && options.test == PairTest::kT && !row.equal &&
        !row.constant && options.resampled == 0.0)
      plan_pairs(differences[i], alpha, options.power, row);
  }
  return out;
}

std::string verdict(const ComparisonRow& row, std::string_view direction, bool paired) {
  const std::string count =
      paired ? std::to_string(row.n_a) + " pairs"
             : std::to_string(row.n_a) + " and " + std::to_string(row.n_b) + " values";
  if (!row.p && row.over_seeds && row.n_a > 1)
    return "two seeds, which share one comparison: no test";
  if (!row.p) return paired ? "one pair: no test" : "fewer than two values a side: no test";
  if (row.different) {
    const bool a_higher = row.difference > 0;
    if (row.ranks_favour_a && *row.ranks_favour_a != a_higher)
      return std::string("different: ") + (a_higher ? "B" : "A") + " higher by ranks, " +
             (a_higher ? "A" : "B") + " by the mean";
    const bool a_named = direction == "none" ? a_higher : a_higher == (direction == "higher");
    std::string text = std::string(a_named ? "A" : "B") +
                       (direction == "none" ? " higher by " : " better by ") +
                       amount(row.difference);
    if (row.constant) return text + ", the same in all " + count;
    if (row.reliable && std::abs(row.difference) < *row.reliable)
      text += ", less than this metric tells apart (" +
              digits_text(rounded_up(*row.reliable, 2), 2) + ")";
    return text;
  }
  if (row.equal && row.difference == 0) return "equal in all " + count;
  if (row.equal) return "equal up to rounding in all " + count;
  std::string text = "not separable with " + count;
  if (row.needed) return text + "; " + std::to_string(*row.needed) + " needed";
  if (paired && row.detectable) return text + "; over a million needed";
  return text;
}

}  // namespace conoscope::results
