// SPDX-License-Identifier: Apache-2.0
#include "results/store/names.h"

#include "results/store/sqlite.h"

namespace conoscope::results {

Field Names::of(const std::string& key, const std::string& name) {
  if (key.empty()) return {};
  const std::set<std::string>& keys = keys_of_.at(name);
  if (keys.size() == 1) return name;
  std::set<std::string> versions;
  for (const std::string& other : keys) versions.insert(version_of(other));
  if (versions.size() == keys.size()) return name + "@" + version_of(key);
  return name + "#" + key.substr(0, 8);
}

std::string Names::version_of(const std::string& key) {
  Statement query(store_.connection(), "SELECT plugin_version FROM component WHERE key = ?");
  return query.bind_all(key).step() ? query.text(0) : std::string();
}

}  // namespace conoscope::results
