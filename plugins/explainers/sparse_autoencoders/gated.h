// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct GatedOptions {
  double weight = 0.1;              ///< lambda
  bool aux_trains_decoder = false;  ///< decoder and b_dec learn from the third term, too
};

/// Whether a latent fires, and how much, are told by two readings of one encoder.
///
///   h = E (x - b_dec),   f = [h + b_g > 0] ReLU(e^r h + b_m),   s = ReLU(h + b_g)
///   loss = |x - x^|^2 + lambda |s|_1 + |x - b_dec - s w|^2
///
/// In the third term the decoder and the b_dec beside it are constants. b_g is the part
/// kEncoderBias.
///
/// throws      std::invalid_argument: weight negative or not finite
///
/// Source: Rajamanoharan et al., arXiv:2404.16014; SAELens 6.18 does not hold the third term's
/// decoder.
template <typename T>
class GatedObjective final : public Objective<T> {
 public:
  explicit GatedObjective(const GatedOptions& options);

  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override { return codes_; }

 private:
  GatedOptions options_;
  Pattern of_codes_, of_gates_;
  RowMajor<T> centred_, pre_, codes_, gates_, residual_, left_, pull_, gate_pull_, product_;
};

}  // namespace conoscope::methods
