// plugin list and plugin info; check and new have files of their own.

#include <fstream>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/core/registry.h"
#include "harness/core/suggest.h"

namespace conoscope::app {

namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

core::Registry scan(const Options& options, const core::Quarantine& quarantine) {
  return core::Registry(core::plugin_folders(options.plugin_path(), {}), quarantine);
}

/// Plugins that this build could have had, with the reason why it has not.
void print_left_out() {
  std::ifstream in(share_folder() / "left_out.txt");
  for (std::string line; std::getline(in, line);) std::cerr << "left out: " << line << '\n';
}

int list_command(const Arguments& arguments) {
  Options options(
      "plugin list [KIND] [options]",
      "Prints the plugins of the search path, read without loading them: --plugin-path,\n"
      "CONOSCOPE_PLUGIN_PATH, the user folder (~/.local/share/conoscope/plugins), the\n"
      "installation. Run files may add folders of their own.",
      {"conoscope plugin list", "conoscope plugin list explainer --format json"});
  options.positional("kind", 1);
  options.with_plugins();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  std::optional<core::Kind> kind;
  if (options.has("kind")) {
    const auto& name = options.get<std::vector<std::string>>("kind")[0];
    kind = core::kind_from(name);
    if (!kind)
      throw UsageError("no kind " + name +
                       core::did_you_mean(name, {"dataset", "model", "explainer", "metric"}));
  }
  const auto quarantine = open_quarantine(options);
  const auto registry = scan(options, quarantine);
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

/// A file, or an id of the search path.
core::PluginFile find_plugin(const std::string& name, const core::Registry& registry,
                             const core::Quarantine& quarantine) {
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) return core::examine_plugin(name, quarantine);
  std::vector<std::string> ids;
  const core::PluginFile* found = nullptr;
  for (const auto& plugin : registry.plugins()) {
    if (!plugin.metadata) continue;
    const std::string kind = core::to_string(plugin.metadata->kind);
    ids.push_back(plugin.metadata->id);
    if (name == plugin.metadata->id || name == kind + ":" + plugin.metadata->id) {
      if (found != nullptr && found->metadata->kind != plugin.metadata->kind)
        throw UsageError(name + " is a " + core::to_string(found->metadata->kind) + " and a " +
                         kind + "; say " + kind + ":" + name);
      found = &plugin;
    }
  }
  if (found == nullptr)
    throw UsageError(name + ": no such file, and no plugin of that id" +
                     core::did_you_mean(name, ids));
  return *found;
}

int info_command(const Arguments& arguments) {
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
  const auto registry = scan(options, quarantine);
  const auto plugin =
      find_plugin(options.get<std::vector<std::string>>("plugin")[0], registry, quarantine);
  if (!plugin.metadata) throw core::PluginRefused(plugin.refusal);
  const auto& data = *plugin.metadata;

  results::Table about{{{"key"}, {"value"}}, {}};
  const auto add = [&about](const char* key, const std::string& value) {
    if (!value.empty()) about.add({std::string(key), value});
  };
  add("id", data.id);
  add("kind", core::to_string(data.kind));
  add("version", data.version);
  add("summary", data.summary);
  add("needs", joined(data.needs));
  add("offers", joined(data.offers));
  add("seeded", data.seeded ? "yes" : "no: the seed changes nothing");
  add("licence", data.licence);
  add("citation", data.citation);
  add("border", std::to_string(data.abi_major) + "." + std::to_string(data.abi_minor));
  add("file", plugin.file.string());
  add("sha256", plugin.sha256);
  add("refused", plugin.refusal);
  std::cout << results::to_text(about, format);

  results::Table parameters{
      {{"parameter"}, {"type"}, {"default"}, {"min"}, {"max"}, {"choices"}, {"help"}}, {}};
  const auto number = [](const std::optional<double>& value) {
    return value ? results::Field(core::to_text(core::Value(*value))) : results::Field();
  };
  for (const auto& p : data.parameters)
    parameters.add({p.name, std::string(core::to_string(p.type)),
                    p.standard ? results::Field(core::to_text(*p.standard))
                               : results::Field(std::string("required")),
                    number(p.min), number(p.max), joined(p.choices), p.help});
  if (!parameters.rows.empty()) std::cout << '\n' << results::to_text(parameters, format);

  results::Table scores{{{"score"}, {"direction"}, {"low"}, {"high"}, {"question"}}, {}};
  for (const auto& s : data.scores)
    scores.add({s.name, s.direction, number(s.low), number(s.high), s.question});
  if (!scores.rows.empty()) std::cout << '\n' << results::to_text(scores, format);
  return plugin.refusal.empty() ? kOk : kPluginRefused;
}

}  // namespace

int plugin_command(const Arguments& arguments) {
  constexpr Command kActions[] = {
      {"list", "the plugins of the search path", list_command},
      {"info", "what one says of itself", info_command},
      {"check", "run the conformance suite on a file", plugin_check_command},
      {"new", "start a plugin of your own", plugin_new_command},
  };
  const std::string action = arguments.empty() ? "--help" : arguments[0];
  if (action == "--help" || action == "-h") {
    std::cout << "usage: conoscope plugin ACTION [options]\n\n";
    for (const Command& command : kActions)
      std::cout << "  " << command.name << std::string(8 - std::string(command.name).size(), ' ')
                << command.summary << '\n';
    return arguments.empty() ? kUsage : kOk;
  }
  std::vector<std::string> names;
  for (const Command& command : kActions) {
    if (action == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  throw UsageError("no action plugin " + action + core::did_you_mean(action, names));
}

}  // namespace conoscope::app
