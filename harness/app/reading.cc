#include "harness/app/reading.h"

#include <iostream>

#include "results/store/checksum.h"

namespace conoscope::app {

results::Store open_store(const Options& options) {
  return open_store(options, options.store());
}

results::Store open_store(const Options& options, const std::filesystem::path& file) {
  auto store = results::Store::open(file, results::Mode::read_only);
  if (options.has("verify")) results::verify(store);
  return store;
}

std::string run_of(const Options& options, results::Store& store) {
  return options.has("run") ? store.find_run(options.get<std::vector<std::string>>("run")[0]) : "";
}

void print(const std::vector<std::pair<const char*, results::Table>>& tables,
           results::Format format) {
  bool first = true;
  for (const auto& [title, table] : tables) {
    const char* separator = first ? "" : "\n";
    switch (format) {
      case results::Format::json:
        std::cout << (first ? "{\n" : ",\n") << '"' << title
                  << "\": " << results::to_text(table, format);
        break;
      case results::Format::ndjson: {
        results::Table marked = table;
        marked.columns.insert(marked.columns.begin(), {"table"});
        for (auto& row : marked.rows) row.insert(row.begin(), std::string(title));
        std::cout << results::to_text(marked, format);
        break;
      }
      case results::Format::table:
        std::cout << separator << title << '\n' << results::to_text(table, format);
        break;
      default:
        std::cout << separator << results::to_text(table, format);
    }
    first = false;
  }
  if (format == results::Format::json) std::cout << "}\n";
}

}  // namespace conoscope::app
