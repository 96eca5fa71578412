// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/inputs.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace conoscope::models {

namespace {

constexpr std::int64_t kChunk = 4096;

torch::ScalarType torch_type(std::int32_t dtype) {
  switch (dtype) {
    case CONO_F16:
      return torch::kHalf;
    case CONO_F32:
      return torch::kFloat32;
    case CONO_F64:
      return torch::kFloat64;
    case CONO_I32:
      return torch::kInt32;
    case CONO_I64:
      return torch::kInt64;
    case CONO_U8:
      return torch::kUInt8;
    default:
      throw std::invalid_argument("inputs: unknown dtype " + std::to_string(dtype));
  }
}

Tensor borrow(const sdk::Tensor& from) {
  std::vector<std::int64_t> shape, strides;
  for (int axis = 0; axis < from.dimensions(); ++axis) {
    shape.push_back(from.shape(axis));
    strides.push_back(from.stride(axis));
  }
  return torch::from_blob(from.raw().data, shape, strides, torch_type(from.dtype()));
}

void check_values(const sdk::Tensor& inputs, Likelihood likelihood) {
  inputs.for_each([&](std::int64_t i, double value) {
    const auto refuse = [&](const std::string& what) {
      throw std::invalid_argument("inputs: value " + std::to_string(i) + " (row-major) is " + what);
    };
    if (!std::isfinite(value)) refuse("not finite");
    if (likelihood == Likelihood::kBernoulli && (value < 0.0 || value > 1.0))
      refuse(
          std::to_string(value) +
          ", but the Bernoulli likelihood needs [0, 1]; scale the inputs, or choose likelihood = "
          "\"gaussian\"");
  });
}

}  // namespace

VaeInputs::VaeInputs(const sdk::Tensor& inputs, Likelihood likelihood, const Tensor& train) {
  if (inputs.dimensions() != 2 && inputs.dimensions() != 4)
    throw sdk::NotApplicable("inputs are " + inputs.shape_text() +
                             ", but this model works on images (n x height x width x channels) and "
                             "on rows of numbers (n x features)");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  check_values(inputs, likelihood);
  if (likelihood == Likelihood::kGaussian) check_fits_float32(inputs);
  borrowed_ = borrow(inputs);
  if (inputs.dimensions() == 4) borrowed_ = borrowed_.permute({0, 3, 1, 2});
  shape_ = borrowed_.sizes().slice(1).vec();
  if (likelihood == Likelihood::kGaussian) standardise(train);
}

Tensor VaeInputs::shift() const {
  return shift_.defined() ? shift_.flatten() : torch::zeros({shape_[0]});
}

Tensor VaeInputs::unit() const {
  return unit_.defined() ? unit_.flatten() : torch::ones({shape_[0]});
}

Tensor VaeInputs::as_read(const Tensor& rows) const {
  return borrowed_.index_select(0, rows).to(torch::kFloat32).contiguous();
}

Tensor VaeInputs::batch(const Tensor& rows) const {
  const Tensor x = as_read(rows);
  return shift_.defined() ? (x - shift_) / unit_ : x;
}

Tensor VaeInputs::varies(const Tensor& train) const {
  Tensor out = torch::zeros({shape_[0]}, torch::kBool);
  const auto values = [](const Tensor& rows) { return rows.transpose(0, 1).flatten(1); };
  const Tensor first = values(borrowed_.index_select(0, train.slice(0, 0, 1)));
  for (std::int64_t i = 0; i < train.size(0); i += kChunk)
    out |=
        (values(borrowed_.index_select(0, train.slice(0, i, i + kChunk))) != first.slice(1, 0, 1))
            .any(1);
  return out;
}

void VaeInputs::standardise(const Tensor& train) {
  // Two passes in double: the mean, then the squares about it.
  const auto mean_of = [&](auto&& of_values) {
    Tensor sum = torch::zeros({shape_[0]}, torch::kFloat64);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < train.size(0); i += kChunk) {
      const Tensor x = borrowed_.index_select(0, train.slice(0, i, i + kChunk));
      // A channel's pixels of all samples, in one row.
      const Tensor values = x.to(torch::kFloat64).transpose(0, 1).flatten(1);
      sum += of_values(values).sum(1);
      count += values.size(1);
    }
    return sum / static_cast<double>(count);
  };
  const Tensor mean = mean_of([](const Tensor& x) { return x; });
  const Tensor variance =
      mean_of([&mean](const Tensor& x) { return (x - mean.unsqueeze(1)).square(); });
  std::vector<std::int64_t> broadcast(shape_.size() + 1, 1);
  broadcast[1] = shape_[0];
  shift_ = mean.to(torch::kFloat32).view(broadcast);
  unit_ = torch::where(varies(train), variance.sqrt(), torch::ones_like(variance))
              .to(torch::kFloat32)
              .view(broadcast);
}

}  // namespace conoscope::models
