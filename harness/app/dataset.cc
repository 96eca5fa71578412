// dataset list, info and export: what datasets there are, what one holds, and its arrays as files.

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/npz_file.h"
#include "harness/core/run/loaded_dataset.h"

namespace conoscope::app {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using results::ColumnType;

namespace {

/// "inputs; labels or targets by task; optional: concepts, factors"
std::string offers_text(const core::Metadata& data) {
  std::string out = joined(data.offers);
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  std::vector<std::string> optional;
  for (const auto& parameter : data.parameters) {
    if (!parameter.offers.empty() &&
        std::ranges::find(optional, parameter.offers) == optional.end())
      optional.push_back(parameter.offers);
    std::string views;
    std::set<std::string> seen = {""};
    for (const auto& view : parameter.choice_offers)
      if (seen.insert(view).second) views += (views.empty() ? "" : " or ") + view;
    if (!views.empty()) add(views + " by " + parameter.name);
  }
  if (!optional.empty()) add("optional: " + joined(optional));
  return out;
}

int list_command(const Arguments& arguments) {
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
    table.add({id, data.summary, data.licence, offers_text(data), joined(required)});
  }
  std::cout << results::to_text(table, format);
  return kOk;
}

/// What info and export have in common: which dataset, and how it is loaded.
void add_loading(Options& options) {
  options.positional("dataset", 1);
  options.with_params();
  options.add()("seed", po::value<std::int64_t>()->default_value(0)->value_name("N"),
                "a run's seed: the same seed and parameters give the arrays of that run");
  options.with_limits(600, 8192);
  options.with_plugins();
}

/// The dataset with its parameters, as a run file that names them would have it.
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

/// Loads, says what the plugin said, and hands over the dataset. The exit code is what `use`
/// gives.
template <typename Use>
int with_loaded(const core::Component& component, const Options& options, const Use& use) {
  try {
    const core::LoadedDataset loaded(component, options.get<std::int64_t>("seed"), options.limits(),
                                     core::Cache(options.cache()));
    std::cerr << loaded.log();
    return use(loaded);
  } catch (const core::DatasetNotLoaded& error) {
    std::cerr << "conoscope: " << error.what() << '\n';
    return error.plugin_at_fault() ? kPluginRefused : kUsage;
  }
}

results::Table array_table(const core::ArrayBag& bag) {
  results::Table table{{{"array"},
                        {"type"},
                        {"shape"},
                        {"min", ColumnType::real},
                        {"max", ColumnType::real},
                        {"mean", ColumnType::real}},
                       {}};
  for (const auto& name : bag.names()) {
    const auto tensor = bag.get(name);
    double low = 0, high = 0, sum = 0;
    tensor.for_each([&](std::int64_t i, double value) {
      low = i == 0 ? value : std::min(low, value);
      high = i == 0 ? value : std::max(high, value);
      sum += value;
    });
    std::vector<results::Field> row = {name, std::string(sdk::dtype_name(tensor.dtype())),
                                       tensor.shape_text()};
    if (tensor.size() > 0)
      row.insert(row.end(), {low, high, sum / static_cast<double>(tensor.size())});
    row.resize(table.columns.size());
    table.add(row);
  }
  return table;
}

/// How often each class is there, in all and in the parts of the split.
results::Table class_table(const core::ArrayBag& bag) {
  results::Table table{{{"class", ColumnType::integer},
                        {"samples", ColumnType::integer},
                        {"train", ColumnType::integer},
                        {"test", ColumnType::integer}},
                       {}};
  const auto found = bag.find("labels");
  if (!found) return table;
  const auto labels = found->values<const std::int64_t>();
  struct Count {
    std::int64_t samples = 0, train = 0, test = 0;
  };
  std::map<std::int64_t, Count> counts;
  for (const std::int64_t label : labels) ++counts[label].samples;
  const auto train = bag.get("train_index").values<const std::int64_t>();
  const auto test = bag.get("test_index").values<const std::int64_t>();
  for (const std::int64_t row : train) ++counts[labels[static_cast<std::size_t>(row)]].train;
  for (const std::int64_t row : test) ++counts[labels[static_cast<std::size_t>(row)]].test;
  for (const auto& [label, count] : counts)
    table.add({label, count.samples, count.train, count.test});
  return table;
}

int info_command(const Arguments& arguments) {
  Options options(
      "dataset info ID|FILE [options]",
      "Prints what a dataset says of itself and, where every parameter that it needs is given,\n"
      "loads it in a worker and prints its arrays and how often each class is there.",
      {"conoscope dataset info tabular_toy --param delta=0.75",
       "conoscope dataset info table --param table=wine.csv --param target=class"});
  add_loading(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto quarantine = open_quarantine(options);
  const auto plugin = wanted_dataset(options, quarantine, "dataset info");
  const auto params = options.params();
  std::string missing;
  for (const auto& parameter : plugin.metadata->parameters)
    if (!parameter.standard &&
        std::ranges::find(params, parameter.name, &decltype(params)::value_type::first) ==
            params.end())
      missing += " --param " + parameter.name + "=...";
  if (!missing.empty()) {
    print_about(plugin, format);
    std::cerr << "not loaded: that takes" << missing << '\n';
    return kOk;
  }
  const auto component = component_of(plugin, params, quarantine);
  print_about(plugin, format);
  return with_loaded(component, options, [&](const core::LoadedDataset& loaded) -> ExitCode {
    const auto bag = core::ArrayBag::open(loaded.artifact());
    std::cout << '\n' << results::to_text(array_table(bag), format);
    const auto classes = class_table(bag);
    if (!classes.rows.empty()) std::cout << '\n' << results::to_text(classes, format);
    results::Table texts{{{"text"}, {"value"}}, {}};
    for (const auto& [key, value] : bag.texts()) texts.add({key, value});
    if (!texts.rows.empty()) std::cout << '\n' << results::to_text(texts, format);
    return kOk;
  });
}

int export_dataset(const Arguments& arguments) {
  Options options(
      "dataset export ID|FILE -o FILE.npz|FOLDER [options]",
      "Loads a dataset in a worker and writes its arrays: as one .npz file, or as .npy files in\n"
      "a folder of their own. Its texts are in the member or file texts.tsv.",
      {"conoscope dataset export tabular_toy --seed 3 -o toy.npz",
       "conoscope dataset export digits --param task=attributes -o digits/",
       "python3 -c 'import numpy; print(numpy.load(\"toy.npz\")[\"concepts\"].mean(0))'"});
  add_loading(options);
  options.add()("output,o", po::value<std::string>()->value_name("PATH"),
                "where to write; a name that ends with .npz is a file (replaced if it is there), "
                "any other a folder (new or empty)");
  if (!options.parse(arguments)) return kOk;
  const auto quarantine = open_quarantine(options);
  const auto plugin = wanted_dataset(options, quarantine, "dataset export");
  if (!options.has("output")) throw UsageError("dataset export: -o FILE.npz or FOLDER is missing");
  const fs::path target = options.get<std::string>("output");
  const bool file = target.extension() == ".npz";
  std::error_code error;
  if (!file && fs::exists(target, error) &&
      !(fs::is_directory(target, error) && fs::is_empty(target, error)))
    throw UsageError("-o " + target.string() + ": neither a .npz file nor an empty folder");
  const auto component = component_of(plugin, options.params(), quarantine);
  return with_loaded(component, options, [&](const core::LoadedDataset& loaded) -> ExitCode {
    try {
      if (file) {
        core::write_npz(loaded.artifact(), target);
      } else {
        fs::create_directories(target);
        fs::copy(loaded.artifact(), target);
      }
    } catch (const std::runtime_error& e) {
      std::cerr << "conoscope: " << e.what() << '\n';
      return kNotSaved;
    }
    const auto bag = core::ArrayBag::open(loaded.artifact());
    std::cerr << target.string() << ": " << joined(bag.names()) << '\n';
    return kOk;
  });
}

}  // namespace

int dataset_command(const Arguments& arguments) {
  constexpr Command kActions[] = {
      {"list", "the datasets of the search path", list_command},
      {"info", "what one says of itself, and what it holds", info_command},
      {"export", "its arrays as .npz or .npy files", export_dataset},
  };
  return run_action("dataset", kActions, arguments);
}

}  // namespace conoscope::app
