// SPDX-License-Identifier: Apache-2.0
#pragma once

// An ONNX file, read and run by OpenCV's dnn module.

#include <opencv2/dnn/dnn.hpp>
#include <string>
#include <vector>

#include "plugins/models/common/own_network/own_network.h"
#include "plugins/models/onnx/onnx_file.h"

namespace conoscope::models {

class OnnxNetwork final : public Network {
 public:
  /// layer   name of the node to watch, or of its (first) output
  /// head    name of the linear node, a Gemm or a MatMul with or without an Add; empty: the last
  ///         one after the layer
  /// throws  std::invalid_argument, beginning with the file's name: no such file; not ONNX,
  ///         damaged, or with an operator that OpenCV does not have, in its own words; more than
  ///         one input or output; no such layer or head, with the names there are; a head that is not linear
  OnnxNetwork(const std::string& file, const std::string& layer, const std::string& head);

  /// In parts, where the file fixes the number of samples; a last part that is too small is filled
  /// up with its last sample.
  /// throws  std::invalid_argument: inputs of another shape than the file declares, or that OpenCV
  ///         refuses, in its own words; a network that gives something else for a sample alone than
  ///         among others (OpenCV fixes shapes that are worked out from the number of samples)
  Answer operator()(const Block& batch) override;

  const LinearHead& head() const override { return head_; }

 private:
  using Node = OnnxFile::Node;

  void read(const std::string& bytes);
  /// OpenCV's own; null: it has merged the node into another.
  cv::Ptr<cv::dnn::Layer> layer_of(const Node& node) const;
  const Node* find(const std::string& name) const;
  /// The constant that a tensor is, and whether the graph turns it over; null: it is none.
  struct Constant {
    const OnnxFile::Weight* weight = nullptr;
    bool turned = false;
  };
  Constant constant(const std::string& tensor) const;
  /// throws  std::invalid_argument: see numbers_of()
  std::vector<float> numbers(const std::string& tensor) const;
  /// A Gemm or a MatMul with constant weights.
  bool is_linear(const Node& node) const;
  const Node& find_head(const std::string& name, const Node& layer) const;
  LinearHead read_head(const Node& node) const;
  void check_shape(const Block& batch) const;
  Answer run(const Block& batch);
  Answer run_in_parts(const Block& batch, std::int64_t fixed);
  Answer check_batching(const Block& batch);

  std::string file_;
  OnnxFile graph_;  ///< its weights while head_ is read
  cv::dnn::Net net_;
  std::string watched_;  ///< OpenCV's name of the layer
  LinearHead head_;
  bool batching_checked_ = false;
};

}  // namespace conoscope::models
