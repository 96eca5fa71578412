// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between the arrays of the plugin border and libtorch's tensors.

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "conoscope/sdk/plugin.h"
#include "plugins/models/common/task/task.h"

namespace conoscope::models {

using torch::Tensor;

/// A copy as float32, whatever dtype and strides.
/// throws  std::invalid_argument naming the array and the first value that is not finite
Tensor to_torch(const sdk::Tensor& from);

/// A copy as float64, whatever dtype and strides and numbers.
Tensor in_double(const sdk::Tensor& from);

/// f(rows of the inputs) for all rows, batch by batch, without gradients.
Tensor for_all(const Tensor& inputs, const sdk::Context& context,
               const std::function<Tensor(const Tensor& inputs)>& f);

/// Images as n x channels x height x width.
/// throws  sdk::NotApplicable when `inputs` are no images, std::invalid_argument when empty
Tensor to_images(const sdk::Tensor& inputs);

/// Mean and standard deviation (1 where that is 0) of each column or channel, as 1 x d,
/// or 1 x channels x 1 x 1, float32.
struct Spread {
  Tensor mean, scale;
};
Spread spread_of(const Tensor& inputs);

/// row_index() as a tensor.
Tensor read_rows(const sdk::Arrays& dataset, const std::string& name, std::int64_t samples);

/// An array of the artifact: float64 from a double tensor, else float32.
void write(sdk::Sink& out, const std::string& name, const Tensor& tensor);

/// throws  std::invalid_argument: there is no room for exactly as many numbers. what: theirs, in the
///         message
void fill(std::span<double> room, const char* what, const Tensor& tensor);

}  // namespace conoscope::models
