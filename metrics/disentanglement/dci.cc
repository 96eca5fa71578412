#include "metrics/disentanglement/dci.h"

#include <algorithm>
#include <cmath>
#include <string>

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

}  // namespace

Dci dci_from_importance(const MatrixRef& importance) {
  constexpr const char* kName = "dci_from_importance";
  if (importance.rows() < 2 || importance.cols() < 2)
    numerics::refuse(kName, "importance is " + std::to_string(importance.rows()) + " x " +
                                std::to_string(importance.cols()) +
                                "; needs at least 2 codes and 2 factors");
  numerics::require_finite(kName, "importance", importance);
  if (importance.minCoeff() < 0.0)
    numerics::refuse(kName, "importance holds " + std::to_string(importance.minCoeff()) +
                                "; no entry may be negative");
  Dci out{Vector(importance.rows()), Vector(importance.cols())};
  for (Index i = 0; i < importance.rows(); ++i) out.by_code[i] = concentration(importance.row(i));
  for (Index j = 0; j < importance.cols(); ++j) out.by_factor[j] = concentration(importance.col(j));
  const double total = importance.sum();
  if (total > 0.0) {
    out.disentanglement = importance.rowwise().sum().dot(out.by_code) / total;
    out.completeness = importance.colwise().sum().dot(out.by_factor) / total;
  } else {
    out.disentanglement = out.by_code.mean();
    out.completeness = out.by_factor.mean();
  }
  out.disentanglement_mean = out.by_code.mean();
  return out;
}

}  // namespace conoscope::metrics
