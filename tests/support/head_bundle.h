// SPDX-License-Identifier: Apache-2.0
#pragma once

// A head view as an explainer receives it, made from numbers: logits and predictions are worked out
// here, by loops, so that they owe nothing to what is tested.

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/plugin_driver.h"

namespace conoscope::testing {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline std::vector<double> flat(const Rows& rows) {
  return {rows.data(), rows.data() + rows.size()};
}

inline OwnedArray array_of(const Rows& rows) {
  return OwnedArray::of<double>({rows.rows(), rows.cols()}, flat(rows));
}

/// activations (n * positions) x D, weight C x D (flatten: C x positions * D).
template <typename T = double>
Bundle head_bundle(const Rows& activations, std::int64_t positions, const Rows& weight,
                   const std::vector<double>& bias, const std::string& output = "softmax",
                   const std::string& pooling = "mean") {
  const std::int64_t n = activations.rows() / positions, width = activations.cols();
  const std::int64_t outputs = weight.rows();
  std::vector<double> logits;
  std::vector<std::int64_t> predictions;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> y = bias;
    for (std::int64_t c = 0; c < outputs; ++c)
      for (std::int64_t j = 0; j < positions; ++j)
        for (std::int64_t d = 0; d < width; ++d)
          y[static_cast<std::size_t>(c)] +=
              activations(i * positions + j, d) *
              (pooling == "flatten" ? weight(c, j * width + d)
                                    : weight(c, d) / static_cast<double>(positions));
    predictions.push_back(std::max_element(y.begin(), y.end()) - y.begin());
    logits.insert(logits.end(), y.begin(), y.end());
  }
  Bundle head;
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> held =
      activations.cast<T>();
  head.arrays["activations"] =
      OwnedArray::of<T>({n, positions, width}, {held.data(), held.data() + held.size()});
  head.arrays["head_weight"] = OwnedArray::of<double>({outputs, weight.cols()}, flat(weight));
  head.arrays["head_bias"] = OwnedArray::of<double>({outputs}, bias);
  head.arrays["logits"] = OwnedArray::of<double>({n, outputs}, logits);
  if (output == "softmax")
    head.arrays["predictions"] = OwnedArray::of<std::int64_t>({n}, predictions);
  head.texts["pooling"] = pooling;
  head.texts["output"] = output;
  return head;
}

/// Normal numbers; rectified: max(0, .), as after a ReLU.
inline Rows normal_rows(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed,
                        bool rectified = false) {
  sdk::Random random{sdk::Seed(seed)};
  Rows out(rows, cols);
  for (Eigen::Index i = 0; i < out.size(); ++i)
    out.data()[i] = rectified ? std::max(0.0, random.normal()) : random.normal();
  return out;
}

/// n samples of P positions and D rectified features, C outputs with random weights.
template <typename T = double>
Bundle random_head_bundle(std::int64_t n, std::int64_t positions, std::int64_t width,
                          std::int64_t outputs, std::uint64_t seed,
                          const std::string& output = "softmax",
                          const std::string& pooling = "mean") {
  const Rows weight =
      normal_rows(outputs, pooling == "flatten" ? positions * width : width, seed + 1);
  return head_bundle<T>(normal_rows(n * positions, width, seed, true), positions, weight,
                        std::vector<double>(static_cast<std::size_t>(outputs), 0.1), output,
                        pooling);
}

inline Rows matrix_of(const Bundle& bundle, const std::string& name) {
  const auto values = bundle.values<double>(name);
  const auto& shape = bundle.shape(name);
  const Eigen::Index cols = shape.back();
  return Eigen::Map<const Rows>(
      values.data(), cols == 0 ? 0 : static_cast<Eigen::Index>(values.size()) / cols, cols);
}

}  // namespace conoscope::testing
