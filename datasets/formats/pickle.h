// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace conoscope::formats {

/// PyTorch's .pt and .pth, and pickles, are programs: to load one is to run what its author wrote.
/// throws  std::invalid_argument, beginning with the path: how to save the arrays instead
[[noreturn]] inline void refuse_pickle(const std::string& path) {
  throw std::invalid_argument(
      path +
      ": holds pickled Python objects (as PyTorch's .pt does), which are never loaded, because "
      "that runs the code in them; save the arrays, as in np.savez('arrays.npz', "
      "activations=h.cpu().numpy()) or safetensors.torch.save_file({'activations': h}, "
      "'arrays.safetensors')");
}

}  // namespace conoscope::formats
