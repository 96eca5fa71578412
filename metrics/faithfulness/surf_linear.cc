#include "metrics/faithfulness/surf_linear.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/explanation.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "surf_linear";

// s_c = sum_k alpha_{c,k} score_{c,k} + b_c for one block of rows. Class-agnostic explanations have
// their own product in the caller.
template <typename Scores>
void weigh(const Scores& scores, const Explanation& explanation, const VectorRef& bias,
           Eigen::Ref<Matrix> out) {
  for (Index i = 0; i < scores.rows(); ++i)
    for (Index c = 0; c < out.cols(); ++c) {
      double sum = 0.0;
      for (Index k = explanation.offset[static_cast<size_t>(c)];
           k < explanation.offset[static_cast<size_t>(c) + 1]; ++k)
        sum += explanation.importance(k) * static_cast<double>(scores(i, k));
      out(i, c) = sum + bias(c);
    }
}

template <typename Scalar, typename Rows>
SurfTally score(const Rows& rows, const Explanation& explanation, const VectorRef& bias,
                const MatrixRef& model_logits, const SurfLinearOptions& options) {
  using Typed = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index n = rows.rows(), outputs = bias.size();
  detail::require_explanation(kName, explanation);
  if (!explanation.linear()) numerics::refuse(kName, "the explanation has a projection of its own");
  if (n < 1 || rows.cols() < 1 || explanation.cavs.cols() != rows.cols() ||
      detail::explained_outputs(explanation) != outputs || model_logits.rows() != n ||
      model_logits.cols() != outputs)
    numerics::refuse(kName, "rows " + std::to_string(n) + " x " + std::to_string(rows.cols()) +
                                ", CAVs of width " + std::to_string(explanation.cavs.cols()) +
                                " for " + std::to_string(detail::explained_outputs(explanation)) +
                                " outputs, " + std::to_string(outputs) +
                                " biases and model_logits " + std::to_string(model_logits.rows()) +
                                " x " + std::to_string(model_logits.cols()) +
                                " do not fit together");
  numerics::require_finite_vector(kName, "bias", bias);
  numerics::require_finite(kName, "model_logits", model_logits);

  const Typed weight =
      (options.fold ? detail::fold(explanation) : explanation.cavs).template cast<Scalar>();
  Typed product(std::min(detail::kBlockRows, n), weight.rows());
  Matrix surrogate(product.rows(), outputs);
  SurfTally tally(outputs, options.wanted);
  for (Index begin = 0; begin < n; begin += detail::kBlockRows) {
    const Index count = std::min(detail::kBlockRows, n - begin);
    auto scores = product.topRows(count);
    auto block = surrogate.topRows(count);
    scores.noalias() = rows.middleRows(begin, count) * weight.transpose();
    if (options.fold) {
      block = scores.template cast<double>();
      block.rowwise() += bias.transpose();
    } else if (explanation.class_agnostic) {
      block.noalias() =
          scores.template cast<double>() * explanation.importance_by_output.transpose();
      block.rowwise() += bias.transpose();
    } else {
      weigh(scores, explanation, bias, block);
    }
    if (!numerics::all_finite(block)) {
      numerics::require_finite(kName, "rows", rows);
      throw std::domain_error(std::string(kName) +
                              ": a surrogate logit overflows although all arguments are finite");
    }
    tally.add(model_logits.middleRows(begin, count), block);
  }
  return tally;
}

}  // namespace

SurfTally surf_linear(const MatrixRef& rows, const Explanation& explanation, const VectorRef& bias,
                      const MatrixRef& model_logits, const SurfLinearOptions& options) {
  return score<double>(rows, explanation, bias, model_logits, options);
}

SurfTally surf_linear(const MatrixRefF& rows, const Explanation& explanation, const VectorRef& bias,
                      const MatrixRef& model_logits, const SurfLinearOptions& options) {
  return score<float>(rows, explanation, bias, model_logits, options);
}

}  // namespace conoscope::metrics
