// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// What a board calls its components. Two versions of one may share a name: then the version, or in
/// the end the key, tells them apart.
class Names {
 public:
  explicit Names(Store& store) : store_(store) {}

  /// First all that will be shown, ...
  void note(const std::string& key, const std::string& name) {
    if (!key.empty()) keys_of_[name].insert(key);
  }
  /// ... then each of them. NULL for no component.
  Field of(const std::string& key, const std::string& name);

 private:
  std::string version_of(const std::string& key);

  Store& store_;
  std::map<std::string, std::set<std::string>> keys_of_;
};

}  // namespace conoscope::results
