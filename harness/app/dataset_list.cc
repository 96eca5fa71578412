// SPDX-License-Identifier: Apache-2.0
#include <boost/algorithm/string/join.hpp>
#include <iostream>
#include <map>
#include <set>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/core/names.h"

namespace conoscope::app {

namespace {

/// "inputs; labels or targets by task; optional: concepts, factors"
std::string offers_text(const core::Metadata& data) {
  std::string out = boost::algorithm::join(data.offers, ", ");
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  std::vector<std::string> optional;
  for (const auto& parameter : data.parameters) {
    if (!parameter.offers.empty() && !core::contains(optional, parameter.offers))
      optional.push_back(parameter.offers);
    std::string views;
    std::set<std::string> seen = {""};
    for (const auto& view : parameter.choice_offers)
      if (seen.insert(view).second) views += (views.empty() ? "" : " or ") + view;
    if (!views.empty()) add(views + " by " + parameter.name);
  }
  if (!optional.empty()) add("optional: " + boost::algorithm::join(optional, ", "));
  return out;
}

}  // namespace

int dataset_list_command(const Arguments& arguments) {
  Options options("dataset list [options]",
                  "Prints the datasets of the search path: what they are, under which licence,\n"
                  "what they offer and which parameters they require.",
                  {"conoscope dataset list", "conoscope dataset list --format json"});
  options.with_plugins();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto quarantine = open_quarantine(options);
  const auto registry = scan_plugins(options, quarantine);
  results::Table table{{{"id"}, {"summary"}, {"licence"}, {"offers"}, {"required"}}, {}};
  std::map<std::string, const core::PluginFile*> sorted;
  for (const auto& plugin : registry.plugins())
    if (plugin.metadata && plugin.metadata->kind == core::Kind::kDataset) {
      if (plugin.refusal.empty())
        sorted[plugin.metadata->id] = &plugin;
      else
        std::cerr << "refused: " << plugin.refusal << '\n';
    }
  for (const auto& [id, plugin] : sorted) {
    const auto& data = *plugin->metadata;
    std::vector<std::string> required;
    for (const auto& parameter : data.parameters)
      if (!parameter.standard) required.push_back(parameter.name);
    table.add({id, data.summary, data.licence, offers_text(data),
               boost::algorithm::join(required, ", ")});
  }
  std::cout << results::to_text(table, format);
  return kOk;
}

}  // namespace conoscope::app
