// SPDX-License-Identifier: Apache-2.0
#include "harness/app/taking.h"

#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/selection.h"

namespace conoscope::app {

std::optional<results::Store> open_from(const Options& options) {
  if (!options.has("from")) return std::nullopt;
  std::error_code ignored;
  if (std::filesystem::equivalent(options.from(), options.store(), ignored))
    throw UsageError("--from " + options.get<std::string>("from") +
                     ": that is the store itself; what it holds is not run again anyway");
  return results::Store::open(options.from(), results::Mode::kReadOnly);
}

core::TakenResults take_from(const core::Plan& plan, results::Store& store, results::Store& other,
                             const std::string& from) {
  const auto taken = core::take_results(plan, store, other);
  std::cerr << plan.run_file.name << ": " << taken.cells << (taken.cells == 1 ? " cell" : " cells")
            << " taken from " << from
            << (taken.cells + taken.others == 0 ? ", which has none that is still to do\n" : "\n");
  if (taken.others > 0) {
    std::cerr << taken.others
              << (taken.others == 1
                      ? " cell there was made by other plugin files, and is not taken\n"
                      : " cells there were made by other plugin files, and are not taken\n");
    print_changed_files(plan, other);
  }
  return taken;
}

}  // namespace conoscope::app
