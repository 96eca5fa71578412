// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/conditional_leakage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/caveat.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/strata.h"
#include "metrics/leakage/leakage_columns.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/statistics/permutation_test.h"

namespace conoscope::metrics {

namespace {

constexpr double kLevel = 0.05;
constexpr double kMostChance = 0.25;  // of what could be found

/// H(y), of arguments that fit.
double label_entropy(const char* name, const MatrixRef& predicted, const ConceptColumns& truth,
                     std::span<const Index> labels) {
  const Index n = truth.matrix().rows();
  if (predicted.rows() != n || static_cast<Index>(labels.size()) != n)
    numerics::refuse(name, "predicted has " + std::to_string(predicted.rows()) +
                               " samples, truth " + std::to_string(n) + " and labels " +
                               std::to_string(labels.size()) + "; they must be as many");
  if (!truth.whole())
    numerics::refuse(name, "truth is not made of whole numbers; true concepts are labels");
  const double entropy = entropy_discrete(labels);
  if (entropy == 0.0)
    throw std::domain_error(std::string(name) + ": labels holds one class only, so H(y) = 0");
  return entropy;
}

}  // namespace

std::vector<double> ctl_conditional(const ConceptColumns& predicted, const ConceptColumns& truth,
                                    std::span<const Index> labels,
                                    const ConceptInformationOptions& options) {
  constexpr const char* kName = "ctl_conditional";
  const double entropy = label_entropy(kName, predicted.matrix(), truth, labels);
  if (predicted.matrix().cols() != truth.matrix().cols())
    numerics::refuse(kName, "predicted has " + std::to_string(predicted.matrix().cols()) +
                                " concepts and truth " + std::to_string(truth.matrix().cols()) +
                                "; they must be as many");
  std::vector<double> out;
  for (size_t i = 0; i < truth.labels().size(); ++i) {
    const ConditionalMi found =
        predicted.whole() ? mi_discrete_given(predicted.labels()[i], labels, truth.labels()[i])
                          : mi_ross_given(predicted.sorted()[i], labels, truth.labels()[i],
                                          {.neighbours = options.neighbours});
    out.push_back(found.value / entropy);
  }
  return out;
}

namespace {

/// I(c^; y | c) of any labels y.
class ConditionalEstimate {
 public:
  ConditionalEstimate(const MatrixRef& predicted, std::span<const Index> given, Index neighbours)
      : predicted_(predicted), given_(given), neighbours_(neighbours) {
    if (!is_whole_valued(predicted)) return;
    std::vector<IndexVector> columns;
    for (Index j = 0; j < predicted.cols(); ++j) {
      columns.emplace_back();
      for (Index i = 0; i < predicted.rows(); ++i)
        columns.back().push_back(static_cast<Index>(std::floor(predicted(i, j))));
    }
    joint_ = detail::joint_label(columns);
  }

  ConditionalMi operator()(std::span<const Index> labels) const {
    return joint_.empty() ? mi_ross_given(predicted_, labels, given_, {.neighbours = neighbours_})
                          : mi_discrete_given(joint_, labels, given_);
  }

 private:
  const MatrixRef predicted_;
  std::span<const Index> given_;
  Index neighbours_;
  IndexVector joint_;  ///< where all predicted concepts are whole numbers
};

Index count_alone(std::span<const Index> given) {
  IndexVector count(static_cast<size_t>(*std::ranges::max_element(given)) + 1);
  for (const Index v : given) ++count[static_cast<size_t>(v)];
  return std::ranges::count(count, 1);
}

}  // namespace

ConditionalLeakage conditional_leakage(const MatrixRef& predicted, const ConceptColumns& truth,
                                       std::span<const Index> labels,
                                       const ConditionalLeakageOptions& options) {
  constexpr const char* kName = "conditional_leakage";
  const double entropy = label_entropy(kName, predicted, truth, labels);
  numerics::require_filled(kName, "predicted", predicted);
  numerics::require_at_least(kName, "permutations", options.permutations, 1);
  const IndexVector given = detail::joint_label(truth.labels());
  const Index n = predicted.rows();
  ConditionalLeakage out;
  out.alone = count_alone(given);
  if (2 * out.alone > n)
    throw std::domain_error(std::string(kName) + ": " + std::to_string(out.alone) + " of " +
                            std::to_string(n) +
                            " samples share their true concepts with no other, so nothing can be "
                            "said of what predicted concepts add");
  const ConditionalEstimate estimate(predicted, given, options.neighbours);
  const ConditionalMi found = estimate(labels);
  out.estimate = found.value / entropy;
  out.left_out = found.left_out;

  std::vector<std::int32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  detail::PermutationWithin within(given, order);
  numerics::Random random(numerics::Seed(options.seed).child(kName));
  IndexVector permuted(labels.size());
  double chance = 0.0;  // what the label would say of itself, had it changed places
  for (Index drawn = 0; drawn < options.permutations; ++drawn) {
    const auto by = within.draw(random);
    for (size_t i = 0; i < permuted.size(); ++i) permuted[i] = labels[static_cast<size_t>(by[i])];
    out.null.push_back(estimate(permuted).value / entropy);
    chance += mi_discrete_given(permuted, labels, given).value / entropy;
  }
  chance /= static_cast<double>(options.permutations);
  const double most = mi_discrete_given(labels, labels, given).value / entropy;
  if (chance > kMostChance * most)
    throw std::domain_error(std::string(kName) + ": too few samples share their true concepts (" +
                            std::to_string(out.alone) + " of " + std::to_string(n) +
                            " share them with no other): of the " + short_text(most) +
                            " of H(y) that could be found, chance alone gives up to " +
                            short_text(chance));
  const numerics::PermutationTest test = numerics::permutation_test(out.estimate, out.null);
  out.p = test.p;
  out.value = test.excess;
  return out;
}

namespace {

Result by_concept(const Subject& subject) {
  const std::vector<double> found = ctl_conditional(
      subject.once(untied_columns), subject.once(true_columns), subject.annotations().labels);
  return {std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size()),
          found};
}

Result together(const Subject& subject, const std::vector<Setting>& settings) {
  const ConceptView& view = named_concepts(subject);
  const Matrix& predicted = view.width == 1 ? subject.once(untied_columns).matrix() : view.scores;
  const ConditionalLeakage found = metrics::conditional_leakage(
      predicted, subject.once(true_columns), subject.annotations().labels,
      {.permutations = settings.front().value, .seed = subject.seed()});
  Result out{found.value, found.null};
  if (found.p > kLevel)
    add_note(out.caveat, "no more than chance: p = " + short_text(found.p) + " of " +
                             std::to_string(found.null.size()) + " permutations");
  if (found.alone > 0)
    add_note(out.caveat, std::to_string(found.alone) + " of " + std::to_string(predicted.rows()) +
                             " samples share their true concepts with no other");
  if (found.left_out > 0)
    add_note(out.caveat,
             left_out(found.left_out, "sample", "no other sample has the same concepts and label"));
  return out;
}

}  // namespace

std::vector<Metric> declare::conditional_leakage() {
  Metric by_one{
      .name = "ctl_conditional",
      .group = "leakage",
      .question =
          "How much does a predicted concept say about the label that the true concept does not?",
      .direction = Direction::kLower,
      .source = "ours, after Makonnen et al., arXiv 2504.09459",
      .needs = {"concept_view", "concepts", "labels"},
      .parts = "concept",
      .compute = by_concept,
  };
  Metric all = by_one;
  all.name = "conditional_leakage";
  all.question =
      "How much more than chance do all predicted concepts together say about the label that the "
      "true ones do not?";
  all.source = "Makonnen et al., arXiv 2504.09459";
  all.low = -1.0;
  all.high = 1.0;
  all.parts = "";
  all.settings = {{"permutations", ConditionalLeakageOptions().permutations}};
  all.compute = nullptr;
  all.compute_with = together;
  return {by_one, all};
}

}  // namespace conoscope::metrics
