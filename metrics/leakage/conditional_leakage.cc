#include "metrics/leakage/conditional_leakage.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/strata.h"
#include "metrics/leakage/leakage_columns.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

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

ConditionalLeakage conditional_leakage(const MatrixRef& predicted, const ConceptColumns& truth,
                                       std::span<const Index> labels,
                                       const ConceptInformationOptions& options) {
  const double entropy = label_entropy("conditional_leakage", predicted, truth, labels);
  numerics::require_filled("conditional_leakage", "predicted", predicted);
  const IndexVector given = detail::joint_label(truth.labels());
  if (is_whole_valued(predicted)) {
    std::vector<IndexVector> columns;
    for (Index j = 0; j < predicted.cols(); ++j) {
      columns.emplace_back();
      for (Index i = 0; i < predicted.rows(); ++i)
        columns.back().push_back(static_cast<Index>(std::floor(predicted(i, j))));
    }
    return {mi_discrete_given(detail::joint_label(columns), labels, given).value / entropy, 0};
  }
  const ConditionalMi found =
      mi_ross_given(predicted, labels, given, {.neighbours = options.neighbours});
  return {found.value / entropy, found.left_out};
}

namespace {

Result by_concept(const Subject& subject) {
  const std::vector<double> found = ctl_conditional(
      subject.once(untied_columns), subject.once(true_columns), subject.annotations().labels);
  return {std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size()),
          found};
}

Result together(const Subject& subject) {
  const ConceptView& view = named_concepts(subject);
  const Matrix& predicted = view.width == 1 ? subject.once(untied_columns).matrix() : view.scores;
  const ConditionalLeakage found = metrics::conditional_leakage(
      predicted, subject.once(true_columns), subject.annotations().labels);
  Result out{found.value};
  if (found.left_out > 0)
    out.caveat =
        left_out(found.left_out, "sample", "no other sample has the same concepts and label");
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
      "How much do all predicted concepts together say about the label that the true ones do not?";
  all.source = "Makonnen et al., arXiv 2504.09459";
  all.parts = "";
  all.compute = together;
  return {by_one, all};
}

}  // namespace conoscope::metrics
