#include "metrics/faithfulness/surf_surrogate_from_scores.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

Matrix surf_surrogate_from_scores(const MatrixRef& scores, const VectorRef& importance,
                                  const IndexVector& offset, const VectorRef& bias) {
  constexpr const char* kName = "surf_surrogate_from_scores";
  const Index outputs = bias.size();
  if (scores.rows() < 1 || outputs < 1) numerics::refuse(kName, "no sample or no output");
  if (static_cast<Index>(offset.size()) != outputs + 1 || offset.front() != 0 ||
      offset.back() != scores.cols() || importance.size() != scores.cols())
    numerics::refuse(kName, std::to_string(scores.cols()) + " columns of scores, " +
                                std::to_string(importance.size()) + " importances and " +
                                std::to_string(offset.size()) + " offsets for " +
                                std::to_string(outputs) + " outputs do not fit together");
  for (size_t c = 0; c + 1 < offset.size(); ++c)
    if (offset[c + 1] < offset[c])
      numerics::refuse(kName, "offset descends at output " + std::to_string(c));
  numerics::require_finite(kName, "scores", scores);
  numerics::require_finite_vector(kName, "importance", importance);
  numerics::require_finite_vector(kName, "bias", bias);

  Matrix surrogate(scores.rows(), outputs);
  for (Index i = 0; i < scores.rows(); ++i)
    for (Index c = 0; c < outputs; ++c) {
      double sum = 0.0;
      for (Index k = offset[static_cast<size_t>(c)]; k < offset[static_cast<size_t>(c) + 1]; ++k)
        sum += importance(k) * scores(i, k);
      surrogate(i, c) = sum + bias(c);
    }
  return surrogate;
}

}  // namespace conoscope::metrics
