// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/tensors.h"

#include <algorithm>
#include <stdexcept>

namespace conoscope::models {

namespace {

std::vector<std::int64_t> shape_of(const sdk::Tensor& array) {
  std::vector<std::int64_t> shape;
  for (int axis = 0; axis < array.dimensions(); ++axis) shape.push_back(array.shape(axis));
  return shape;
}

}  // namespace

Tensor to_torch(const sdk::Tensor& from) {
  Tensor to = torch::empty(shape_of(from), torch::kFloat32);
  copy_finite(from, to.data_ptr<float>());
  return to;
}

Tensor in_double(const sdk::Tensor& from) {
  Tensor to = torch::empty(shape_of(from), torch::kFloat64);
  double* const values = to.data_ptr<double>();
  from.for_each([values](std::int64_t at, double value) { values[at] = value; });
  return to;
}

Tensor for_all(const Tensor& inputs, const sdk::Context& context,
               const std::function<Tensor(const Tensor& inputs)>& f) {
  constexpr std::int64_t kBatch = 256;
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> parts;
  for (const Tensor& batch : inputs.split(kBatch)) {
    context.check_cancelled();
    parts.push_back(f(batch));
  }
  return torch::cat(parts);
}

Tensor to_images(const sdk::Tensor& inputs) {
  if (inputs.dimensions() != 4)
    throw sdk::NotApplicable("inputs are " + inputs.shape_text() +
                             ", but this model works on images (n x height x width x channels)");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  return to_torch(inputs).permute({0, 3, 1, 2}).contiguous();
}

Spread spread_of(const Tensor& inputs) {
  const Tensor exact = inputs.to(torch::kFloat64);
  std::vector<std::int64_t> axes = {0};
  for (std::int64_t axis = 2; axis < exact.dim(); ++axis) axes.push_back(axis);
  const Tensor spread = exact.std(axes, /*unbiased=*/false, /*keepdim=*/true);
  return {exact.mean(axes, /*keepdim=*/true).to(torch::kFloat32),
          torch::where(spread > 0, spread, torch::ones_like(spread)).to(torch::kFloat32)};
}

Tensor read_rows(const sdk::Arrays& dataset, const std::string& name, std::int64_t samples) {
  const auto values = row_index(dataset, name, samples);
  Tensor rows = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kInt64);
  std::ranges::copy(values, rows.data_ptr<std::int64_t>());
  return rows;
}

void write(sdk::Sink& out, const std::string& name, const Tensor& tensor) {
  const Tensor values = tensor.detach().contiguous();
  if (values.scalar_type() == torch::kFloat64) {
    const auto to = out.create<double>(name, values.sizes().vec());
    std::copy_n(values.data_ptr<double>(), to.size(), to.begin());
    return;
  }
  const auto to = out.create<float>(name, values.sizes().vec());
  std::copy_n(values.data_ptr<float>(), to.size(), to.begin());
}

void fill(std::span<double> room, const char* what, const Tensor& tensor) {
  const Tensor values = tensor.to(torch::kFloat64).contiguous();
  if (values.numel() != static_cast<std::int64_t>(room.size()))
    throw std::invalid_argument(std::string(what) + ": room for " + std::to_string(room.size()) +
                                " numbers, but there are " + std::to_string(values.numel()));
  std::copy_n(values.data_ptr<double>(), room.size(), room.begin());
}

}  // namespace conoscope::models
