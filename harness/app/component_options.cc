// SPDX-License-Identifier: Apache-2.0
#include "harness/app/component_options.h"

#include <boost/algorithm/string/join.hpp>
#include <filesystem>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/plugin_info.h"

namespace conoscope::app {

namespace fs = std::filesystem;

core::Component component_of(const core::PluginFile& plugin,
                             const std::vector<std::pair<std::string, std::string>>& params,
                             const core::Quarantine& quarantine) {
  core::ComponentRequest request;
  request.file = fs::absolute(plugin.file);
  for (const auto& [name, text] : params) {
    const core::Parameter* parameter = plugin.metadata->parameter(name);
    try {
      request.params.push_back(
          {name, {parameter != nullptr ? parameter->parse(text) : core::Value(text)}, {}});
    } catch (const std::invalid_argument& error) {
      throw UsageError(plugin.metadata->id + ": " + error.what());
    }
  }
  std::vector<fs::path> folders = {fs::current_path()};
  if (!data_folder().empty()) folders.push_back(data_folder());
  core::Diagnostics diagnostics("");
  auto found = core::resolve(request, plugin.metadata->kind, core::Registry({}, quarantine),
                             quarantine, folders, diagnostics);
  if (found.empty()) throw UsageError(boost::algorithm::join(diagnostics.messages(), "\n"));
  return std::move(found.front());
}

core::Component component_from(const std::string& text, core::Kind kind,
                               const core::Registry& registry, const core::Quarantine& quarantine) {
  const std::size_t open = text.find('(');
  if (open != text.npos && !text.ends_with(')'))
    throw UsageError(text + ": the bracket is not closed");
  const auto plugin = find_plugin(text.substr(0, open), registry, quarantine, kind);
  require_usable(plugin);
  std::vector<std::pair<std::string, std::string>> params;
  if (open != text.npos)
    for (const auto& item : split_list(text.substr(open + 1, text.size() - open - 2))) {
      const std::size_t equals = item.find('=');
      if (equals == item.npos && params.empty())
        throw UsageError(text + ": expected NAME=VALUE, not " + item);
      if (equals == item.npos)  // a list: channels=16,32
        params.back().second += "," + item;
      else
        params.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    }
  return component_of(plugin, params, quarantine);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  std::string item;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) {
      item += c;
      continue;
    }
    if (!item.empty()) out.push_back(std::move(item));
    item.clear();
  }
  if (!item.empty()) out.push_back(std::move(item));
  return out;
}

}  // namespace conoscope::app
