// SPDX-License-Identifier: Apache-2.0
#include "harness/app/store_options.h"

#include <iostream>

#include "harness/core/names.h"
#include "results/boards/component_words.h"
#include "results/store/checksum.h"

namespace conoscope::app {

results::Store open_store(const Options& options) { return open_store(options, options.store()); }

results::Store open_store(const Options& options, const std::filesystem::path& file) {
  auto store = results::Store::open(file, results::Mode::kReadOnly);
  if (options.has("verify")) results::verify(store);
  return store;
}

results::Store open_or_empty(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error)
             ? results::Store::open(file, results::Mode::kReadOnly)
             : results::Store::open(":memory:", results::Mode::kReadWrite);
}

std::string component_filter(results::Store& store, const std::string& run, const std::string& kind,
                             const std::vector<std::string>& words) {
  std::string lines;
  for (const std::string& word : words) {
    const auto found = results::component_filter(store, run, kind, word);
    if (!found)
      throw UsageError("no " + (kind.empty() ? "dataset, model or explainer" : kind) + " \"" +
                       word + "\"" + (run.empty() ? "" : " in this run") +
                       core::did_you_mean(word, results::component_names(store, run, kind)));
    lines.append(lines.empty() ? "" : "\n").append(*found);
  }
  return lines;
}

std::string run_of(const Options& options, results::Store& store) {
  return options.has("run") ? store.find_run(options.list("run")[0]) : "";
}

void print(const std::vector<std::pair<const char*, results::Table>>& tables,
           results::Format format) {
  bool first = true;
  for (const auto& [title, table] : tables) {
    const char* separator = first ? "" : "\n";
    if (format == results::Format::json) {
      std::cout << (first ? "{\n" : ",\n") << '"' << title
                << "\": " << results::to_text(table, format);
    } else if (format == results::Format::ndjson) {
      results::Table marked = table;
      marked.columns.insert(marked.columns.begin(), {"table"});
      for (auto& row : marked.rows) row.insert(row.begin(), std::string(title));
      std::cout << results::to_text(marked, format);
    } else if (format == results::Format::table) {
      std::cout << separator << title << '\n' << results::to_text(table, format);
    } else {
      std::cout << separator << results::to_text(table, format);
    }
    first = false;
  }
  if (format == results::Format::json) std::cout << "}\n";
}

}  // namespace conoscope::app
