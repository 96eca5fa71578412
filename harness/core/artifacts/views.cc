// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/views.h"

#include <algorithm>
#include <span>
#include <utility>

#include "harness/core/artifacts/view_arrays.h"

namespace conoscope::core {

using metrics::Index;
using metrics::Matrix;

namespace {

metrics::Pooling pooling_of(const ArrayBag& bag) {
  const std::string text = bag.text("pooling", "none");
  return text == "mean"      ? metrics::Pooling::kMean
         : text == "flatten" ? metrics::Pooling::kFlatten
                             : metrics::Pooling::kNone;
}

/// Rows and columns when the axes before `split` are the rows.
std::pair<Index, Index> extents(const sdk::Tensor& tensor, int split) {
  Index rows = 1, cols = 1;
  for (int axis = 0; axis < tensor.dimensions(); ++axis)
    (axis < split ? rows : cols) *= tensor.shape(axis);
  return {rows, cols};
}

}  // namespace

Matrix to_matrix(const sdk::Tensor& tensor, int split, Index most) {
  const auto [rows, cols] = extents(tensor, split);
  Matrix out(std::min(rows, most), cols);
  tensor.for_each([&out](std::int64_t i, double value) {
    if (i < out.size()) out.data()[i] = value;
  });
  return out;
}

metrics::Output output_of(const ArrayBag& bag) {
  const std::string text = bag.text("output", "softmax");
  return text == "sigmoid"      ? metrics::Output::kSigmoid
         : text == "regression" ? metrics::Output::kRegression
                                : metrics::Output::kSoftmax;
}

metrics::RowSource rows_in(const sdk::Tensor& tensor, int split) {
  const auto [rows, cols] = extents(tensor, split);
  return {rows, cols, [tensor, split, cols = cols](Index first, Index count, double* out) {
            tensor.copy_rows_to(split, first, count,
                                std::span(out, static_cast<std::size_t>(count * cols)));
          }};
}

metrics::HeadView make_head_view(const ArrayBag& bag) {
  metrics::HeadView out;
  const sdk::Tensor activations = bag.get("activations");
  out.positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
  out.activations = rows_in(activations, activations.dimensions() - 1);
  out.weight = to_matrix(bag.get("head_weight"), 1);
  out.bias = to_matrix(bag.get("head_bias"), 1).col(0);
  out.pooling = pooling_of(bag);
  out.output = output_of(bag);
  if (const auto logits = bag.find("logits")) out.logits = to_matrix(*logits, 1);
  // A single position needs no pooling rule.
  if (out.positions == 1 && out.pooling == metrics::Pooling::kMean)
    out.pooling = metrics::Pooling::kNone;
  return out;
}

metrics::Explanation make_explanation(const ArrayBag& bag) {
  metrics::Explanation out;
  out.cavs = to_matrix(bag.get("cavs"), 1);
  out.class_agnostic = bag.text("scope") == "class_agnostic";
  if (const auto constant = bag.find("constant_concepts"))
    for (const std::int64_t one : constant->values<const std::int64_t>())
      out.constant.push_back(one);
  if (out.class_agnostic) {
    out.importance_by_output = to_matrix(bag.get("importance"), 1);
    return out;
  }
  const auto counts = bag.get("counts").values<const std::int64_t>();
  out.offset = {0};
  for (const std::int64_t count : counts) out.offset.push_back(out.offset.back() + count);
  out.importance = to_matrix(bag.get("importance"), 1).col(0);
  return out;
}

metrics::Annotations make_annotations(const ArrayBag& bag) {
  metrics::Annotations out;
  if (const auto labels = bag.find("labels"))
    for (const std::int64_t label : labels->values<const std::int64_t>())
      out.labels.push_back(label);
  if (const auto t = bag.find("targets")) out.targets = to_matrix(*t, 1);
  if (const auto c = bag.find("concepts")) out.concepts = to_matrix(*c, 1);
  if (const auto groups = bag.find("concept_groups"))
    for (const std::int64_t group : groups->values<const std::int64_t>())
      out.concept_groups.push_back(group);
  if (const auto g = bag.find("factors")) out.factors = to_matrix(*g, 1);
  return out;
}

metrics::Truth make_truth(const ArrayBag& bag) {
  metrics::Truth out;
  out.directions = to_matrix(bag.get("truth_directions"), 1);
  const sdk::Tensor activations = bag.get("truth_activations");
  out.activations.resize(activations.rows(), out.directions.rows());
  activations.for_each([&out](std::int64_t i, double value) {
    out.activations.data()[i] = static_cast<float>(value);
  });
  if (const auto parent = bag.find("truth_parent"))
    for (const std::int64_t one : parent->values<const std::int64_t>()) out.parent.push_back(one);
  return out;
}

bool has_view(const ArrayBag& arrays, std::string_view view) {
  return std::ranges::all_of(view_arrays(), [&](const ViewArray& array) {
    return array.view != view || !array.required || arrays.find(array.name).has_value();
  });
}

}  // namespace conoscope::core
