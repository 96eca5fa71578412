// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::models {

/// What an ONNX file says of its graph: OpenCV keeps neither names of tensors nor declared shapes,
/// and what it keeps of weights is another thing in each version.
struct OnnxFile {
  struct Node {
    std::string name, op;
    std::vector<std::string> inputs, outputs;
    bool trans_b = false;  ///< of a Gemm
  };
  /// A constant tensor.
  struct Weight {
    std::vector<std::int64_t> shape;
    std::uint64_t type = 0;    ///< TensorProto's data_type
    std::string_view numbers;  ///< little-endian, in the bytes that were read
  };
  struct Input {
    std::string name;
    bool declared = false;
    std::vector<std::int64_t> shape;  ///< -1: any
  };
  std::vector<Node> nodes;    ///< in an order in which they can be run
  std::vector<Input> inputs;  ///< without those that are weights
  std::vector<std::string> outputs;
  std::map<std::string, Weight> weights;  ///< by the name of the tensor
};

/// throws  std::invalid_argument: not an ONNX file, or cut short; weights in another file; a Gemm
///         that OpenCV would take for another. The message does not name the file.
OnnxFile read_onnx(std::string_view bytes);

/// The numbers of a weight of type float16, float32 or float64.
///
/// throws  std::invalid_argument: another type, or not as many numbers as its shape says
std::vector<float> numbers_of(const OnnxFile::Weight& weight);

}  // namespace conoscope::models
