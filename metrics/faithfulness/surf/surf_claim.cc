// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_claim.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"

namespace conoscope::metrics {

SurfClaim::SurfClaim(const ExplainedHead& of) : of_(&of) {
  // The same product as the surrogate's, so that what is equal is equal to the last bits.
  const HeadView& head = of.head();
  excess_ = surf_surrogate(of) -
            (of.flatten() ? head_reading(head) : model_logits(of.pooled(), head.weight, head.bias));
}

Matrix SurfClaim::step(Index output) const {
  const HeadView& head = of_->head();
  const Vector weight = head.weight.row(output).transpose();
  const double square = weight.squaredNorm();
  if (!(square > 0.0))
    throw std::domain_error("output " + std::to_string(output) +
                            ": the head's weights are 0, so that no activation bears out what the "
                            "explanation says");
  if (!of_->flatten()) return (weight / square).transpose().replicate(head.positions, 1);
  return Eigen::Map<const Matrix>(weight.data(), head.positions, head.width()) / square;
}

Matrix SurfClaim::moved(Index output, Index first, const Matrix& block) const {
  const Matrix u = step(output);
  const Index positions = u.rows();
  Matrix out = block;
  for (Index i = 0; i < block.rows() / positions; ++i)
    out.middleRows(i * positions, positions) += excess_(first + i, output) * u;
  return out;
}

}  // namespace conoscope::metrics
