// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/models/common/torch/tensors.h"
#include "plugins/models/vae/losses.h"

namespace conoscope::models {

/// What an autoencoder reads: a dataset's `inputs`, borrowed, in the unit that its likelihood asks
/// for. Nothing is copied but the rows of a batch, so that a large set stays where it is mapped.
class VaeInputs {
 public:
  /// inputs       n x h x w x c images or n x f rows, any dtype and strides; must outlive this.
  /// Bernoulli    values in [0, 1], as they are
  /// Gaussian     any values, standardised by the training rows' mean and standard deviation of
  ///              each channel or feature (constant ones are only centred)
  /// throws  sdk::NotApplicable: another number of axes. std::invalid_argument: empty, a value that
  ///         is not finite, for Bernoulli one outside [0, 1], for Gaussian a column that float32
  ///         cannot hold: see check_fits_float32()
  VaeInputs(const sdk::Tensor& inputs, Likelihood likelihood, const Tensor& train);

  /// float32, M x c x h x w or M x f.
  Tensor batch(const Tensor& rows) const;

  std::int64_t samples() const { return borrowed_.size(0); }
  /// Of one sample: c, h, w or f.
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /// What standardisation takes off and divides by, channel by channel; Bernoulli: 0 and 1.
  Tensor shift() const;
  Tensor unit() const;

 private:
  Tensor as_read(const Tensor& rows) const;  ///< batch() before standardisation
  void standardise(const Tensor& train);
  /// Whether a channel or feature has two values among the training rows: its variance does not
  /// tell, for the mean of a constant such as 0.1 is rounded.
  Tensor varies(const Tensor& train) const;

  Tensor borrowed_;
  std::vector<std::int64_t> shape_;
  Tensor shift_, unit_;  ///< Gaussian: 1 x c x 1 x 1 or 1 x f
};

}  // namespace conoscope::models
