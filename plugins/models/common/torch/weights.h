// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugins/models/common/torch/tensors.h"

namespace conoscope::models {

/// How a linear layer or a convolution begins.
enum class Initialisation {
  kHe,     ///< see initial_weights(); biases are 0
  kTorch,  ///< PyTorch's defaults: weights and biases uniform within 1 / sqrt(fan_in)
};

/// The trained tensors of a network by name: made for training, and found again in its artifact
/// when it answers. The same code that lays a network out serves both.
class Weights {
 public:
  /// New ones: each drawn from the seed and its own name, so one layer more changes no other.
  explicit Weights(sdk::Seed seed, Initialisation initialisation = Initialisation::kHe)
      : seed_(seed), initialisation_(initialisation) {}

  /// Those that write() left, in double precision.
  explicit Weights(const sdk::Arrays& model) : seed_(0), model_(&model) {}

  /// See initial_weights(); the gain is of kHe.
  Tensor matrix(const std::string& name, std::vector<std::int64_t> shape, double gain);
  /// The biases of a layer with so many inputs to each unit.
  Tensor bias(const std::string& name, std::int64_t size, std::int64_t fan_in);
  /// All of one value at first.
  Tensor vector(const std::string& name, std::int64_t size, float value);
  /// Statistics that training keeps up to date, but not by gradients.
  Tensor statistic(const std::string& name, const Tensor& initial);

  /// These and those of another network, to be trained together.
  Weights with(const Weights& other) const;

  /// What an optimiser is to change: all but statistics.
  std::vector<Tensor> trained() const;

  /// Every value as it is now, and back to it.
  std::vector<Tensor> copy() const;
  void restore(const std::vector<Tensor>& values);

  /// As arrays `state.NAME`.
  void write(sdk::Sink& out) const;

 private:
  struct Entry {
    std::string name;
    Tensor tensor;
    bool trained;
  };
  Tensor find(const std::string& name, const std::vector<std::int64_t>& shape) const;
  Tensor keep(const std::string& name, Tensor tensor, bool trained);

  sdk::Seed seed_;
  Initialisation initialisation_ = Initialisation::kHe;
  const sdk::Arrays* model_ = nullptr;
  std::vector<Entry> entries_;
};

}  // namespace conoscope::models
