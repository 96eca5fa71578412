// SPDX-License-Identifier: Apache-2.0
#include "results/boards/status.h"

#include "harness/app/command.h"
#include "harness/app/store_options.h"

namespace conoscope::app {

int status_command(const Arguments& arguments) {
  Options options(
      "status [RUN] [options]",
      "Prints how far each run is, every failed cell with stage and reason, and what metrics\n"
      "say about scores that have no number or are to be read with care.",
      {"conoscope status", "conoscope status quick --format json"});
  options.positional("run", 1);
  options.with_store();
  options.with_verify();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = open_store(options);
  const auto report = results::status(store, run_of(options, store));
  std::vector<std::pair<const char*, results::Table>> tables = {{"runs", report.runs}};
  // People need no empty table; programs find every one, always.
  if (format != results::Format::table || !report.failures.rows.empty())
    tables.emplace_back("failures", report.failures);
  if (format != results::Format::table || !report.messages.rows.empty())
    tables.emplace_back("messages", report.messages);
  print(tables, format);
  return kOk;
}

}  // namespace conoscope::app
