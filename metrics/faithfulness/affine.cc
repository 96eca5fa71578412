// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/affine.h"

#include <string>

#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::metrics::detail {

void require_head(std::string_view metric, const HeadView& head) {
  const auto text = [](Index value) { return std::to_string(value); };
  if (head.positions < 1) numerics::refuse(metric, "head.positions is " + text(head.positions));
  if (head.activations.rows() < 1 || head.activations.cols() < 1)
    numerics::refuse(metric, "head.activations is " + text(head.activations.rows()) + " x " +
                                 text(head.activations.cols()) +
                                 "; there must be a sample and a feature");
  if (head.activations.rows() % head.positions != 0)
    numerics::refuse(metric, "head.activations has " + text(head.activations.rows()) +
                                 " rows, not a multiple of the " + text(head.positions) +
                                 " positions");
  if (head.pooling == Pooling::kNone && head.positions > 1)
    numerics::refuse(metric, "head.pooling is none, but there are " + text(head.positions) +
                                 " positions per sample: choose mean or flatten");
  const Index columns = head.width() * (head.pooling == Pooling::kFlatten ? head.positions : 1);
  if (head.outputs() < 1 || head.weight.cols() != columns)
    numerics::refuse(metric, "head.weight is " + text(head.weight.rows()) + " x " +
                                 text(head.weight.cols()) + "; expected C x " + text(columns) +
                                 " with C >= 1");
  if (head.bias.size() != head.outputs())
    numerics::refuse(metric, "head.bias has " + text(head.bias.size()) + " entries for " +
                                 text(head.outputs()) + " outputs");
}

Matrix pool_rows(const MatrixRef& rows, Index positions, Pooling pooling) {
  if (positions == 1) return rows;
  Matrix pooled(rows.rows() / positions, rows.cols());
  for (Index i = 0; i < pooled.rows(); ++i) {
    pooled.row(i) = rows.middleRows(i * positions, positions).colwise().sum();
    if (pooling == Pooling::kMean) pooled.row(i) /= static_cast<double>(positions);
  }
  return pooled;
}

Matrix pool_positions(const HeadView& head) {
  if (head.positions == 1) return head.activations.all();
  Matrix pooled(head.samples(), head.width());
  for_each_block(head.activations, head.positions, [&](Index first, const Matrix& block) {
    pooled.middleRows(first / head.positions, block.rows() / head.positions) =
        pool_rows(block, head.positions, head.pooling);
  });
  return pooled;
}

Matrix affine(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias) {
  Matrix out = numerics::product_by_whole_blocks<double>(rows, weight);
  out.rowwise() += bias.transpose();
  return out;
}

}  // namespace conoscope::metrics::detail
