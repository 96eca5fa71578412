// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace conoscope::numerics {

/// When does a learning rate go down? After more than `patience` epochs in a row without a loss
/// below best * (1 - threshold) the rate is multiplied by `factor` and counting starts anew; a
/// change of no more than 1e-8 is not made.
///
/// Source: the semantics of PyTorch's ReduceLROnPlateau (mode min, threshold_mode rel, no
/// cooldown).
class Plateau {
 public:
  struct Options {
    double rate = 0.1, factor = 0.5, threshold = 1e-4;
    int patience = 10;
  };

  explicit Plateau(const Options& options) : options_(options), rate_(options.rate) {}

  double rate() const { return rate_; }

  /// Takes in one epoch's loss and returns the rate for the next.
  double step(double loss) {
    if (loss < best_ * (1.0 - options_.threshold)) {
      best_ = loss;
      bad_ = 0;
    } else if (++bad_ > options_.patience) {
      const double lower = rate_ * options_.factor;
      if (rate_ - lower > kSmallestChange) rate_ = lower;
      bad_ = 0;
    }
    return rate_;
  }

 private:
  static constexpr double kSmallestChange = 1e-8;

  Options options_;
  double rate_, best_ = std::numeric_limits<double>::infinity();
  int bad_ = 0;
};

}  // namespace conoscope::numerics
