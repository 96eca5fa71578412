#include "harness/app/dataset_loading.h"

#include "harness/app/folders.h"
#include "harness/app/plugin_info.h"

namespace conoscope::app {

namespace fs = std::filesystem;
namespace po = boost::program_options;

void add_loading(Options& options) {
  options.positional("dataset", 1);
  options.with_params();
  options.add()("seed", po::value<std::int64_t>()->default_value(0)->value_name("N"),
                "a run's seed: the same seed and parameters give the arrays of that run");
  options.with_limits(600, 8192);
  options.with_confinement();
  options.with_plugins();
}

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
  const auto found = core::resolve(request, core::Kind::kDataset, core::Registry({}, quarantine),
                                   quarantine, folders, diagnostics);
  std::string wrong;
  for (const auto& message : diagnostics.messages()) wrong += (wrong.empty() ? "" : "\n") + message;
  if (found.empty()) throw UsageError(wrong);
  return found.front();
}

core::PluginFile wanted_dataset(const Options& options, const core::Quarantine& quarantine,
                                const char* command) {
  const auto registry = scan_plugins(options, quarantine);
  if (!options.has("dataset"))
    throw UsageError(std::string(command) + ": which one? `conoscope dataset list` shows them");
  auto plugin = find_plugin(options.get<std::vector<std::string>>("dataset")[0], registry,
                            quarantine, core::Kind::kDataset);
  if (!plugin.metadata || !plugin.refusal.empty()) throw core::PluginRefused(plugin.refusal);
  return plugin;
}

}  // namespace conoscope::app
