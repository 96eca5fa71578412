// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "metrics/purity/concept_labels.h"
#include "metrics/types.h"

namespace conoscope::metrics::detail {

struct HelperOptions {
  Index hidden = 32;
  Index epochs = 25;
  Index batch = 512;  ///< at most; fewer where there are fewer samples
  double learning_rate = 1e-3;
};

/// One helper network: representation `input`, `width` features, to `outputs` logits of which the
/// first belongs to target column `target`.
struct HelperTask {
  Index input = 0;
  Index target = 0;
  Index outputs = 1;
  bool softmax =
      false;  ///< the outputs are labels of one concept; else each is a concept of its own
};

/// A task's number and its network's logits on the test rows, n_test x outputs.
using TestLogits = std::function<void(std::size_t task, const MatrixRef& logits)>;

/// Trains width -> hidden ReLU -> outputs networks, all of them in one pass over the batches, and
/// hands on their logits on the test rows, task by task: those of all k^2 pairs at once would take
/// more memory than everything else.
///
/// c_hat    n x (k' * width).   targets  n x T of 0 and 1 (labels one-hot)
/// Glorot-uniform weights, zero biases, mean cross entropy on the logits, Adam in the form of Keras
/// (epsilon 1e-7 inside, after the correction of the rate), all samples once an epoch in a new
/// order, a shorter last batch. Each network has initial weights of its own; the order of samples
/// is one for all of them, which is what makes a single pass possible.
///
/// float32, summed in eight lanes whatever the processor: the same bits everywhere except for exp().
void train_helper_networks(const MatrixRef& c_hat, Index width, const MatrixRef& targets,
                           const TrainTest& rows, const std::vector<HelperTask>& tasks,
                           const HelperOptions& options, std::uint64_t seed, std::uint64_t stream,
                           const TestLogits& on_test);

}  // namespace conoscope::metrics::detail
