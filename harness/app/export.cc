#include "results/store/export.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/reading.h"

namespace conoscope::app {

namespace po = boost::program_options;

int export_command(const Arguments& arguments) {
  Options options(
      "export [RUN] [options]",
      "Prints every asked score, sorted, without times, hosts and attempts: equal outcomes\n"
      "give equal bytes, however they were reached.",
      {"conoscope export quick --format csv > quick.csv"});
  options.positional("run", 1);
  options.with_store();
  options.add()("format", po::value<std::string>()->default_value("csv")->value_name("F"),
                "table, csv, json, ndjson, md or latex");
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = open_store(options);
  std::cout << results::to_text(results::export_table(store, run_of(options, store)), format);
  return kOk;
}

}  // namespace conoscope::app
