// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of arrays as a user would bring them.

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/formats/npz.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/write_npz.h"

namespace conoscope::testing {

template <typename T>
std::string npy_of(const std::vector<std::int64_t>& shape, const std::vector<T>& values) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += std::to_string(extent) + ", ";
  return npy_bytes<T>(std::is_same_v<T, double>         ? "<f8"
                      : std::is_same_v<T, float>        ? "<f4"
                      : std::is_same_v<T, std::int64_t> ? "<i8"
                                                        : "?",
                      "(" + extents + ")", values);
}

/// The digits' head view as whole arrays, with an explanation: each output's weights, importance 1.
///
/// split  the digits' own: train_index and test_index
inline std::string write_explained_digits(const std::string& digits, const std::string& path,
                                          bool split) {
  const formats::Npz archive(digits);
  const formats::Array train = archive.get("train_activations");
  const std::int64_t n = train.shape[0] + archive.get("test_activations").shape[0];
  const auto joined = [&archive]<typename T>(const std::string& name, T) {
    auto values = formats::to_vector<T>(archive.get("train_" + name));
    const auto test = formats::to_vector<T>(archive.get("test_" + name));
    values.insert(values.end(), test.begin(), test.end());
    return values;
  };
  const auto rows = [](std::int64_t first, std::int64_t end) {
    std::vector<std::int64_t> out;
    for (std::int64_t row = first; row < end; ++row) out.push_back(row);
    return npy_of<std::int64_t>({end - first}, out);
  };
  const formats::Array weight = archive.get("head_weight");
  const auto weights = formats::to_vector<float>(weight);
  const std::int64_t outputs = weight.shape[0];
  const auto count = static_cast<std::size_t>(outputs);
  std::vector<ZipMember> members = {
      {"activations.npy",
       npy_of({n, train.shape[1], train.shape[2], train.shape[3]}, joined("activations", float{}))},
      {"labels.npy", npy_of({n}, joined("labels", std::int64_t{}))},
      {"head_weight.npy", npy_of(weight.shape, weights)},
      {"head_bias.npy", npy_of({outputs}, formats::to_vector<float>(archive.get("head_bias")))},
      {"cavs.npy", npy_of(weight.shape, weights)},
      {"importance.npy", npy_of<double>({outputs}, std::vector<double>(count, 1.0))},
      {"counts.npy", npy_of<std::int64_t>({outputs}, std::vector<std::int64_t>(count, 1))}};
  if (split) {
    members.push_back({"train_index.npy", rows(0, train.shape[0])});
    members.push_back({"test_index.npy", rows(train.shape[0], n)});
  }
  return write_zip(path, members);
}

}  // namespace conoscope::testing
