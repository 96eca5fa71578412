// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/models/common/torch/weights.h"

namespace conoscope::models {

/// A convolution without bias, padded so that the stride alone makes its maps smaller, and batch
/// normalisation. In the precision of what it is applied to.
class Convolution {
 public:
  /// side: of the kernel, odd
  Convolution(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
              std::int64_t side, std::int64_t stride = 1);

  /// images -> maps. training: by the batch's own statistics, which also move the running ones.
  Tensor operator()(const Tensor& x, bool training) const;

 private:
  Tensor kernel_, scale_, shift_, mean_, variance_;
  std::int64_t stride_;
};

}  // namespace conoscope::models
