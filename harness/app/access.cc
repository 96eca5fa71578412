#include "harness/app/access.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "harness/app/plugin_info.h"

namespace conoscope::app {

namespace {

/// "<sha256>\t<what>" lines.
std::set<std::string> granted_before(const std::filesystem::path& file) {
  std::set<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

bool says_yes(const core::PluginFile& plugin) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  std::cerr << core::to_string(plugin.metadata->kind) << ' ' << plugin.metadata->id << " ("
            << plugin.file.string() << ") asks for access: " << joined(plugin.metadata->access)
            << ". Grant it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace

void ask_for_access(const std::vector<core::PluginFile>& plugins, const Options& options) {
  if (!options.confine()) return;
  const auto file = options.cache() / "access.tsv";
  auto granted = granted_before(file);
  const auto by_option = options.has("grant") ? options.get<std::vector<std::string>>("grant")
                                              : std::vector<std::string>{};
  for (const auto& plugin : plugins) {
    if (!plugin.metadata || plugin.metadata->access.empty()) continue;
    const std::string line = plugin.sha256 + "\t" + joined(plugin.metadata->access);
    if (granted.count(line) != 0) continue;
    const std::string& id = plugin.metadata->id;
    if (std::find(by_option.begin(), by_option.end(), id) == by_option.end() && !says_yes(plugin))
      throw core::PluginRefused(plugin.file.string() + " asks for access: " +
                                joined(plugin.metadata->access) + "; --grant " + id + " allows it");
    granted.insert(line);
    std::ofstream(file, std::ios::app) << line << '\n';
  }
}

}  // namespace conoscope::app
