#include "metrics/checks.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace conoscope::metrics::detail {

namespace {

template <typename Ref>
void require_finite_matrix(std::string_view metric, std::string_view argument, const Ref& matrix) {
  for (Index row = 0; row < matrix.rows(); ++row) {
    const auto values = matrix.row(row);
    if (all_finite(values)) continue;
    for (Index col = 0; col < matrix.cols(); ++col) {
      if (std::isfinite(values(col))) continue;
      std::ostringstream text;
      text << argument << " is " << values(col) << " at row " << row << ", column " << col
           << "; every entry must be finite";
      refuse(metric, text.str());
    }
  }
}

}  // namespace

void refuse(std::string_view metric, const std::string& what) {
  throw std::invalid_argument(std::string(metric) + ": " + what);
}

void require_finite(std::string_view metric, std::string_view argument, const MatrixRef& matrix) {
  require_finite_matrix(metric, argument, matrix);
}

void require_finite(std::string_view metric, std::string_view argument, const MatrixFRef& matrix) {
  require_finite_matrix(metric, argument, matrix);
}

void require_finite_vector(std::string_view metric, std::string_view argument,
                           const VectorRef& vector) {
  for (Index i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector(i))) continue;
    std::ostringstream text;
    text << argument << " is " << vector(i) << " at entry " << i << "; every entry must be finite";
    refuse(metric, text.str());
  }
}

void require_logit_pair(std::string_view metric, const MatrixRef& model_logits,
                        const MatrixRef& surrogate_logits) {
  if (model_logits.rows() < 1 || model_logits.cols() < 1 ||
      model_logits.rows() != surrogate_logits.rows() ||
      model_logits.cols() != surrogate_logits.cols()) {
    std::ostringstream text;
    text << "model_logits is " << model_logits.rows() << " x " << model_logits.cols()
         << " and surrogate_logits " << surrogate_logits.rows() << " x " << surrogate_logits.cols()
         << "; both must be n x C with n, C >= 1";
    refuse(metric, text.str());
  }
  require_finite(metric, "model_logits", model_logits);
  require_finite(metric, "surrogate_logits", surrogate_logits);
}

void require_labels(std::string_view metric, const IndexVector& labels, Index samples,
                    Index outputs) {
  if (static_cast<Index>(labels.size()) != samples)
    refuse(metric,
           std::to_string(labels.size()) + " labels for " + std::to_string(samples) + " samples");
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= outputs)
      refuse(metric, "label " + std::to_string(labels[i]) + " of sample " + std::to_string(i) +
                         " is outside 0 ... " + std::to_string(outputs - 1));
}

}  // namespace conoscope::metrics::detail
