// SPDX-License-Identifier: Apache-2.0
#include "results/boards/status.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/store_options.h"
#include "results/store/sqlite.h"

namespace conoscope::app {

namespace {

/// Have several versions of the program made the cells of one run?
bool has_layers(const results::Table& origins) {
  const auto same_run = [](const auto& a, const auto& b) {
    return results::text_of(a.back()) == results::text_of(b.back());
  };
  return std::ranges::adjacent_find(origins.rows, same_run) != origins.rows.end();
}

}  // namespace

int status_command(const Arguments& arguments) {
  Options options(
      "status [RUN] [options]",
      "Prints how far each run is, which versions of conoscope made its cells where several did,\n"
      "every failed cell with stage and reason, and what metrics say about scores that have no\n"
      "number or are to be read with care.",
      {"conoscope status", "conoscope status quick --format json"});
  options.positional("run", 1);
  options.with_store();
  options.with_verify();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = open_store(options);
  const std::string run = run_of(options, store);
  auto report = results::status(store, run);
  constexpr std::size_t kMessages = 25;  // on one screen
  std::size_t left_out = 0;
  if (auto& rows = report.messages.rows;
      format == results::Format::table && rows.size() > kMessages) {
    left_out = rows.size() - kMessages;
    rows.resize(kMessages);
  }
  std::vector<std::pair<const char*, results::Table>> tables = {{"runs", report.runs}};
  // People need no empty table, nor to be told of one version; programs find every table, always.
  if (format != results::Format::table ||
      store.connection().integer("SELECT count(*) FROM environment") > 1)
    if (auto origins = results::origins(store, run);
        format != results::Format::table || has_layers(origins))
      tables.emplace_back("origins", std::move(origins));
  if (format != results::Format::table || !report.failures.rows.empty())
    tables.emplace_back("failures", report.failures);
  if (format != results::Format::table || !report.messages.rows.empty())
    tables.emplace_back("messages", report.messages);
  print(tables, format);
  if (left_out > 0)
    std::cerr << left_out << " more messages; --format csv has all\n";
  return kOk;
}

}  // namespace conoscope::app
