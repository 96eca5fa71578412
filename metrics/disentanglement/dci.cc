// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/dci.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr double kOffset = 1e-11;  // disentanglement_lib's

template <typename Values>
double concentration(const Values& values) {
  const double total = values.sum() + kOffset * static_cast<double>(values.size());
  double entropy = 0.0;
  for (Index i = 0; i < values.size(); ++i) {
    const double share = (values[i] + kOffset) / total;
    entropy -= share * std::log(share);
  }
  // A uniform row may round to a hair below 0.
  return std::max(0.0, 1.0 - entropy / std::log(static_cast<double>(values.size())));
}

void require_importance(const char* function, const MatrixRef& importance) {
  if (importance.rows() < 2 || importance.cols() < 2)
    numerics::refuse(function, "importance is " + numerics::shape_of(importance) +
                                   "; needs at least 2 codes and 2 factors");
  numerics::require_finite(function, "importance", importance);
  if (importance.minCoeff() < 0.0)
    numerics::refuse(function, "importance holds " + std::to_string(importance.minCoeff()) +
                                   "; no entry may be negative");
}

DciScore score_of(Vector each, double weighted, double total) {
  const double mean = each.mean();
  return {total > 0.0 ? weighted / total : mean, mean, std::move(each)};
}

}  // namespace

DciScore dci_disentanglement(const MatrixRef& importance) {
  require_importance("dci_disentanglement", importance);
  Vector each(importance.rows());
  for (Index i = 0; i < importance.rows(); ++i) each[i] = concentration(importance.row(i));
  const double weighted = importance.rowwise().sum().dot(each);
  return score_of(std::move(each), weighted, importance.sum());
}

DciScore dci_completeness(const MatrixRef& importance) {
  require_importance("dci_completeness", importance);
  Vector each(importance.cols());
  for (Index j = 0; j < importance.cols(); ++j) each[j] = concentration(importance.col(j));
  const double weighted = importance.colwise().sum().dot(each);
  return score_of(std::move(each), weighted, importance.sum());
}

}  // namespace conoscope::metrics
