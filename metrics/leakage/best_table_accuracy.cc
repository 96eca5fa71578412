// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/best_table_accuracy.h"

#include <algorithm>
#include <map>
#include <string>

#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

BestTable best_table_accuracy(const MatrixRef& concepts, const IndexVector& labels,
                              const Vector& weights) {
  constexpr const char* kName = "best_table_accuracy";
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

double table_accuracy(const MatrixRef& train_concepts, const IndexVector& train_labels,
                      const MatrixRef& concepts, const IndexVector& labels) {
  constexpr const char* kName = "table_accuracy";
  const auto require = [&](const char* what, const MatrixRef& rows, const IndexVector& of_rows) {
    if (rows.rows() < 1 || rows.cols() != train_concepts.cols() ||
        static_cast<Index>(of_rows.size()) != rows.rows())
      numerics::refuse(kName, std::string(what) + " is " + numerics::shape_of(rows) + " with " +
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

Result table_of(const Subject& subject) {
  const Annotations& judged = subject.annotations();
  const Annotations* train = subject.views().train_annotations;
  if (train && train->concepts.size() > 0 && !train->labels.empty())
    return {table_accuracy(train->concepts, train->labels, judged.concepts, judged.labels),
            {},
            "a table made on " + std::to_string(train->labels.size()) + " training samples"};
  const BestTable best = best_table_accuracy(judged.concepts, judged.labels);
  return {best.value,
          {},
          std::to_string(best.combinations) + " combinations of concepts in " +
              std::to_string(judged.labels.size()) + " samples"};
}

std::vector<Metric> declare::best_table_accuracy() {
  return {{
      .name = "best_table_accuracy",
      .group = "intervention",
      .question = "How accurate is a table that answers each combination of true concepts with its "
                  "most frequent label?",
      .high = 1.0,
      .source = "conoscope; the upper mark of heads on true concepts, where each combination is "
                "met in training",
      .needs = {"concept_view", "concepts", "labels"},
      .uses = {"train_concept_view"},
      .compute = [](const Subject& subject) { return subject.once(table_of); },
  }};
}

}  // namespace conoscope::metrics
