// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

/// Batches of equal size from rows in random order: one pass over all rows after another, each in
/// an order of its own; a batch may reach over into the next pass.
class RowStream {
 public:
  RowStream(torch::Tensor rows, sdk::Seed seed) : rows_(std::move(rows)), seed_(seed) {}

  torch::Tensor next(std::int64_t count) {
    while (!ahead_.defined() || ahead_.size(0) < count) {
      const torch::Tensor pass = shuffled(rows_, seed_.child(passes_++));
      ahead_ = ahead_.defined() ? torch::cat({ahead_, pass}) : pass;
    }
    const torch::Tensor batch = ahead_.slice(0, 0, count);
    ahead_ = ahead_.slice(0, count);
    return batch;
  }

 private:
  torch::Tensor rows_, ahead_;
  sdk::Seed seed_;
  std::uint64_t passes_ = 0;
};

}  // namespace conoscope::models
