// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace conoscope::models {

/// The relevances for each sample's answer, the first of its largest outputs: n x k x C and n x C -> n x k.
inline torch::Tensor relevances_of_answer(const torch::Tensor& relevances,
                                          const torch::Tensor& outputs) {
  const torch::Tensor answer = outputs.argmax(1).view({-1, 1, 1});
  return relevances.gather(2, answer.expand({-1, relevances.size(1), 1})).squeeze(2);
}

}  // namespace conoscope::models
