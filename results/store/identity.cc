// SPDX-License-Identifier: Apache-2.0
#include "results/store/identity.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "numerics/sha256.h"
#include "results/store/error.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

using numerics::make_key;

[[noreturn]] void refuse(Store& store, const std::string& what) {
  throw StoreError(StoreProblem::corrupt,
                   store.path().string() + ": " + what +
                       "; the store is not what conoscope wrote: take it from its source again");
}

/// The hashes of data files among a component's parameters.
std::vector<std::string> data_hashes(const std::string& params) {
  constexpr std::string_view kHash = "=sha256:";
  std::vector<std::string> out;
  for (std::size_t at = params.find(kHash); at != params.npos; at = params.find(kHash, at + 1)) {
    const std::size_t begin = at + kHash.size();
    out.push_back(params.substr(begin, params.find(';', begin) - begin));
  }
  return out;
}

bool is_known_by_its_file(Store& store, const ComponentRow& row) {
  if (row.plugin_version != "unknown") return false;
  Statement files(store.connection(), "SELECT sha256 FROM plugin WHERE kind = ? AND id = ?");
  files.bind_all(row.kind, row.plugin_id);
  while (files.step())
    if (make_key(row.kind, row.plugin_id, files.text(0)) == row.key) return true;
  return false;
}

void require_components(Store& store) {
  Statement rows(store.connection(),
                 "SELECT key, kind, plugin_id, plugin_version, params, content, name "
                 "FROM component");
  Statement names(store.connection(),
                  "SELECT count(*), count(*) FILTER (WHERE name = ?2) FROM run_component "
                  "WHERE component = ?1");
  while (rows.step()) {
    const ComponentRow row{rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                           rows.text(4), rows.text(5), rows.text(6)};
    const std::string what = row.kind + " " + row.name + " (" + row.key + ")";
    if (component_key(row) != row.key && !is_known_by_its_file(store, row))
      refuse(store, what + ": its key is not that of its plugin, version and parameters");
    const auto hashes = data_hashes(row.params);
    if (hashes.empty() ? !row.content.empty()
                       : hashes.size() == 1 && row.content != make_key(hashes[0]))
      refuse(store, what + ": its content is not that of its data files");
    names.bind_all(row.key, row.name).step();
    if (names.integer(0) > 0 && names.integer(1) == 0) refuse(store, what + ": no run calls it so");
    names.reset();
  }
}

void require_cells(Store& store) {
  Statement rows(store.connection(),
                 "SELECT key, dataset, model, coalesce(explainer, ''), seed, control FROM cell");
  while (rows.step()) {
    const CellRow row{rows.text(0), rows.text(1),    rows.text(2),
                      rows.text(3), rows.integer(4), rows.text(5)};
    if (cell_key(row) != row.key)
      refuse(store,
             "cell " + row.key + ": its key is not that of its components, seed and control");
  }
}

void require_runs(Store& store) {
  Statement cells(store.connection(), "SELECT cell FROM run_cell WHERE run = ?");
  const auto texts = [](Statement& rows, const std::string& run) {
    std::vector<std::string> out;
    rows.bind_all(run);
    while (rows.step()) out.push_back(rows.text(0));
    rows.reset();
    return out;
  };
  for (const RunRow& run : store.runs())
    if (run.file_text != kMeasuredText &&
        run_key(run.name, texts(cells, run.key), store.run_metrics(run.key)) != run.key)
      refuse(store, "run " + run.name + " (" + run.key +
                        "): its key is not that of its name, cells and metrics");
}

void require_past(Store& store) {
  const auto tomorrow = std::chrono::system_clock::now() + std::chrono::hours(24);
  const std::string text = utc_text(tomorrow);
  for (const auto& [table, column] :
       {std::pair("attempt", "started_at"), std::pair("run", "created_at"),
        std::pair("retraction", "at"), std::pair("event", "at")}) {
    const std::string date(column);
    Statement late(store.connection(), "SELECT " + date + " FROM " + table + " WHERE " + date +
                                           " > ? OR strftime('%s', " + date +
                                           ") IS NULL ORDER BY 1 DESC LIMIT 1");
    if (late.bind_all(text).step())
      refuse(store, std::string(table) + ": the date " + late.text(0) + " is not of the past");
  }
  Statement late(store.connection(), "SELECT id, number FROM attempt WHERE number > ? LIMIT 1");
  const std::int64_t number =
      std::chrono::duration_cast<std::chrono::milliseconds>(tomorrow.time_since_epoch()).count();
  if (late.bind_all(number).step())
    refuse(store, "attempt " + late.text(0) + ": its number " + std::to_string(late.integer(1)) +
                      " is that of a time to come");
}

}  // namespace

std::string component_key(const ComponentRow& row) {
  return make_key(row.kind, row.plugin_id, row.plugin_version, row.params);
}

std::string cell_key(const CellRow& row) {
  return make_key(
      "cell",
      row.dataset + " " + row.model + " " + (row.explainer.empty() ? "none" : row.explainer),
      std::to_string(row.seed), row.control);
}

std::string run_key(const std::string& name, std::vector<std::string> cells,
                    std::vector<std::string> metrics) {
  const auto joined = [](std::vector<std::string>& words) {
    std::ranges::sort(words);
    std::string out;
    for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
    return out;
  };
  return make_key("run", name, joined(cells), joined(metrics));
}

void require_identities(Store& store) {
  require_components(store);
  require_cells(store);
  require_runs(store);
  require_past(store);
}

}  // namespace conoscope::results
