// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_through_surrogate.h"

#include <string>

#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

/// What a model answered, of the shape that was asked for.
Matrix checked(const char* what, Matrix answer, Index rows, Index cols) {
  if (answer.rows() != rows || answer.cols() != cols)
    numerics::refuse(what, "the model answered " + numerics::shape_of(answer) + ", expected " +
                               std::to_string(rows) + " x " + std::to_string(cols));
  numerics::require_finite(what, "answer", answer);
  return answer;
}

}  // namespace

Matrix surf_through_surrogate(const SurfClaim& claim, const HeadCalls& above) {
  const HeadView& head = claim.of().head();
  Matrix surrogate = model_logits(head);
  for_each_block(head.activations, head.positions, [&](Index row, const Matrix& block) {
    const Index first = row / head.positions, samples = block.rows() / head.positions;
    const auto outputs = [&](const Matrix& activations) {
      return checked("head", above.outputs(activations), samples, head.outputs());
    };
    const Matrix before = outputs(block);
    for (Index c = 0; c < head.outputs(); ++c)
      if (claim.differs(c))
        surrogate.col(c).segment(first, samples) +=
            outputs(claim.moved(c, first, block)).col(c) - before.col(c);
  });
  return surrogate;
}

Matrix surf_local_surrogate(const SurfClaim& claim, const HeadCalls& above) {
  const HeadView& head = claim.of().head();
  Matrix surrogate = model_logits(head);
  for_each_block(head.activations, head.positions, [&](Index row, const Matrix& block) {
    const Index first = row / head.positions, samples = block.rows() / head.positions;
    for (Index c = 0; c < head.outputs(); ++c) {
      if (!claim.differs(c)) continue;
      Matrix unit = Matrix::Zero(samples, head.outputs());
      unit.col(c).setOnes();
      const Matrix gradient = checked("vjp", above.vjp(block, unit), block.rows(), block.cols());
      const Matrix u = claim.step(c);
      for (Index i = 0; i < samples; ++i)
        surrogate(first + i, c) +=
            claim.excess()(first + i, c) *
            gradient.middleRows(i * head.positions, head.positions).cwiseProduct(u).sum();
    }
  });
  return surrogate;
}

}  // namespace conoscope::metrics
