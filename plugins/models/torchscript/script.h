#pragma once

// A TorchScript file with a second output: what one of its layers gives.

#include <torch/script.h>

#include <string>
#include <vector>

#include "plugins/models/torch/tensors.h"

namespace conoscope::models {

/// A linear submodule of the file.
struct ScriptHead {
  std::string name;
  Tensor weight, bias;  ///< C x F and C (zeros where the submodule has none)
};

class Script {
 public:
  /// The module in evaluation mode, on the CPU.
  ///
  /// layer   dotted name of the submodule to watch, as layer4 or features.3
  /// head    dotted name of the linear submodule; empty: the last one that the file lists after the
  ///         layer
  /// throws  std::invalid_argument, beginning with the file's name: no such file; not TorchScript,
  ///         or of a version that this libtorch does not read, with libtorch's own words; no such
  ///         layer or head, with the names there are; a layer that is not called exactly once, or
  ///         gives no tensor; a head that is not linear
  Script(const std::string& file, const std::string& layer, const std::string& head);

  struct Answer {
    Tensor output, layer;
  };
  /// throws  std::invalid_argument: the module refuses the batch, in its own words
  Answer operator()(const Tensor& batch) const;

  const ScriptHead& head() const { return head_; }
  const std::string& file() const { return file_; }
  const std::string& layer() const { return layer_; }

 private:
  void find_head(const std::string& name);
  void watch();

  std::string file_, layer_;
  torch::jit::Module module_;
  ScriptHead head_;
  std::shared_ptr<torch::jit::Function> watched_;  ///< forward, returning (output, layer's output)
};

/// "2 x 512 x 7 x 7"
std::string shape_text(const Tensor& tensor);

}  // namespace conoscope::models
