// SPDX-License-Identifier: Apache-2.0
#include "harness/app/plugin_info.h"

#include <boost/algorithm/string/join.hpp>
#include <iostream>
#include <set>

#include "harness/app/folders.h"
#include "harness/core/names.h"

namespace conoscope::app {

namespace {

results::Field number(const std::optional<double>& value) {
  return value ? results::Field(core::to_text(core::Value(*value))) : results::Field();
}

}  // namespace

core::Registry scan_plugins(const Options& options, const core::Quarantine& quarantine) {
  return core::Registry(plugin_folders(options.plugin_path(), {}), quarantine);
}

core::PluginFile find_plugin(const std::string& name, const core::Registry& registry,
                             const core::Quarantine& quarantine, std::optional<core::Kind> wanted) {
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error) ||
      std::filesystem::is_regular_file(std::filesystem::path(name) / core::kPackageMain, error)) {
    auto plugin = core::examine_plugin(name, quarantine);
    if (wanted && plugin.metadata && plugin.metadata->kind != *wanted)
      throw UsageError(name + ": its kind is " + core::to_string(plugin.metadata->kind) + ", not " +
                       core::to_string(*wanted));
    return plugin;
  }
  std::vector<std::string> ids;
  std::set<std::string> said;  // name with each kind that it has
  const core::PluginFile* found = nullptr;
  for (const auto& plugin : registry.plugins()) {
    if (!plugin.metadata || (wanted && plugin.metadata->kind != *wanted)) continue;
    const std::string kind = core::to_string(plugin.metadata->kind);
    ids.push_back(plugin.metadata->id);
    if (name == plugin.metadata->id || name == kind + ":" + plugin.metadata->id) {
      said.insert(kind + ":" + plugin.metadata->id);
      found = &plugin;
    }
  }
  if (said.size() > 1) {
    throw UsageError(name + " is the id of several kinds; say " +
                     boost::algorithm::join(said, " or "));
  }
  if (found == nullptr)
    throw UsageError(name + ": no such file, and no " +
                     (wanted ? core::to_string(*wanted) : "plugin") + " of that id" +
                     core::did_you_mean(name, ids));
  return *found;
}

void require_usable(const core::PluginFile& plugin) {
  if (!plugin.metadata || !plugin.refusal.empty()) throw core::PluginRefused(plugin.refusal);
}

results::Table plugin_facts(const core::Metadata& data) {
  results::Table out{{{"key"}, {"value"}}, {}};
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"id", data.id},
           {"kind", core::to_string(data.kind)},
           {"version", data.version},
           {"summary", data.summary},
           {"needs", boost::algorithm::join(data.needs, ", ")},
           {"offers", boost::algorithm::join(data.offers, ", ")},
           {"passes on", boost::algorithm::join(data.passes_on, ", ")},
           {"access", boost::algorithm::join(data.access, ", ")},
           {"seeded", data.seeded ? "yes" : "no: the seed changes nothing"},
           {"licence", data.licence},
           {"citation", data.citation},
           {"border", std::to_string(data.abi_major) + "." + std::to_string(data.abi_minor)}})
    if (!value.empty()) out.add({std::string(key), value});
  return out;
}

results::Table plugin_parameters(const core::Metadata& data) {
  results::Table out{
      {{"parameter"}, {"type"}, {"default"}, {"min"}, {"max"}, {"choices"}, {"role"}, {"help"}},
      {}};
  for (const auto& p : data.parameters)
    out.add({p.name, std::string(to_string(p.type)),
             p.standard ? results::Field(core::to_text(*p.standard))
                        : results::Field(std::string("required")),
             number(p.min), number(p.max), boost::algorithm::join(p.choices, ", "), p.role,
             p.help});
  return out;
}

void print_about(const core::PluginFile& plugin, results::Format format) {
  const auto& data = *plugin.metadata;

  results::Table about = plugin_facts(data);
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"file", plugin.file.string()}, {"sha256", plugin.sha256}, {"refused", plugin.refusal}})
    if (!value.empty()) about.add({std::string(key), value});
  std::cout << results::to_text(about, format);

  const results::Table parameters = plugin_parameters(data);
  if (!parameters.rows.empty()) std::cout << '\n' << results::to_text(parameters, format);

  results::Table scores{{{"score"}, {"direction"}, {"low"}, {"high"}, {"question"}}, {}};
  for (const auto& s : data.scores)
    scores.add({s.name, s.direction, number(s.low), number(s.high), s.question});
  if (!scores.rows.empty()) std::cout << '\n' << results::to_text(scores, format);
}

int plugin_info_command(const Arguments& arguments) {
  Options options("plugin info FILE|ID [options]",
                  "Prints what a plugin says of itself, without loading it.",
                  {"conoscope plugin info kmeans", "conoscope plugin info model:precomputed",
                   "conoscope plugin info build/my_method.so"});
  options.positional("plugin", 1);
  options.with_plugins();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("plugin")) throw UsageError("plugin info: which one?");
  const auto format = options.format();
  const auto quarantine = open_quarantine(options);
  const auto registry = scan_plugins(options, quarantine);
  const auto plugin = find_plugin(options.list("plugin")[0], registry, quarantine);
  if (!plugin.metadata) throw core::PluginRefused(plugin.refusal);
  print_about(plugin, format);
  return plugin.refusal.empty() ? kOk : kPluginRefused;
}

}  // namespace conoscope::app
