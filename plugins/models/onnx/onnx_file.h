#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::models {

/// What an ONNX file says of its graph, weights left out: OpenCV keeps neither names of tensors nor
/// declared shapes.
struct OnnxFile {
  struct Node {
    std::string name, op;
    std::vector<std::string> inputs, outputs;
  };
  struct Input {
    std::string name;
    bool declared = false;
    std::vector<std::int64_t> shape;  ///< -1: any
  };
  std::vector<Node> nodes;    ///< in an order in which they can be run
  std::vector<Input> inputs;  ///< without those that are weights
  std::vector<std::string> outputs;
};

/// throws  std::invalid_argument: not an ONNX file, or cut short; weights in another file; a Gemm
///         that OpenCV would take for another. The message does not name the file.
OnnxFile read_onnx(std::string_view bytes);

}  // namespace conoscope::models
