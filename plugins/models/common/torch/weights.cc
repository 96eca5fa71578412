// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/weights.h"

#include <cmath>
#include <stdexcept>

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

/// Of initial_weights(), whose bound is gain sqrt(3 / fan_in).
const double kTorchGain = 1.0 / std::sqrt(3.0);

}  // namespace

Tensor Weights::find(const std::string& name, const std::vector<std::int64_t>& shape) const {
  const sdk::Tensor found = model_->get("state." + name);
  bool fits = found.dimensions() == static_cast<int>(shape.size());
  for (int axis = 0; fits && axis < found.dimensions(); ++axis)
    fits = found.shape(axis) == shape[static_cast<std::size_t>(axis)];
  if (!fits) {
    std::string expected;
    for (const std::int64_t side : shape)
      expected += (expected.empty() ? "" : " x ") + std::to_string(side);
    throw std::invalid_argument(found.name() + ": " + found.shape_text() + ", expected " +
                                expected);
  }
  return in_double(found);
}

Tensor Weights::keep(const std::string& name, Tensor tensor, bool trained) {
  entries_.push_back({name, tensor, trained});
  return tensor;
}

Tensor Weights::matrix(const std::string& name, std::vector<std::int64_t> shape, double gain) {
  const double own = initialisation_ == Initialisation::kTorch ? kTorchGain : gain;
  return keep(
      name, model_ ? find(name, shape) : initial_weights(std::move(shape), own, seed_.child(name)),
      true);
}

Tensor Weights::bias(const std::string& name, std::int64_t size, std::int64_t fan_in) {
  if (model_ || initialisation_ == Initialisation::kHe) return vector(name, size, 0.0F);
  // Of a vector initial_weights() takes a fan-in of 1.
  const double gain = kTorchGain * std::sqrt(1.0 / static_cast<double>(fan_in));
  return keep(name, initial_weights({size}, gain, seed_.child(name)), true);
}

Tensor Weights::vector(const std::string& name, std::int64_t size, float value) {
  return keep(
      name, model_ ? find(name, {size}) : torch::full({size}, value).set_requires_grad(true), true);
}

Tensor Weights::statistic(const std::string& name, const Tensor& initial) {
  return keep(name, model_ ? find(name, initial.sizes().vec()) : initial.clone(), false);
}

Weights Weights::with(const Weights& other) const {
  Weights out = *this;
  out.entries_.insert(out.entries_.end(), other.entries_.begin(), other.entries_.end());
  return out;
}

std::vector<Tensor> Weights::trained() const {
  std::vector<Tensor> out;
  for (const Entry& entry : entries_)
    if (entry.trained) out.push_back(entry.tensor);
  return out;
}

std::vector<Tensor> Weights::copy() const {
  std::vector<Tensor> out;
  for (const Entry& entry : entries_) out.push_back(entry.tensor.detach().clone());
  return out;
}

void Weights::restore(const std::vector<Tensor>& values) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].tensor.copy_(values.at(i));
}

void Weights::write(sdk::Sink& out) const {
  for (const Entry& entry : entries_) models::write(out, "state." + entry.name, entry.tensor);
}

}  // namespace conoscope::models
