// SPDX-License-Identifier: Apache-2.0
// plugin check: prints what core's conformance suite finds.

#include "harness/core/conformance/plugin_check.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/plugin_access.h"

namespace conoscope::app {

int plugin_check_command(const Arguments& arguments) {
  Options options(
      "plugin check FILE [options]",
      "Tries the plugin on small synthetic inputs, every call in a process of its own, and\n"
      "prints one line for each rule of the border. Exit code 3: a check failed. A file that\n"
      "passes leaves the quarantine.",
      {"conoscope plugin check build/my_method.so",
       "conoscope plugin check my_data.so --param archive=arrays.npz --format json"});
  options.positional("file", 1);
  options.with_params();
  options.with_limits(60, 2048);
  options.with_confinement();
  options.text(
      "cache", "DIR",
      "where to work, and the quarantine (default: $CONOSCOPE_CACHE, $XDG_CACHE_HOME/conoscope or "
      "~/.cache/conoscope)");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  if (!options.has("file")) throw UsageError("plugin check: which file?");

  core::CheckOptions wanted;
  const auto limits = options.limits();
  wanted.seconds = limits.seconds;
  wanted.memory = limits.memory;
  wanted.confine = limits.confine;
  wanted.params = options.params();
  // A person who waits sees every line at once; the other formats are one document.
  if (format == results::Format::table)
    wanted.report = [](const core::CheckResult& result) {
      const std::string verdict = core::to_string(result.verdict);
      std::cout << verdict << std::string(9 - verdict.size(), ' ') << result.name
                << (result.reason.empty() ? "" : ": ") << result.reason << std::endl;
    };

  const core::Cache cache(options.cache());
  core::Quarantine quarantine = open_quarantine(options);
  const auto& file = options.list("file")[0];
  ask_for_access({core::examine_plugin(file, quarantine)}, options);
  const auto found = core::check_plugin(file, wanted, cache, quarantine);
  if (format != results::Format::table) {
    results::Table table{{{"check"}, {"verdict"}, {"reason"}}, {}};
    for (const auto& result : found)
      table.add({result.name, std::string(core::to_string(result.verdict)), result.reason});
    std::cout << results::to_text(table, format);
  }
  return core::passed(found) ? kOk : kPluginRefused;
}

}  // namespace conoscope::app
