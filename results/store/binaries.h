// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace conoscope::results {

// What AttemptRow::binaries says: "digits 1.0.0 0123456789abcdef; my_ica 1.2.0 ...", dataset, model,
// explainer and metric plugins in this order. What a plugin is run with follows its file:
//
//   my_ica 1.2.0 0123456789abcdef python=3.11.2 numpy=1.24.2     packages, its own libraries
//   my_metric 1.0.0 0123456789abcdef parameters=0123456789abcdef  of a metric: no key has them
//   cnn 1.0.0 0123456789abcdef system~0123456789abcdef           what the system has for it
//
// Attempts of before this was recorded have the files alone.

/// "plugin my_ica": version and the beginning of the file's hash; "numpy of plugin my_ica": its
/// version. A dataset and a model may share an id.
std::map<std::string, std::string> files_of(const std::string& binaries);

struct FileDifference {
  std::string what, stored, now;
};

/// What both name and is not the same in both: two runs may ask for different metrics. Without what
/// the system has for a plugin, which belongs to the environment.
std::vector<FileDifference> different_files(const std::string& stored, const std::string& now);
inline bool same_files(const std::string& a, const std::string& b) {
  return a == b || different_files(a, b).empty();
}

}  // namespace conoscope::results
