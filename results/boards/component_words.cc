// SPDX-License-Identifier: Apache-2.0
#include "results/boards/component_words.h"

#include <set>
#include <string_view>

#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

struct Called {
  std::string key, name, id, version;
};

std::vector<Called> components_of(Store& store, const std::string& run, const std::string& kind) {
  Statement query(
      store.connection(),
      "SELECT key, coalesce(run_component.name, component.name), plugin_id, plugin_version "
      "FROM component LEFT JOIN run_component ON run = ?1 AND component = key "
      "WHERE (?2 = '' OR kind = ?2) AND (?1 = '' OR EXISTS (SELECT 1 FROM run_cell "
      "JOIN cell ON cell.key = run_cell.cell WHERE run_cell.run = ?1 "
      "AND component.key IN (cell.dataset, cell.model, cell.explainer))) ORDER BY 2, key");
  query.bind_all(run, kind);
  std::vector<Called> out;
  while (query.step()) out.push_back({query.text(0), query.text(1), query.text(2), query.text(3)});
  return out;
}

/// Those that other runs called so.
std::set<std::string> called_once(Store& store, const std::string& kind, const std::string& word) {
  Statement query(store.connection(),
                  "SELECT component FROM run_component JOIN component ON key = component "
                  "WHERE run_component.name = ?1 AND (?2 = '' OR kind = ?2)");
  query.bind_all(word, kind);
  std::set<std::string> keys;
  while (query.step()) keys.insert(query.text(0));
  return keys;
}

std::string lines(const std::set<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) out += (out.empty() ? "" : "\n") + key;
  return out;
}

}  // namespace

std::optional<std::string> component_filter(Store& store, const std::string& run,
                                            const std::string& kind, const std::string& word) {
  constexpr std::size_t kShortest = 4;
  if (word.empty()) return word;
  std::set<std::string> by_name, by_id, by_version, by_prefix;
  for (const Called& one : components_of(store, run, kind)) {
    if (word == one.key) return word;
    if (word == one.name)
      by_name.insert(one.key);
    else if (word == one.id)
      by_id.insert(one.key);
    if (word == one.name + "@" + one.version || word == one.id + "@" + one.version)
      by_version.insert(one.key);
    const std::string_view start = std::string_view(word).starts_with(one.name + "#")
                                       ? std::string_view(word).substr(one.name.size() + 1)
                                       : word;
    if (start.size() >= kShortest && one.key.starts_with(start)) by_prefix.insert(one.key);
  }
  const bool both = !by_name.empty() && !by_id.empty();
  if (both && !run.empty()) return lines(by_name);
  if (!by_name.empty() || !by_id.empty()) return word;
  std::set<std::string> keys = by_version;
  if (keys.empty() && run.empty()) keys = called_once(store, kind, word);
  if (keys.empty() && by_prefix.size() == 1) keys = by_prefix;
  if (keys.empty()) return std::nullopt;
  return lines(keys);
}

std::vector<std::string> component_names(Store& store, const std::string& run,
                                         const std::string& kind) {
  std::set<std::string> names;
  for (const Called& one : components_of(store, run, kind)) names.insert({one.name, one.id});
  return {names.begin(), names.end()};
}

}  // namespace conoscope::results
