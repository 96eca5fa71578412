// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/measure.h"

#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/component_options.h"
#include "harness/app/folders.h"
#include "harness/app/metric_order.h"
#include "harness/app/plugin_access.h"
#include "harness/app/plugin_info.h"
#include "harness/app/print_measured.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/measure/record.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "harness/core/plan/controls.h"
#include "harness/core/run/loaded_dataset.h"
#include "harness/core/run/score_stage.h"
#include "metrics/catalogue.h"
#include "metrics/summaries/summary.h"
#include "results/report/explained_sample.h"
#include "results/store/error.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// What the arguments say: which metrics, and where the arrays are.
struct MeasureArguments {
  std::vector<std::string> metrics;          ///< names and groups
  std::vector<std::string> metric_plugins;   ///< ids and files, with parameters
  std::map<std::string, std::string> files;  ///< parameter of the dataset -> path
  std::vector<std::string> members;          ///< NAME=ARRAY
};

std::vector<std::string> array_names() {
  std::vector<std::string> names;
  for (const core::ViewArray& array : core::view_arrays())
    if (!array.words.empty()) names.emplace_back(array.name);
  return names;
}

std::string dashed(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', '-');
  return out;
}

/// What is no file's name may be a metric's.
bool is_there(const std::string& text) { return core::fault_of_path(text).empty(); }

void give(MeasureArguments& given, const std::string& name, const std::string& file) {
  if (const auto fault = core::fault_of_file(file); !fault.empty())
    throw UsageError(file + ": " + fault);
  if (!given.files.emplace(name, fs::absolute(file).string()).second)
    throw UsageError(name == "archive" ? file +
                                             ": a second file of several arrays; name those that "
                                             "are wanted of it, as in labels=" +
                                             file + ":y"
                                       : name + " is given twice");
}

/// FILE or FILE:ARRAY. A file whose own name has the colon wins.
void give_array(MeasureArguments& given, const std::string& name, const std::string& text) {
  const auto known = array_names();
  if (!core::contains(known, name))
    throw UsageError(text + ": no array is called " + name + core::did_you_mean(name, known));
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || is_there(text)) return give(given, name, text);
  give(given, name, text.substr(0, colon));
  given.members.push_back(name + "=" + text.substr(colon + 1));
}

/// A file by itself: of several arrays by their names, or of one that the file is named after.
void give_file(MeasureArguments& given, const std::string& file) {
  const std::string name = fs::path(file).filename().string();
  const auto ends = [&name](std::string_view suffix) { return name.ends_with(suffix); };
  if (ends(".npy") || ends(".csv") || ends(".csv.gz")) {
    const std::string stem = name.substr(0, name.find('.'));
    const auto known = array_names();
    if (!core::contains(known, stem))
      throw UsageError(file + ": which array is it? Write NAME=" + file + " with one of " +
                       boost::algorithm::join(known, ", "));
    return give(given, stem, file);
  }
  give(given, "archive", file);
}

bool looks_like_file(const std::string& text) {
  return is_there(text) || text.find_first_of("./") != text.npos;
}

/// A plugin's file or folder, or an id that a metric plugin of the search path has; with (NAME=VALUE)
/// or without.
bool is_metric_plugin(const std::string& text, const std::vector<std::string>& ids) {
  const std::string name = text.substr(0, text.find('('));
  if (core::contains(ids, name)) return true;
  return is_there(name) && (name.ends_with(".so") || name.ends_with(".py") ||
                            is_there((fs::path(name) / core::kPackageMain).string()));
}

[[noreturn]] void refuse_word(const std::string& text, const std::vector<std::string>& ids) {
  const auto& catalogue = metrics::catalogue();
  if (const auto settings = catalogue.settings_text(text); !settings.empty())
    throw UsageError("no metric " + text + ": " + settings);
  std::vector<std::string> known = ids;
  for (const auto& group : catalogue.groups()) known.emplace_back(group);
  for (const auto& metric : catalogue.metrics()) known.push_back(metric.name);
  throw UsageError("no metric, group, metric plugin or file " + text +
                   core::did_you_mean(text, known, "conoscope metric"));
}

MeasureArguments read_arguments(const Options& options, const core::Registry& registry) {
  MeasureArguments given;
  const auto& catalogue = metrics::catalogue();
  const auto ids = registry.ids(core::Kind::kMetric);
  for (const auto& text : options.list("what")) {
    const std::size_t equals = text.find('=');
    if (!catalogue.select(text).empty()) {
      given.metrics.push_back(text);
    } else if (is_metric_plugin(text, ids)) {
      given.metric_plugins.push_back(text);
    } else if (equals != text.npos && !is_there(text)) {
      give_array(given, text.substr(0, equals), text.substr(equals + 1));
    } else if (looks_like_file(text)) {
      give_file(given, text);
    } else {
      refuse_word(text, ids);
    }
  }
  for (const std::string& name : array_names())
    if (const std::string option = dashed(name); options.has(option))
      give_array(given, name, options.get<std::string>(option.c_str()));
  if (given.files.empty())
    throw UsageError("measure: no arrays; `conoscope measure --help` shows how to name them");
  return given;
}

/// Every built-in one that the names stand for, in the order of the boards; all, where none is named.
std::vector<std::string> metric_names(const MeasureArguments& given) {
  const auto& catalogue = metrics::catalogue();
  std::vector<std::string> chosen;
  for (const auto& name : given.metrics)
    for (const auto* metric : catalogue.select(name))
      if (!core::contains(chosen, metric->name)) chosen.push_back(metric->name);
  if (given.metrics.empty() && given.metric_plugins.empty())
    for (const auto& metric : catalogue.metrics())
      if (!metric.on_request) chosen.push_back(metric.name);
  return in_catalogue_order(chosen);
}

core::Component data_component(const core::Registry& registry, const MeasureArguments& given,
                               const Options& options) {
  const auto* plugin = registry.find(core::Kind::kDataset, "precomputed");
  if (plugin == nullptr)
    throw UsageError(
        "measure: the dataset precomputed, which reads the files, is not there; "
        "`conoscope plugin list` shows what was found where, and what was left out");
  require_usable(*plugin);
  core::Component out;
  out.plugin = *plugin;
  out.id = out.key = plugin->metadata->id;
  out.version = plugin->metadata->version;
  out.name = "measure";
  for (const auto& parameter : plugin->metadata->parameters) {
    core::Value value = *parameter.standard;
    if (const auto file = given.files.find(parameter.name); file != given.files.end())
      value = file->second;
    if (parameter.name == "members") value = given.members;
    if (parameter.name == "test_share") value = 0.5;  // two rows can be split; see measure()
    if (parameter.name == "output" || parameter.name == "pooling") try {
        value = parameter.check(options.get<std::string>(parameter.name.c_str()));
      } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
      }
    out.values.push_back(std::move(value));
  }
  return out;
}

std::optional<double> test_share(const Options& options) {
  if (!options.has("split")) return std::nullopt;
  const auto share = options.get<double>("split");
  if (!(share > 0.0 && share < 1.0))
    throw UsageError("--split: expected the share of rows to judge, above 0 and below 1");
  return share;
}

/// The metric plugins that are named.
/// throws  UsageError: a score of one is another's, too, or built in
std::vector<core::Component> metric_plugins(const MeasureArguments& given,
                                            const core::Registry& registry,
                                            const core::Quarantine& quarantine) {
  std::vector<core::Component> out;
  std::map<std::string, std::string> giver;
  for (const auto& text : given.metric_plugins) {
    out.push_back(component_from(text, core::Kind::kMetric, registry, quarantine));
    for (const auto& score : out.back().plugin.metadata->scores) {
      const bool built_in = metrics::catalogue().metric(score.name) != nullptr;
      const auto [other, fresh] = giver.emplace(score.name, text);
      if (built_in || !fresh)
        throw UsageError(text + ": its metric " + score.name + " is already " +
                         (built_in ? "a built-in one" : "one of " + other->second));
    }
  }
  return out;
}

std::vector<std::string> controls(const Options& options) {
  std::vector<std::string> out;
  for (const auto& list : options.list("control"))
    for (const auto& name : split_list(list)) {
      if (core::find_control(name) == nullptr)
        throw UsageError("--control: no control " + name +
                         core::did_you_mean(name, core::control_names()));
      if (name != "none" && !core::contains(out, name)) out.push_back(name);
    }
  return out;
}

/// Puts the scores into the store, into the run of all that was measured on this dataset.
void keep(const core::MeasureRequest& request, const core::Measured& measured,
          const Options& options) {
  const auto& name = options.get<std::string>("name");
  const auto& dataset = options.get<std::string>("dataset-name");
  const bool explained =
      std::ranges::any_of(measured.subjects, &core::MeasuredSubject::explanation);
  auto store = results::Store::open(options.store(), results::Mode::kReadWrite);
  core::record_measured(request, measured,
                        {"measure " + dataset, dataset, explained ? "files" : name, name}, store);
  std::cerr << "kept in " << options.store().string() << " as " << name << '\n';
}

/// The name of the metric that --picture is drawn from; empty: it is not asked for.
std::string explained_metric(const Options& options) {
  if (options.has("sample") != options.has("picture"))
    throw UsageError("measure: --sample N and --picture FILE.svg go together");
  if (!options.has("picture")) return "";
  const fs::path path = options.get<std::string>("picture");
  if (path.extension() != ".svg")
    throw UsageError("--picture " + path.string() + ": a name that ends with .svg");
  return "explained_samples(sample=" + std::to_string(options.number("sample", 0)) + ")";
}

/// What --picture is drawn from.
struct Explained {
  std::vector<results::ExplainedPanel> panels;
  std::string why = "there is no explanation of a head view";  ///< where there is no panel
};

/// Takes the metric of --picture out of the scores.
Explained take_explained(core::Measured& measured, const std::string& metric) {
  const results::SummaryShape shape{metric, metrics::find_summary("explained_samples")->columns};
  Explained out;
  for (core::MeasuredSubject& subject : measured.subjects) {
    const auto score = std::ranges::find(subject.scores, metric, &core::MeasuredScore::metric);
    if (score == subject.scores.end()) continue;
    const bool twin = subject.control != "none";
    if (!score->parts.empty())
      out.panels.push_back({twin ? subject.name + ", its twin: " + subject.control : subject.name,
                            results::explained_samples(score->parts, shape).at(0)});
    else if (!score->scores.empty())
      out.why = score->scores[0].message;
    subject.scores.erase(score);
  }
  std::erase_if(measured.missing, [&metric](const auto& one) { return one.metric == metric; });
  return out;
}

void draw(const Explained& explained, const core::AxisNames& names, const fs::path& path) {
  results::PictureSheet sheet;
  results::CellData data;
  if (names.given.contains("output")) data.classes = names.of.at("output");
  replace_file(path, results::explained_sample_svg(explained.panels, data, sheet, true));
}

/// Before anything is fitted, so that no work is lost because a folder is missing.
void check_outputs(const Options& options) {
  if (options.has("save-explanations")) make_folder(options.get<std::string>("save-explanations"));
  for (const char* option : {"per-sample", "picture"}) {
    if (!options.has(option)) continue;
    const fs::path file = options.get<std::string>(option);
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (const auto fault = core::fault_of_folder(folder); !fault.empty())
      throw results::StoreError(
          results::StoreProblem::cannot_open,
          std::string("--") + option + " " + file.string() + ": " + folder.string() + ": " + fault);
  }
}

void add_options(Options& options) {
  options.positional("what", -1);
  options.real("split", "SHARE", "judge this share of every class, train on the rest");
  options.integer("seed", "N", "of splits, fits and metrics that draw", 0);
  options.integer(
      "splits", "N",
      "split N times: values are means with 95 % intervals; metrics over seeds compare what is "
      "fitted to each split",
      1);
  options.texts("explain", "METHOD,...",
                "also fit these explainers to the head view and judge them, as svd or svd(k=3)");
  auto known = core::control_names();
  known.erase(known.begin());  // the explanation itself
  const std::string names = boost::algorithm::join(known, ", ");
  options.texts("control", "NAME,...", "also judge controls of every explanation: " + names);
  options.integer("sample", "N", "with --picture: of the rows that are judged the one to explain");
  options.text("picture", "FILE.svg", "draw how each explanation makes the answer for --sample N");
  options.flag("per-concept", "also print what a number is made of: concepts, classes, codes");
  options.text("per-sample", "OUT.npz", "save the parts of every number that is a mean over rows");
  options.text("output", "KIND", "what the head's outputs mean: softmax, sigmoid or regression",
               "softmax");
  options.text("pooling", "KIND", "between activations and head: mean, none, flatten, or auto",
               "auto");
  options.text("save-explanations", "DIR",
               "keep what was fitted (of the first split), a METHOD.npz each");
  options.text(
      "name", "NAME",
      "keep the scores in the store, where boards and compare find them: the explanation, or "
      "else the model, under this name");
  options.text("dataset-name", "NAME", "with --name: what boards call the rows", "files");
  options.with_store();
  for (const std::string& name : array_names())
    options.text(dashed(name), "FILE", std::string(core::view_array(name)->words));
  options.with_confinement();
  options.with_limits(600, 8192);
  options.with_plugins();
  options.with_format();
}

/// What is measured, and with which plugins.
core::MeasureRequest request_of(const MeasureArguments& given, const Options& options,
                                const core::Registry& registry,
                                const core::Quarantine& quarantine) {
  core::MeasureRequest request;
  request.metrics = metric_names(given);
  request.metric_plugins = metric_plugins(given, registry, quarantine);
  request.controls = controls(options);
  request.seed = options.get<std::int64_t>("seed");
  request.splits = static_cast<std::int64_t>(options.number("splits", 1, 1000));
  request.test_share = test_share(options);
  request.limits = options.limits();
  request.keep_hashes = options.has("name");
  if (options.has("save-explanations"))
    request.save_explanations = options.get<std::string>("save-explanations");
  request.data = data_component(registry, given, options);
  if (const auto* model = registry.find(core::Kind::kModel, "precomputed_concepts");
      model != nullptr && model->refusal.empty())
    request.concept_model = core::use_of(*model, {});
  for (const auto& list : options.list("explain"))
    for (const auto& text : split_list(list))
      request.explainers.push_back(
          component_from(text, core::Kind::kExplainer, registry, quarantine));
  return request;
}

}  // namespace

int measure_command(const Arguments& arguments) {
  Options options(
      "measure [GROUP|METRIC|PLUGIN]... FILE... [NAME=FILE[:ARRAY]]... [options]",
      "Scores arrays of your own, without a run file. FILE: .npz, .safetensors or HDF5 with "
      "arrays\n"
      "of the names below, or .npy or .csv called after its one array. NAME=FILE[:ARRAY]: one "
      "array\n"
      "by any name (:ARRAY: what it is called in its file; of a .csv file, its columns). Every\n"
      "metric whose needs are met is applied, or of those named every one; what is missing is\n"
      "listed with the array that would bring it. PLUGIN: a metric plugin of your own, its file "
      "or\n"
      "its id, as mine.py(k=3). Every row is judged and nothing is trained, unless the rows are\n"
      "split: --split, or train_index and test_index.",
      {"conoscope measure explained.npz", "conoscope measure surf explained.npz --per-concept",
       "conoscope measure --concept-scores c_hat.npy --concepts c.npy --labels y.npy",
       "conoscope measure dci_disentanglement codes.npy factors=factors.npy --split 0.5 --format "
       "json",
       "conoscope measure surf explained.npz --explain 'svd(k=3)',kmeans --splits 3",
       "conoscope measure stability explained.npz --explain 'svd(k=3)' --splits 3",
       "conoscope measure surf explained.npz --control random_concepts,random_importance",
       "conoscope measure surf my_metric.so explained.npz",
       "conoscope measure surf explained.npz --per-sample errors.npz",
       "conoscope measure surf explained.npz --explain svd,nmf --sample 17 --picture sample.svg",
       "conoscope measure surf explained.npz --explain svd --name mine --dataset-name digits"});
  add_options(options);
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();

  const auto quarantine = open_quarantine(options);
  const auto registry = scan_plugins(options, quarantine);
  const MeasureArguments given = read_arguments(options, registry);
  core::MeasureRequest request = request_of(given, options, registry, quarantine);
  const std::string explained_name = explained_metric(options);
  if (!explained_name.empty()) request.metrics.push_back(explained_name);
  std::vector<core::PluginFile> plugins = {request.data.plugin};
  for (const auto* list : {&request.explainers, &request.metric_plugins})
    for (const auto& component : *list) plugins.push_back(component.plugin);
  ask_for_access(plugins, options);

  check_outputs(options);
  const bool many = request.splits > 1 || !request.explainers.empty();
  core::Measured measured;
  try {
    measured = core::measure(request, core::Cache(options.cache()), [many](const auto& what) {
      if (many) std::cerr << what << '\n';
    });
  } catch (const core::DatasetNotLoaded& error) {
    std::cerr << "conoscope: " << error.what() << '\n';
    return error.plugin_at_fault() ? kPluginRefused : kUsage;
  } catch (const core::MeasureRefused& error) {
    throw UsageError(std::string("measure: ") + error.what());
  }
  std::cerr << measured.log;
  std::cerr << core::judged_rows(measured.train, measured.test)
            << (measured.drawn ? " (--split)\n" : "\n");
  const Explained explained = take_explained(measured, explained_name);
  const bool named = !given.metrics.empty() || !given.metric_plugins.empty();
  print_measured(measured, named, options.has("per-concept"), format);
  if (options.has("name") && !measured.subjects.empty()) keep(request, measured, options);
  bool saved = measured.unsaved.empty();
  for (const auto& why : measured.unsaved) std::cerr << "conoscope: " << why << '\n';
  if (options.has("per-sample"))
    saved = saved_or_not([&] {
              save_parts(measured, core::Cache(options.cache()),
                         options.get<std::string>("per-sample"));
            }) == kOk &&
            saved;
  if (options.has("picture") && explained.panels.empty())
    throw UsageError("--picture: " + explained.why);
  if (options.has("picture"))
    saved = saved_or_not([&] {
              draw(explained, measured.names, options.get<std::string>("picture"));
            }) == kOk &&
            saved;
  if (!saved) return kNotSaved;
  return measured.faults.empty() && !measured.subjects.empty() ? kOk : kSomeFailed;
}

}  // namespace conoscope::app
