// SPDX-License-Identifier: Apache-2.0
#pragma once

// A TorchScript file with a second output: what one of its layers gives.

#include <torch/script.h>

#include <string>
#include <utility>
#include <vector>

#include "plugins/models/common/own_network/own_network.h"
#include "plugins/models/common/torch/tensors.h"

namespace conoscope::models {

class Script final : public Network {
 public:
  /// The module in evaluation mode, on the CPU.
  ///
  /// layer   dotted name of the submodule to watch, as layer4 or features.3
  /// head    dotted name of the linear submodule; empty: the last one that the file lists after the
  ///         layer
  /// throws  std::invalid_argument, beginning with the file's name: no such file; not TorchScript,
  ///         or of a version that this libtorch does not read, with libtorch's own words; no such
  ///         layer or head, with the names there are; a layer that is not called exactly once, or
  ///         gives no tensor; a head that is not linear; Above::kNetwork and an output that
  ///         what lies below the layer reaches past it
  Script(const std::string& file, const std::string& layer, const std::string& head,
         Above above = Above::kLinear);

  Answer operator()(const Block& batch) override;
  const LinearHead& head() const override { return head_; }
  Block above(const Block& layer) override;
  Block gradient(const Block& layer, const Block& cotangents) override;
  Block batch_gradient(const Block& batch, const Block& cotangents) override;
  /// The numbers of each weight in a random order.
  void redraw(sdk::Seed seed) override;

 private:
  std::string where_layer() const { return file_ + ": layer '" + layer_ + "' "; }
  void find_head(const std::string& name);
  void watch(Above above);
  void cut(torch::jit::Graph& graph);
  Tensor run_above(const Tensor& layer);
  /// The output, and what the layer gives.
  std::pair<Tensor, Tensor> run_watched(const Tensor& batch);

  std::string file_, layer_;
  torch::jit::Module module_;
  LinearHead head_;
  std::shared_ptr<torch::jit::Function> watched_;  ///< forward, returning (output, layer's output)
  /// forward with one more argument that stands in the place of the layer's output.
  std::shared_ptr<torch::jit::Function> above_;
};

}  // namespace conoscope::models
