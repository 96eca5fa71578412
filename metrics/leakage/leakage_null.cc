// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/leakage_null.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_ross.h"
#include "metrics/information/strata.h"
#include "metrics/leakage/leakage_columns.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/statistics/multiple_tests.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

constexpr Index kEnough = 10;        // Besag and Clifford's h
constexpr double kRounding = 1e-12;  // a sum in another order is no larger
constexpr double kLevel = 0.05;

using numerics::Random;
using numerics::Seed;

void require(const char* name, const ConceptColumns& predicted, const ConceptColumns& truth,
             const LeakageNullOptions& options) {
  require_same_concepts(name, predicted, truth);
  numerics::require_at_least(name, "permutations", options.permutations, 1);
}

/// draw(): the statistic of the next permutation.
template <typename Draw>
double p_value(double observed, Index permutations, const Draw& draw) {
  Index reached = 0;
  for (Index drawn = 1; drawn <= permutations; ++drawn) {
    reached += draw() >= observed - kRounding;
    if (reached == kEnough) return static_cast<double>(reached) / static_cast<double>(drawn);
  }
  return static_cast<double>(1 + reached) / static_cast<double>(1 + permutations);
}

std::vector<std::int32_t> as_listed(Index n) {
  std::vector<std::int32_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

void permute(std::span<const Index> labels, std::span<const std::int32_t> by, IndexVector& out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = labels[static_cast<size_t>(by[i])];
}

}  // namespace

std::vector<double> ctl_p_values(const ConceptColumns& predicted, const ConceptColumns& truth,
                                 std::span<const Index> labels, const LeakageNullOptions& options) {
  require("ctl_p_values", predicted, truth, options);
  const Index n = truth.matrix().rows();
  if (static_cast<Index>(labels.size()) != n)
    numerics::refuse("ctl_p_values", "labels has " + std::to_string(labels.size()) +
                                         " samples and predicted " + std::to_string(n) +
                                         "; they must be as many");
  std::vector<double> out;
  IndexVector permuted(labels.size());
  for (size_t i = 0; i < truth.labels().size(); ++i) {
    Random random(Seed(options.seed).child("ctl").child(i));
    const auto test = [&](std::span<const std::int32_t> order, const auto& information) {
      detail::PermutationWithin within(truth.labels()[i], order);
      return p_value(information(labels), options.permutations, [&] {
        permute(labels, within.draw(random), permuted);
        return information(permuted);
      });
    };
    if (predicted.whole())
      out.push_back(test(as_listed(n), [&](std::span<const Index> y) {
        return mi_discrete(predicted.labels()[i], y);
      }));
    else
      out.push_back(test(predicted.sorted()[i].order(), [&](std::span<const Index> y) {
        return mi_ross(predicted.sorted()[i], y, {.neighbours = options.neighbours}).raw;
      }));
  }
  return out;
}

std::vector<double> icl_p_values(const ConceptColumns& predicted, const ConceptColumns& truth,
                                 const LeakageNullOptions& options) {
  require("icl_p_values", predicted, truth, options);
  const Index n = truth.matrix().rows();
  const size_t k = truth.labels().size();
  if (k < 2)
    numerics::refuse("icl_p_values",
                     "predicted has " + std::to_string(k) + " concept; pairs need at least two");
  std::vector<double> out;
  for (size_t i = 0; i < k; ++i) {
    std::optional<KsgScalar> one;
    if (!predicted.whole())
      one.emplace(predicted.sorted()[i], KsgOptions{.neighbours = options.neighbours});
    for (size_t j = i + 1; j < k; ++j) {
      Random random(Seed(options.seed).child("icl").child(i).child(j));
      if (!one) {
        detail::PermutationWithin first(truth.labels()[i], as_listed(n)),
            second(truth.labels()[j], as_listed(n));
        IndexVector x(truth.labels()[i].size()), y(x.size());
        out.push_back(p_value(mi_discrete(predicted.labels()[i], predicted.labels()[j]),
                              options.permutations, [&] {
                                permute(predicted.labels()[i], first.draw(random), x);
                                permute(predicted.labels()[j], second.draw(random), y);
                                return mi_discrete(x, y);
                              }));
        continue;
      }
      const SortedValues &x = predicted.sorted()[i], &y = predicted.sorted()[j];
      detail::PermutationWithin first(truth.labels()[i], x.order()),
          second(truth.labels()[j], y.order());
      std::vector<std::int32_t> order(y.order().size());
      out.push_back(p_value(one->with(y).raw, options.permutations, [&] {
        const auto of_x = first.draw(random), of_y = second.draw(random);
        for (size_t place = 0; place < order.size(); ++place)
          order[place] = of_x[static_cast<size_t>(of_y[static_cast<size_t>(y.order()[place])])];
        return one->with(y, order).raw;
      }));
    }
  }
  return out;
}

namespace {

Result significant(const std::vector<double>& p) {
  const Vector adjusted = numerics::benjamini_hochberg(numerics::to_vector(p));
  return {static_cast<double>((adjusted.array() <= kLevel).count()) / static_cast<double>(p.size()),
          p};
}

/// So many permutations that one test alone can stay significant among as many: p is at least
/// 1 / (permutations + 1), which Benjamini and Hochberg multiply by the tests.
LeakageNullOptions options_of(const Subject& subject, const std::vector<Setting>& settings,
                              Index tests) {
  const auto enough = static_cast<Index>(std::ceil(static_cast<double>(tests) / kLevel)) - 1;
  return {.permutations = std::max(settings.front().value, enough), .seed = subject.seed()};
}

Result ctl_significant(const Subject& subject, const std::vector<Setting>& settings) {
  const ConceptColumns& predicted = subject.once(untied_columns);
  return significant(ctl_p_values(predicted, subject.once(true_columns),
                                  subject.annotations().labels,
                                  options_of(subject, settings, predicted.matrix().cols())));
}

Result icl_significant(const Subject& subject, const std::vector<Setting>& settings) {
  require_pairs(subject);
  const ConceptColumns& predicted = subject.once(untied_columns);
  const Index k = predicted.matrix().cols(), pairs = k * (k - 1) / 2, most = settings[1].value;
  if (pairs > most)
    throw NotApplicable(
        "of " + std::to_string(pairs) + " pairs of concepts at most " + std::to_string(most) +
        " are tested; icl_significant(pairs=" + std::to_string(pairs) + ") tests all");
  return significant(
      icl_p_values(predicted, subject.once(true_columns), options_of(subject, settings, pairs)));
}

Metric tested(const char* name, const char* question,
              Result (*compute)(const Subject&, const std::vector<Setting>&),
              std::string_view parts, std::vector<Setting> settings) {
  return {
      .name = name,
      .group = "leakage",
      .question = question,
      .direction = Direction::kLower,
      .high = 1.0,
      .source = "ours, of the scores of Parisini et al., 2025",
      .needs = {"concept_view", "concepts"},
      .parts = parts,
      .settings = std::move(settings),
      .compute_with = compute,
  };
}

}  // namespace

std::vector<Metric> declare::leakage_null() {
  const Setting permutations{"permutations", LeakageNullOptions().permutations};
  Metric task = tested("ctl_significant",
                       "What share of predicted concepts say significantly more about the label "
                       "than the true concepts account for?",
                       ctl_significant, "concept", {permutations});
  task.needs.push_back("labels");
  return {task, tested("icl_significant",
                       "What share of pairs of predicted concepts say significantly more about "
                       "each other than the true concepts account for?",
                       icl_significant, "concept pair", {permutations, {"pairs", 200}})};
}

}  // namespace conoscope::metrics
