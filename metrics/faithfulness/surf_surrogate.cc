#include "metrics/faithfulness/surf_surrogate.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/psi.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "surf_surrogate";

void require_fit(const Explanation& explanation, Index outputs, Index width) {
  detail::require_explanation(kName, explanation);
  if (detail::explained_outputs(explanation) != outputs)
    numerics::refuse(kName, "the explanation has " +
                                std::to_string(detail::explained_outputs(explanation)) +
                                " outputs, the head " + std::to_string(outputs));
  if (explanation.linear() && explanation.cavs.rows() > 0 && explanation.cavs.cols() != width)
    numerics::refuse(kName, "the CAVs have " + std::to_string(explanation.cavs.cols()) +
                                " features, the activations " + std::to_string(width));
}

// As in model_logits: a linear psi carries a NaN through to the n x C result, so the larger rows
// are searched only if that shows one.
template <typename Rows>
void require_finite_surrogate(const Matrix& surrogate, const Rows& rows) {
  if (numerics::all_finite(surrogate)) return;
  numerics::require_finite(kName, "activations", rows);
  throw std::domain_error(std::string(kName) +
                          ": a surrogate logit overflows although all arguments are finite");
}

// Importances apply after the positions are merged: m = n * positions rows of scores become n.
Matrix merge_positions(Matrix scores, Index positions, Pooling pooling) {
  if (positions == 1) return scores;
  Matrix merged(scores.rows() / positions, scores.cols());
  for (Index i = 0; i < merged.rows(); ++i) {
    merged.row(i) = scores.middleRows(i * positions, positions).colwise().sum();
    if (pooling == Pooling::kMean) merged.row(i) /= static_cast<double>(positions);
  }
  return merged;
}

Matrix projected_surrogate(const MatrixRef& rows, const Explanation& explanation,
                           const VectorRef& bias, Index positions, Pooling pooling) {
  const IndexVector counts = detail::concepts_per_output(explanation);
  Matrix surrogate(rows.rows() / positions, bias.size());
  if (explanation.class_agnostic) {
    const Matrix scores =
        merge_positions(detail::project(kName, explanation, 0, rows), positions, pooling);
    surrogate.noalias() = scores * explanation.importance_by_output.transpose();
  } else {
    for (Index c = 0; c < bias.size(); ++c) {
      const Index count = counts[static_cast<size_t>(c)];
      if (count == 0) {
        surrogate.col(c).setZero();
        continue;
      }
      const Matrix scores =
          merge_positions(detail::project(kName, explanation, c, rows), positions, pooling);
      surrogate.col(c).noalias() = scores * explanation.importance.segment(
                                                explanation.offset[static_cast<size_t>(c)], count);
    }
  }
  surrogate.rowwise() += bias.transpose();
  return surrogate;
}

template <typename Rows>
Matrix linear_surrogate(const Rows& rows, const Explanation& explanation, const VectorRef& bias) {
  // An explanation without any CAV has no width to multiply with; it says b.
  if (explanation.cavs.rows() == 0) return bias.transpose().replicate(rows.rows(), 1);
  return detail::affine(rows, detail::fold(explanation), bias);
}

template <typename Rows>
void require_rows(const Rows& rows, const Explanation& explanation, const VectorRef& bias) {
  if (rows.rows() < 1 || rows.cols() < 1)
    numerics::refuse(
        kName, "rows is " + std::to_string(rows.rows()) + " x " + std::to_string(rows.cols()));
  require_fit(explanation, bias.size(), rows.cols());
  numerics::require_finite_vector(kName, "bias", bias);
}

}  // namespace

Matrix surf_surrogate(const HeadView& head, const Explanation& explanation, PositionRule rule) {
  detail::require_head(kName, head);
  require_fit(explanation, head.outputs(), head.width());
  const MatrixRef rows = head.activations;
  if (!explanation.linear()) numerics::require_finite(kName, "activations", rows);
  numerics::require_finite_vector(kName, "bias", head.bias);

  Matrix storage, surrogate;
  const bool by_position = head.pooling == Pooling::kFlatten || rule == PositionRule::kSpatialMean;
  if (!explanation.linear() && by_position)
    surrogate = projected_surrogate(rows, explanation, head.bias, head.positions, head.pooling);
  else if (!explanation.linear())
    surrogate = projected_surrogate(detail::pool_positions(head, storage), explanation, head.bias,
                                    1, Pooling::kNone);
  else
    surrogate = linear_surrogate(detail::pool_positions(head, storage), explanation, head.bias);
  require_finite_surrogate(surrogate, rows);
  return surrogate;
}

Matrix surf_surrogate(const MatrixRef& rows, const Explanation& explanation,
                      const VectorRef& bias) {
  require_rows(rows, explanation, bias);
  if (!explanation.linear()) numerics::require_finite(kName, "activations", rows);
  Matrix surrogate = explanation.linear()
                         ? linear_surrogate(rows, explanation, bias)
                         : projected_surrogate(rows, explanation, bias, 1, Pooling::kNone);
  require_finite_surrogate(surrogate, rows);
  return surrogate;
}

Matrix surf_surrogate(const MatrixRefF& rows, const Explanation& explanation,
                      const VectorRef& bias) {
  require_rows(rows, explanation, bias);
  if (!explanation.linear())
    return surf_surrogate(MatrixRef(Matrix(rows.cast<double>())), explanation, bias);
  Matrix surrogate = linear_surrogate(rows, explanation, bias);
  require_finite_surrogate(surrogate, rows);
  return surrogate;
}

}  // namespace conoscope::metrics
