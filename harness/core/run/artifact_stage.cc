#include "harness/core/run/artifact_stage.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/callbacks.h"
#include "harness/core/border/calls.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/process_arrays.h"
#include "harness/core/border/served_calls.h"
#include "harness/core/conformance/head_trial.h"
#include "harness/core/conformance/memory_growth.h"
#include "harness/core/conformance/toy_subject.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/names.h"
#include "harness/core/plan/controls.h"
#include "harness/core/run/subject.h"

namespace conoscope::core {

namespace fs = std::filesystem;

fs::path again_folder(const Job& job) { return job.work / "again" / "artifact"; }

namespace {

/// Why the call failed, the host's own reason first: a full disk is not the plugin's fault.
[[noreturn]] void rethrow(const CallFault& fault, const ArtifactWriter& writer) {
  if (writer.disk_fault()) throw std::runtime_error(writer.fault());
  if (!writer.fault().empty()) throw OutputFault(writer.fault());
  throw fault;
}

/// Calls fit (or load) of the stage's table with a sink on `folder`.
template <typename Call>
void produce(const fs::path& folder, HostCalls& host, Call&& call) {
  ArtifactWriter writer(folder);
  try {
    call_plugin(host, [&](const cono_host* raw) { return call(raw, writer.sink()); });
  } catch (const CallFault& fault) {
    rethrow(fault, writer);
  }
  // A plugin may have overlooked that it got no array; an artifact without it must not be kept.
  if (writer.disk_fault()) throw std::runtime_error(writer.fault());
  writer.finish();
}

/// The plugin's one call that makes an artifact; in the memory trial many times, each on an
/// instance of its own.
template <typename Table, typename Call>
void produce_with(const Job& job, const ReadyPlugin<Table>& ready, HostCalls& host,
                  const fs::path& folder, Call&& call) {
  produce(folder, host, [&](const cono_host* raw, const cono_sink* sink) {
    return call(ready.instance, raw, sink);
  });
  if (job.trial != trial::kMemory) return;
  measure_growth(
      [&] {
        const Instance<Table> fresh(ready.plugin.template table<Table>(), ready.params, host);
        const fs::path again = again_folder(job);
        produce(again, host, [&](const cono_host* raw, const cono_sink* sink) {
          return call(fresh, raw, sink);
        });
        fs::remove_all(again);
      },
      job.trial_seconds);
}

/// What an explainer may call of the model while it is fitted, each where the job says so.
struct ModelFunctions {
  std::optional<Forward> forward;
  metrics::HeadCalls head;
};

/// The explainer's fit: with the model at hand where both sides know how.
void explain(const Job& job, const ReadyPlugin<cono_explainer>& ready, HostCalls& host,
             const fs::path& folder, const ArrayBag& input, const ModelFunctions& functions) {
  const auto with_model =
      ready.plugin.optional_table<cono_explainer_model>(CONO_EXPLAINER_MODEL_INTERFACE);
  std::optional<ModelCallback> called;
  if (with_model && (functions.forward || functions.head.outputs))
    called.emplace(functions.forward, functions.head, HeadShape::of(input));
  try {
    produce_with(
        job, ready, host, folder,
        [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
          const cono_status status =
              called ? with_model->fit(instance.get(), input.raw(), called->raw(), raw, sink)
                     : instance.table().fit(instance.get(), input.raw(), raw, sink);
          if (status == CONO_OK)
            sink->text(sink->self, kFunctionsText, functions_text(instance.table()).c_str());
          return status;
        });
  } catch (const CallFault& e) {
    if (called && !called->fault().empty())
      throw CallFault(e.status(), e.what() + (": " + called->fault()));
    throw;
  }
}

using Folders = std::vector<fs::path>;

void load_dataset(const Job& job, HostCalls& host, const Reporter& report, const Folders& folders) {
  for (const fs::path& folder : folders) {
    report.stage("load");
    const ReadyPlugin<cono_dataset> ready(*job.plugin, host);
    if (job.trial == trial::kLoad) return;
    report.stage("load data");
    produce_with(job, ready, host, folder,
                 [](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                   return instance.table().load(instance.get(), raw, sink);
                 });
  }
}

/// The arrays that a plugin has left.
/// throws  OutputFault
ArrayBag left_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!fs::is_regular_file(entry.symlink_status()) || entry.hard_link_count() != 1)
      throw OutputFault("left what is no array: " + name);
    if (!is_plain_name(entry.path().stem().string()))
      throw OutputFault("left a file whose name is not of letters, digits, _ and .: " + name);
  }
  return ArrayBag::open_fresh(folder);
}

/// The trials of what a model answers after its fit.
void try_model(const Job& job, HostCalls& host, const Reporter& report, const fs::path& folder,
               const ArrayBag& dataset) {
  if (job.trial != trial::kHead && job.trial != trial::kRedrawnHead &&
      job.trial != trial::kForward && job.trial != trial::kIntervene)
    return;
  const ArrayBag model = left_in(folder);
  const Metadata metadata = metadata_in(job.plugin->file);
  check_model(model, dataset, metadata);
  if (job.trial == trial::kHead || job.trial == trial::kRedrawnHead) {
    report.stage("head");
    const auto check = job.trial == trial::kHead ? check_head : check_redrawn_head;
    return check(*job.plugin, host, model);
  }
  FittedModel fitted(*job.plugin, model, host);
  if (job.trial == trial::kForward)
    try_forward(fitted, metadata, dataset, model, report);
  else
    try_intervention(fitted, model, report);
}

void fit_model(const Job& job, HostCalls& host, const Reporter& report, const Folders& folders) {
  ArrayBag dataset;
  if (job.trial != trial::kLoad) dataset = ArrayBag::open(job.dataset);
  alter_input(dataset, job.trial, false);
  for (const fs::path& folder : folders) {
    report.stage("load");
    const ReadyPlugin<cono_model> ready(*job.plugin, host);
    if (job.trial == trial::kLoad) return;
    report.stage("fit");
    produce_with(job, ready, host, folder,
                 [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                   return instance.table().fit(instance.get(), dataset.raw(), raw, sink);
                 });
  }
  try_model(job, host, report, folders.back(), dataset);
}

/// The same arrays in memory that holds nothing else: large ones are mapped from files that are gone.
/// folder  is made, and removed
ArrayBag apart(const ArrayBag& bag, const fs::path& folder) {
  fs::create_directory(folder);
  for (const std::string& name : bag.names())
    write_array(folder / (name + ".npy"), bag.get(name).raw());
  std::ofstream(folder / kTextsFile);  // a bag that is opened has some
  ArrayBag out = ArrayBag::open_fresh(folder);
  out.copy_texts(bag);
  fs::remove_all(folder);
  return out;
}

/// All that an explainer is given, and who answers when it calls the model.
class Given {
 public:
  /// First, because a process that has loaded a plugin may start no other.
  Given(const Job& job, HostCalls& host);
  /// Whose metadata these are. Nothing else of the dataset and of the model is left in memory that it
  /// can read.
  void gather(const Job& job, const Metadata& explainer);

  const ArrayBag& input() const { return input_; }
  const ModelFunctions& functions() const { return functions_; }

 private:
  void set_functions(const Job& job);

  ArrayBag dataset_, model_, input_;
  std::optional<ServedModel> served_, redrawn_;
  ModelFunctions functions_;
};

Given::Given(const Job& job, HostCalls& host)
    : dataset_(ArrayBag::open(job.dataset)), model_(ArrayBag::open(job.model_folder)) {
  if (job.model)
    served_.emplace(*job.model, model_, contains(job.calls, "forward") ? &dataset_ : nullptr, host);
  if (!job.redrawn || !model_.find("logits")) return;
  redrawn_.emplace(*job.redrawn, model_, nullptr, host, job.control_seed);
  if (!redrawn_->answers_head() || !redrawn_->answers_vjp())
    throw LoadFault(
        "the model's metadata offer redrawn_head, but it has no " CONO_REDRAWN_HEAD_INTERFACE
        " with head and vjp");
}

void Given::gather(const Job& job, const Metadata& explainer) {
  if (control_named(job.control).moves_samples() &&
      (asks_for(explainer.needs, "forward") || asks_for(explainer.needs, "segments")))
    throw CallFault(CONO_NOT_APPLICABLE,
                    job.control + " moves the activations that are given, and " + explainer.id +
                        " also reads those of segments or of images that it makes");
  if (redrawn_) functions_.head = redrawn_->above();
  input_ = make_explainer_input(dataset_, model_, job.control, sdk::Seed(job.control_seed),
                                redrawn_ ? &functions_.head : nullptr);
  // The program of a process plugin has memory of its own in any case. Not in the folder of the job,
  // where all counts as written by the plugin.
  const bool is_library = job.plugin->command.empty();
  if (is_library) input_ = apart(input_, job.work.string() + ".given");
  alter_input(input_, job.trial);
  set_functions(job);
  if (is_library) dataset_ = ArrayBag(), model_ = ArrayBag();
}

void Given::set_functions(const Job& job) {
  if (contains(job.calls, "forward"))
    functions_.forward = job.toy_model ? Forward(toy_forward, ForwardShape::of(dataset_, model_))
                                       : served_->forward();
  if (!contains(job.calls, "head"))
    functions_.head = {};
  else if (!model_.find("logits"))
    functions_.head = linear_head(input_);  // the last layer: the head view says all
  else if (!redrawn_ && !served_->answers_head())
    throw LoadFault("the model's metadata offer head, but it has no " CONO_HEAD_INTERFACE);
  else if (!redrawn_)
    functions_.head = served_->above();
}

void fit_explainer(const Job& job, HostCalls& host, const Reporter& report,
                   const Folders& folders) {
  Given given(job, host);
  report.stage("load");
  const Metadata metadata = metadata_in(job.plugin->file);
  report.stage("fit");  // the model answers from here on, too
  if (job.trial != trial::kLoad) given.gather(job, metadata);
  for (const fs::path& folder : folders) {
    report.stage("load");
    const ReadyPlugin<cono_explainer> ready(*job.plugin, host);
    if (job.trial == trial::kLoad) return;
    report.stage("fit");
    explain(job, ready, host, folder, given.input(), given.functions());
  }
  if (job.trial != trial::kProject && job.trial != trial::kReconstruct) return;
  const ArrayBag explanation = left_in(folders.back());
  check_explanation(explanation, given.input());
  FittedExplainer fitted(*job.plugin, explanation, host);
  try_explainer(fitted, given.input(), job.trial, report);
}

}  // namespace

void make_artifact(const Job& job, HostCalls& host, const Reporter& report,
                   const std::vector<fs::path>& folders) {
  report.stage("open");  // "load" is the job's own plugin alone: who dies in it is quarantined
  switch (job.stage) {
    case Stage::kDataset:
      return load_dataset(job, host, report, folders);
    case Stage::kModel:
      return fit_model(job, host, report, folders);
    case Stage::kExplain:
      return fit_explainer(job, host, report, folders);
    case Stage::kScore:
      break;
  }
  throw std::logic_error("make_artifact: a score job makes none");
}

void check_artifact(const Job& job, const fs::path& folder) {
  const ArrayBag artifact = left_in(folder);
  if (job.stage == Stage::kDataset)
    check_dataset(artifact, metadata_in(job.plugin->file));
  else if (job.stage == Stage::kModel) {
    ArrayBag dataset = ArrayBag::open_fresh(job.dataset);
    alter_input(dataset, job.trial, false);
    check_model(artifact, dataset, metadata_in(job.plugin->file));
  } else
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

}  // namespace conoscope::core
