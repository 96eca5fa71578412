#include "metrics/leakage/s_int.h"

#include <algorithm>
#include <map>
#include <string>

#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double s_int(double reference_accuracy, const InterventionCurve& curve) {
  if (curve.accuracy.empty()) numerics::refuse("s_int", "curve is empty");
  if (!(reference_accuracy >= 0.0 && reference_accuracy <= 1.0))
    numerics::refuse("s_int", "reference_accuracy is " + std::to_string(reference_accuracy) +
                                  "; it must lie in 0 ... 1");
  return reference_accuracy - curve.accuracy.back();
}

ReferenceAccuracy reference_accuracy(const MatrixRef& concepts, const IndexVector& labels,
                                     const Vector& weights) {
  constexpr const char* kName = "reference_accuracy";
  const Index n = concepts.rows();
  if (n < 1 || static_cast<Index>(labels.size()) != n ||
      (weights.size() > 0 && weights.size() != n))
    numerics::refuse(kName, "concepts has " + std::to_string(n) + " rows, labels " +
                                std::to_string(labels.size()) + " and weights " +
                                std::to_string(weights.size()) +
                                "; they must be n >= 1, n, and n or none");
  numerics::require_finite(kName, "concepts", concepts);
  numerics::require_finite_vector(kName, "weights", weights);
  if (weights.size() > 0 && (weights.minCoeff() < 0.0 || weights.sum() <= 0.0))
    numerics::refuse(kName, "weights are negative or all 0");
  std::map<std::vector<double>, std::map<Index, double>> cells;
  for (Index i = 0; i < n; ++i) {
    std::vector<double> row;
    for (Index j = 0; j < concepts.cols(); ++j) row.push_back(concepts(i, j));
    cells[row][labels[static_cast<size_t>(i)]] += weights.size() > 0 ? weights(i) : 1.0;
  }
  double right = 0.0;
  for (const auto& [row, found] : cells) {
    double most = 0.0;
    for (const auto& [label, weight] : found) most = std::max(most, weight);
    right += most;
  }
  return {right / (weights.size() > 0 ? weights.sum() : static_cast<double>(n)),
          static_cast<Index>(cells.size())};
}

double reference_head_accuracy(const MatrixRef& train_concepts, const IndexVector& train_labels,
                               const MatrixRef& concepts, const IndexVector& labels) {
  constexpr const char* kName = "reference_head_accuracy";
  const auto require = [&](const char* what, const MatrixRef& rows, const IndexVector& of_rows) {
    if (rows.rows() < 1 || rows.cols() != train_concepts.cols() ||
        static_cast<Index>(of_rows.size()) != rows.rows())
      numerics::refuse(kName, std::string(what) + " is " + std::to_string(rows.rows()) + " x " +
                                  std::to_string(rows.cols()) + " with " +
                                  std::to_string(of_rows.size()) +
                                  " labels; expected n >= 1 rows of " +
                                  std::to_string(train_concepts.cols()) + " and n labels");
    numerics::require_finite(kName, what, rows);
  };
  require("train_concepts", train_concepts, train_labels);
  require("concepts", concepts, labels);
  using Counts = std::map<Index, Index>;
  const auto most_frequent = [](const Counts& counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  };
  const auto row_of = [](const MatrixRef& rows, Index i) {
    return std::vector<double>(rows.row(i).begin(), rows.row(i).end());
  };
  std::map<std::vector<double>, Counts> met;
  Counts all;
  for (Index i = 0; i < train_concepts.rows(); ++i) {
    const Index label = train_labels[static_cast<size_t>(i)];
    ++met[row_of(train_concepts, i)][label];
    ++all[label];
  }
  const Index otherwise = most_frequent(all);
  Index right = 0;
  for (Index i = 0; i < concepts.rows(); ++i) {
    const auto found = met.find(row_of(concepts, i));
    const Index answer = found == met.end() ? otherwise : most_frequent(found->second);
    right += answer == labels[static_cast<size_t>(i)];
  }
  return static_cast<double>(right) / static_cast<double>(concepts.rows());
}

namespace {

/// The accuracy that a head made for true concepts has; the caveat says how it was made.
Result reference_of(const Subject& subject) {
  subject.once(subject_intervention);  // where there are no interventions, there is none to compare
  const Annotations& judged = subject.annotations();
  const Annotations* train = subject.views().train_annotations;
  if (train && train->concepts.size() > 0 && !train->labels.empty())
    return {reference_head_accuracy(train->concepts, train->labels, judged.concepts, judged.labels),
            {},
            "a head made on " + std::to_string(train->labels.size()) + " training samples"};
  const ReferenceAccuracy best = reference_accuracy(judged.concepts, judged.labels);
  return {best.value,
          {},
          std::to_string(best.combinations) + " combinations of concepts in " +
              std::to_string(judged.labels.size()) + " samples"};
}

}  // namespace

std::vector<Metric> declare::s_int() {
  Metric reference{
      .name = "reference_accuracy",
      .group = "intervention",
      .question = "How accurate is a head that was made for the true concepts?",
      .high = 1.0,
      .source = "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025",
      .needs = {"concept_view", "concepts", "labels"},
      .uses = {"train_concept_view"},
      .compute = [](const Subject& subject) { return subject.once(reference_of); },
  };
  Metric lost = reference;
  lost.name = "s_int";
  lost.question =
      "How much accuracy does the model, told all its concepts, lack against a head made for them?";
  lost.direction = Direction::kLower;
  lost.low = -1.0;
  lost.compute = [](const Subject& subject) -> Result {
    return {metrics::s_int(subject.once(reference_of).value, subject.once(oracle_curve)),
            {},
            subject.once(subject_intervention).caveat};
  };
  return {reference, lost};
}

}  // namespace conoscope::metrics
