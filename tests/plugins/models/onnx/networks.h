// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small networks as ONNX files, and what they give worked out by loops.

#include <algorithm>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"
#include "tests/support/write_onnx.h"

namespace conoscope::testing {

inline std::vector<float> normal_floats(std::size_t count, std::uint64_t seed) {
  sdk::Random random{sdk::Seed(seed)};
  std::vector<float> out(count);
  for (float& value : out) value = static_cast<float>(random.normal());
  return out;
}

/// n images of 6 x 6 pixels and 2 channels (72 numbers) or another shape of samples, with labels
/// below 3; every third sample is a test sample.
inline Bundle samples(std::int64_t n, std::vector<std::int64_t> shape = {6, 6, 2}) {
  std::int64_t numbers = 1;
  for (const auto side : shape) numbers *= side;
  shape.insert(shape.begin(), n);
  Bundle data;
  data.arrays["inputs"] =
      OwnedArray::of<float>(shape, normal_floats(static_cast<std::size_t>(n * numbers), 5));
  std::vector<std::int64_t> labels, train, test;
  for (std::int64_t i = 0; i < n; ++i) {
    labels.push_back(i * i % 3);
    (i % 3 == 0 ? test : train).push_back(i);
  }
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({n}, labels);
  put_split(data, train, test);
  return data;
}

/// images 2 x 6 x 6 -> Conv 3 x 3, stride 2, 4 channels -> Relu -> mean or all of 3 x 3 -> 3
/// outputs
struct ConvNet {
  static constexpr std::int64_t kIn = 2, kSide = 6, kChannels = 4, kOut = 3, kClasses = 3;
  std::vector<float> conv = normal_floats(kChannels * kIn * 9, 1);
  std::vector<float> conv_bias = normal_floats(kChannels, 2);
  std::vector<float> fc = normal_floats(kClasses * kChannels * kOut * kOut, 3);
  std::vector<float> fc_bias = normal_floats(kClasses, 4);
  bool flatten = false;

  std::int64_t read() const { return flatten ? kChannels * kOut * kOut : kChannels; }

  /// The nodes up to the features of the head, "features".
  OnnxWriter trunk(std::int64_t batch = -1, const std::string& relu = "relu") const {
    OnnxWriter file;
    file.input("images", {batch, kIn, kSide, kSide})
        .weight("conv.weight", {kChannels, kIn, 3, 3}, conv)
        .weight("conv.bias", {kChannels}, conv_bias)
        .node("Conv", "conv", {"images", "conv.weight", "conv.bias"}, {"mapped"},
              {{"kernel_shape", OnnxWriter::Sizes{3, 3}},
               {"strides", OnnxWriter::Sizes{2, 2}},
               {"pads", OnnxWriter::Sizes{1, 1, 1, 1}}})
        .node("Relu", relu, {"mapped"}, {"rectified"});
    if (!flatten) file.node("GlobalAveragePool", "pool", {"rectified"}, {"pooled"});
    return file.node("Flatten", "flat", {flatten ? "rectified" : "pooled"}, {"features"},
                     {{"axis", 1}});
  }

  OnnxWriter file(std::int64_t batch = -1, const std::string& relu = "relu") const {
    OnnxWriter file = trunk(batch, relu);
    return file
        .weight("fc.weight", {kClasses, read()}, {fc.begin(), fc.begin() + kClasses * read()})
        .weight("fc.bias", {kClasses}, fc_bias)
        .node("Gemm", "fc", {"features", "fc.weight", "fc.bias"}, {"logits"},
              {{"transB", std::int64_t{1}}})
        .output("logits", {batch, kClasses});
  }

  /// n x 9 x 4, from n x 6 x 6 x 2.
  std::vector<double> activations(std::span<const float> images) const {
    std::vector<double> out;
    const auto n = static_cast<std::int64_t>(images.size()) / (kSide * kSide * kIn);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t y = 0; y < kOut; ++y)
        for (std::int64_t x = 0; x < kOut; ++x)
          for (std::int64_t c = 0; c < kChannels; ++c) {
            double sum = conv_bias[static_cast<std::size_t>(c)];
            for (std::int64_t k = 0; k < kIn * 9; ++k) {
              const std::int64_t in = k / 9, v = 2 * y + k % 9 / 3 - 1, u = 2 * x + k % 3 - 1;
              if (v < 0 || v >= kSide || u < 0 || u >= kSide) continue;
              sum +=
                  static_cast<double>(conv[static_cast<std::size_t>(c * kIn * 9 + k)]) *
                  static_cast<double>(
                      images[static_cast<std::size_t>(((i * kSide + v) * kSide + u) * kIn + in)]);
            }
            out.push_back(std::max(0.0, sum));
          }
    return out;
  }
};

struct OnnxFileOnDisk {
  Scratch scratch;
  std::string path;

  explicit OnnxFileOnDisk(const std::string& bytes) : path(scratch.write("net.onnx", bytes)) {}
  Arguments arguments(const std::string& layer, Arguments more = {}) const {
    more["file"] = path;
    more["layer"] = layer;
    return more;
  }
};

}  // namespace conoscope::testing
