#include "results/store/merge.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "results/store/store.h"

namespace conoscope::app {

int merge_command(const Arguments& arguments) {
  Options options(
      "merge FILE... [options]",
      "Adds the results of other stores to this one, in any order and any number of times.",
      {"conoscope merge shard1.db shard2.db --store all.db"});
  options.positional("files", -1);
  options.with_store();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("files")) throw UsageError("merge: which stores?");
  auto store = results::Store::open(options.store(), results::Mode::read_write);
  for (const auto& file : options.get<std::vector<std::string>>("files")) {
    std::int64_t rows = 0, attempts = 0;
    for (const auto& [table, added] : results::merge(store, file)) {
      rows += added;
      if (table == "attempt") attempts = added;
    }
    std::cerr << file << ": " << attempts << " new attempts, " << rows << " new rows\n";
  }
  return kOk;
}

}  // namespace conoscope::app
