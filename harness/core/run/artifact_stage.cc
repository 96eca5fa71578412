// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/artifact_stage.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/exchange_folder.h"
#include "harness/core/border/fitted_plugin.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/names.h"
#include "harness/core/plan/controls.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/run/subject.h"

namespace conoscope::core {

namespace fs = std::filesystem;

ArrayBag left_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!fs::is_regular_file(entry.symlink_status()) || entry.hard_link_count() != 1)
      throw OutputFault("left what is no array: " + name);
    if (!is_plain_name(entry.path().stem().string()))
      throw OutputFault("left a file whose name is not of letters, digits, _ and .: " + name);
  }
  try {
    return ArrayBag::open_fresh(folder);
  } catch (const DamagedArtifact&) {
    throw OutputFault("left no finished artifact");
  }
}

ArrayBag input_of(const Job& job, const fs::path& artifact) {
  return ArrayBag::open(artifact, HashedFiles(job.hashed_files));
}

namespace {

/// Where the plugin leaves its arrays, and once more.
std::vector<fs::path> folders_of(const Job& job) {
  std::vector<fs::path> out = {job.work / "artifact"};
  if (job.repeat) out.push_back(job.work / "again" / "artifact");
  for (const auto& folder : out) fs::create_directories(folder);
  return out;
}

/// Calls the job's plugin, each time on an instance of its own.
void call_plugin_of(const Job& job, const Host& host, const Reporter& report,
                    const ArrayBag& arrays, const char* verb, const HostFunctions& offered = {}) {
  const auto folders = folders_of(job);
  report.stage("load");
  PluginProcess plugin(*job.plugin, host, arrays);
  for (const fs::path& folder : folders) {
    report.stage("load");
    plugin.create();
    report.stage(verb);
    plugin.make(folder, offered);
  }
  plugin.end();
}

/// The same arrays in memory that holds nothing else: large ones are mapped from files that are gone.
/// folder  is made, and removed
ArrayBag apart(const ArrayBag& bag, const fs::path& folder) {
  {
    const ExchangeFolder files(folder);
    for (const std::string& name : bag.names()) files.write(name + ".npy", bag.get(name).raw());
  }
  std::ofstream(folder / kTextsFile);  // a bag that is opened has some
  ArrayBag out = ArrayBag::open_fresh(folder);
  out.copy_texts(bag);
  fs::remove_all(folder);
  return out;
}

/// All that an explainer is given, and who answers when it calls the model.
class Given {
 public:
  Given(const Job& job, const Host& host);
  /// Nothing else of the dataset and of the model is left in memory afterwards.
  void gather(const Job& job);

  const ArrayBag& input() const { return input_; }
  const HostFunctions& functions() const { return functions_; }

 private:
  void offer_model(const Job& job, const metrics::HeadCalls& redrawn);

  ArrayBag dataset_, model_, input_;
  std::optional<FittedPlugin> served_, redrawn_;
  HostFunctions functions_;
};

Given::Given(const Job& job, const Host& host)
    : dataset_(input_of(job, job.dataset)), model_(input_of(job, job.model_folder)) {
  Extents extents = Extents::of_arrays(model_);
  extents.add(Extents::of_arrays(dataset_));
  if (job.model) served_.emplace(*job.model, Kind::kModel, host, model_, extents);
  if (!job.redrawn || !model_.find("logits")) return;
  Host other = host;
  other.seed = job.control_seed;
  redrawn_.emplace(*job.redrawn, Kind::kModel, other, model_, extents);
  if (!redrawn_->answers("redrawn_head") || !redrawn_->answers("redrawn_vjp"))
    throw LoadFault(
        "the model's metadata offer redrawn_head, but it has no " CONO_REDRAWN_HEAD_INTERFACE
        " with head and vjp");
}

void Given::gather(const Job& job) {
  const Metadata explainer = metadata_in(job.plugin->file);
  if (control_named(job.control).moves_samples() &&
      (asks_for(explainer.needs, "forward") || asks_for(explainer.needs, "segments")))
    throw CallFault(CONO_NOT_APPLICABLE,
                    job.control + " moves the activations that are given, and " + explainer.id +
                        " also reads those of segments or of images that it makes");
  if (control_named(job.control).trains_twin && !contains(explainer.offers, "dictionary"))
    throw CallFault(CONO_NOT_APPLICABLE, job.control +
                                             " is the twin of a dictionary that is learnt, which " +
                                             explainer.id + " does not offer");
  metrics::HeadCalls redrawn;
  if (redrawn_) redrawn = redrawn_->head("redrawn_head", "redrawn_vjp");
  input_ = make_explainer_input(dataset_, model_, job.control, sdk::Seed(job.control_seed),
                                redrawn_ ? &redrawn : nullptr);
  if (asks_for(explainer.needs, "truth")) add_truth(dataset_, input_);
  // A script has memory of its own in any case. Not in the folder of the job, where all counts as
  // written by the plugin.
  const bool is_library = job.plugin->command.empty();
  if (is_library) input_ = apart(input_, job.work.string() + ".given");
  offer_model(job, redrawn);
  if (is_library) dataset_ = ArrayBag(), model_ = ArrayBag();
}

void Given::offer_model(const Job& job, const metrics::HeadCalls& redrawn) {
  metrics::HeadCalls above;
  if (contains(job.calls, "head")) {
    if (!model_.find("logits"))
      above = linear_head(input_);  // the last layer: the head view says all
    else if (redrawn_)
      above = redrawn;
    else if (served_->answers("head"))
      above = served_->head("head", "vjp");
    else
      throw LoadFault("the model's metadata offer head, but it has no " CONO_HEAD_INTERFACE);
  }
  functions_ = model_functions(above, Extents::of_arrays(input_));
  if (!contains(job.calls, "forward")) return;
  served_->require_forward();
  functions_.answers["forward"] = [this](metrics::Index, const auto& in) {
    return served_->call("forward", {in[0]});
  };
}

void fit_explainer(const Job& job, const Host& host, const Reporter& report) {
  Given given(job, host);
  report.stage("fit");  // the model answers from here on, too
  given.gather(job);
  call_plugin_of(job, host, report, given.input(), "fit", given.functions());
}

void check_artifact(const Job& job, const fs::path& folder) {
  const ArrayBag artifact = ArrayBag::open_fresh(folder);
  if (job.stage == Stage::kDataset)
    check_dataset(artifact, metadata_in(job.plugin->file));
  else if (job.stage == Stage::kModel)
    check_model(artifact, ArrayBag::open_fresh(job.dataset), metadata_in(job.plugin->file));
  else
    check_explanation(artifact, ArrayBag::open_fresh(job.model_folder));
}

void compare_artifacts(const fs::path& folder, const fs::path& again) {
  const auto content = [](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename();
    if (content(entry.path()) != content(again / name))
      throw OutputFault("not deterministic: two fits with the same seed differ in " +
                        name.stem().string());
  }
}

}  // namespace

std::vector<ManifestEntry> make_artifact(const Job& job, const Host& host, const Reporter& report) {
  report.stage("open");  // "load" is the job's own plugin alone: who dies in it is quarantined
  switch (job.stage) {
    case Stage::kDataset:
      call_plugin_of(job, host, report, ArrayBag(), "load data");
      break;
    case Stage::kModel:
      call_plugin_of(job, host, report, input_of(job, job.dataset), "fit");
      break;
    case Stage::kExplain:
      fit_explainer(job, host, report);
      break;
    case Stage::kScore:
      throw std::logic_error("make_artifact: a score job makes none");
  }
  end_own_children();  // what the plugin has left running
  std::vector<ManifestEntry> passed_on;
  const auto folders = folders_of(job);
  for (const fs::path& folder : folders) {
    left_in(folder);
    if (job.stage == Stage::kModel)
      passed_on = pass_on_arrays(job.dataset, metadata_in(job.plugin->file).passes_on, folder);
  }
  check_artifact(job, folders[0]);
  if (job.repeat) compare_artifacts(folders[0], folders[1]);
  return passed_on;
}

}  // namespace conoscope::core
