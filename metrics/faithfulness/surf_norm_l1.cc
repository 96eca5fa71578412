#include "metrics/faithfulness/surf_norm_l1.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/logit_pair.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

NormL1 surf_norm_l1(const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                    const IndexVector& labels) {
  constexpr const char* kName = "surf_norm_l1";
  detail::require_logit_pair(kName, model_logits, surrogate_logits);
  const Index n = model_logits.rows();
  if (static_cast<Index>(labels.size()) != n)
    numerics::refuse(
        kName, std::to_string(labels.size()) + " labels for " + std::to_string(n) + " samples");
  NormL1 result;
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    const Index t = labels[static_cast<size_t>(i)];
    if (t < 0 || t >= model_logits.cols())
      numerics::refuse(kName, "label " + std::to_string(t) + " of sample " + std::to_string(i) +
                                  " is outside 0 ... " + std::to_string(model_logits.cols() - 1));
    const double y = model_logits(i, t);
    if (y == 0.0)
      ++result.skipped;
    else
      sum += std::abs(y - surrogate_logits(i, t)) / std::abs(y);
  }
  if (result.skipped == n)
    throw std::domain_error(std::string(kName) + ": the true class's logit is 0 in every sample");
  result.value = sum / static_cast<double>(n - result.skipped);
  return result;
}

}  // namespace conoscope::metrics
