// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <vector>

namespace conoscope::models {

/// The parameters as one leaf, for an optimiser: it shares their memory, and its gradient shares that
/// of theirs. A step then takes a dozen operations, not a dozen for each parameter, and every entry gets
/// the bits that it would have got.
///
/// The gradient is to be cleared in place, `grad().zero_()`: the optimiser's zero_grad() drops it in newer
/// versions of libtorch, and the next one is not shared.
///
/// parameters  leaves that require their gradients, float32
torch::Tensor joined_parameters(const std::vector<torch::Tensor>& parameters);

}  // namespace conoscope::models
