// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/profiles.h"

#include <algorithm>
#include <utility>

#include "harness/core/names.h"
#include "harness/core/plan/diagnostics.h"
#include "harness/core/toml_value.h"

namespace conoscope::core {

namespace {

bool is_choice(const toml::table& table, const std::vector<std::string>& profiles) {
  return !table.empty() && std::all_of(table.begin(), table.end(), [&](const auto& entry) {
    return contains(profiles, entry.first.str());
  });
}

}  // namespace

std::vector<std::string> profile_names(const toml::table& root, const std::string& file) {
  std::vector<std::string> out;
  const auto* node = root.get("profiles");
  if (node == nullptr) return out;
  const auto refuse = [&](const std::string& what) {
    Diagnostics found(file);
    found.add(place_of(*node), what);
    found.throw_if_any();
  };
  const auto* list = node->as_array();
  if (list == nullptr || list->empty()) refuse("profiles: expected a list of names");
  for (const auto& item : *list) {
    const auto name = item.value<std::string>();
    if (!name || name->empty()) refuse("profiles: expected a list of names");
    if (contains(out, *name)) refuse("profiles: " + *name + " is listed twice");
    out.push_back(*name);
  }
  return out;
}

void choose_profile(toml::table& table, const std::vector<std::string>& profiles,
                    const std::string& chosen) {
  std::vector<std::string> absent;
  for (auto&& [key, node] : table) {
    if (auto* inner = node.as_table()) {
      if (!is_choice(*inner, profiles)) {
        choose_profile(*inner, profiles, chosen);
        continue;
      }
      const std::string name(key.str());
      if (!inner->contains(chosen)) {
        absent.push_back(name);
        continue;
      }
      inner->get(chosen)->visit([&](auto& value) {
        auto kept = std::move(value);  // with its place in the file
        table.insert_or_assign(name, std::move(kept));
      });
    } else if (auto* list = node.as_array()) {
      for (auto& item : *list)
        if (auto* entry = item.as_table()) choose_profile(*entry, profiles, chosen);
    }
  }
  for (const std::string& name : absent) table.erase(name);
}

}  // namespace conoscope::core
