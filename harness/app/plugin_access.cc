// SPDX-License-Identifier: Apache-2.0
#include "harness/app/plugin_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/algorithm/string/join.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "harness/app/plugin_info.h"
#include "harness/core/names.h"

namespace conoscope::app {

namespace {

/// "<sha256>\t<what>" lines.
std::set<std::string> granted_before(const std::filesystem::path& file) {
  std::set<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

/// "explainer x (x.so) asks for access: network (sockets, name lookup)"
std::string request(const core::PluginFile& plugin) {
  std::vector<std::string> words;
  for (const auto& what : plugin.metadata->access)
    words.push_back(what == "network" ? "network (sockets, name lookup)"
                                      : "processes (starting other programs)");
  return std::string(core::to_string(plugin.metadata->kind)) + ' ' + plugin.metadata->id + " (" +
         plugin.file.string() + ") asks for access: " + boost::algorithm::join(words, ", ");
}

bool says_yes(const core::PluginFile& plugin) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  std::cerr << request(plugin) << ". Grant it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

/// In a shared cache, another user may have put a link there.
void keep(const std::filesystem::path& file, const std::string& line) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::cerr << "warning: " << file.string() << ": " << std::strerror(errno)
              << "; the next run will ask for access again\n";
  if (fd >= 0) ::close(fd);
}

}  // namespace

void ask_for_access(const std::vector<core::PluginFile>& plugins, const Options& options) {
  if (!options.confine()) return;
  const auto file = options.cache() / "access.tsv";
  auto granted = granted_before(file);
  const auto by_option = options.list("grant");
  std::string refused;
  for (const auto& plugin : plugins) {
    if (!plugin.metadata || plugin.metadata->access.empty()) continue;
    const std::string line =
        plugin.sha256 + "\t" + boost::algorithm::join(plugin.metadata->access, ", ");
    const std::string& id = plugin.metadata->id;
    if (!granted.insert(line).second) continue;
    if (core::contains(by_option, id) || says_yes(plugin))
      keep(file, line + '\n');
    else
      refused += (refused.empty() ? "" : "\n") + request(plugin) + "; --grant " + id +
                 " allows it, once for this file";
  }
  if (!refused.empty()) throw core::PluginRefused(refused);
}

void ask_for_access(const core::Plan& plan, const Options& options) {
  std::vector<core::PluginFile> plugins;
  for (const auto* component : plan.components()) plugins.push_back(component->plugin);
  ask_for_access(plugins, options);
}

}  // namespace conoscope::app
