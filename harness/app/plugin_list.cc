// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/app/terminal.h"
#include "harness/core/names.h"

namespace conoscope::app {

namespace {

/// Plugins that this build could have had, with the reason why it has not.
void print_left_out() {
  std::ifstream in(share_folder() / "left_out.txt");
  for (std::string line; std::getline(in, line);) {
    const std::string text = "left out: " + line;
    std::cerr << (on_terminal() ? for_terminal(text) : text + '\n');
  }
}

}  // namespace

int plugin_list_command(const Arguments& arguments) {
  Options options(
      "plugin list [KIND] [options]",
      "Prints the plugins of the search path, read without loading them: --plugin-path,\n"
      "CONOSCOPE_PLUGIN_PATH, the user folder ($XDG_DATA_HOME/conoscope/plugins or\n"
      "~/.local/share/conoscope/plugins), the installation. Run files may add folders of\n"
      "their own.",
      {"conoscope plugin list", "conoscope plugin list explainer --format json"});
  options.positional("kind", 1);
  options.with_plugins();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  std::optional<core::Kind> kind;
  if (options.has("kind")) {
    const auto& name = options.list("kind")[0];
    kind = core::kind_from(name);
    if (!kind)
      throw UsageError("no kind " + name +
                       core::did_you_mean(name, {"dataset", "model", "explainer", "metric"}));
  }
  const auto quarantine = open_quarantine(options);
  const auto registry = scan_plugins(options, quarantine);
  results::Table table{{{"kind"}, {"id"}, {"version"}, {"summary"}, {"file"}}, {}};
  std::vector<std::string> refusals;
  for (const auto& plugin : registry.plugins()) {
    if (!plugin.refusal.empty()) {
      refusals.push_back(plugin.refusal);
      continue;
    }
    const auto& data = *plugin.metadata;
    if (kind && data.kind != *kind) continue;
    table.add({std::string(core::to_string(data.kind)), data.id, data.version, data.summary,
               plugin.file.string()});
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    const auto key = [](const auto& row) {
      return std::pair(std::get<std::string>(row[0]), std::get<std::string>(row[1]));
    };
    return key(a) < key(b);
  });
  std::cout << results::to_text(table, format);
  std::sort(refusals.begin(), refusals.end());
  refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());
  for (const auto& refusal : refusals) std::cerr << "refused: " << refusal << '\n';
  print_left_out();
  return kOk;
}

}  // namespace conoscope::app
