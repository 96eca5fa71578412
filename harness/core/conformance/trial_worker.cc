// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/conformance/head_trial.h"
#include "harness/core/conformance/memory_growth.h"
#include "harness/core/conformance/toy_subject.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/run/artifact_stage.h"
#include "harness/core/run/score_stage.h"
#include "harness/core/run/subject.h"
#include "harness/core/run/worker.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;
using metrics::Index;
using metrics::Matrix;

/// A plugin on the toy: what it is given, and how that goes.
class Trial {
 public:
  Trial(const Job& job, const Host& host, const Reporter& report, std::string trial, double seconds)
      : job_(job),
        host_(host),
        report_(report),
        trial_(std::move(trial)),
        seconds_(seconds),
        metadata_(metadata_in(job.plugin->file)),
        folder_(job.work / "artifact"),
        again_(job.work / "again" / "artifact") {
    for (const fs::path& folder : {folder_, again_}) fs::create_directories(folder);
    if (trial_ == trial::kCancelled) host_.cancelled = [] { return true; };
  }

  void run() {
    report_.stage("open");
    if (trial_ != trial::kLoad) gather();
    if (!missing_.empty()) {
      report_.stage("score");
      for (const ScoreSpec& spec : metadata_.scores)
        report_.score({spec.name, std::nullopt, "not_applicable", missing_});
      return;
    }
    report_.stage("load");
    {
      PluginProcess plugin(*job_.plugin, host_, input_);
      plugin.create();
      if (trial_ != trial::kLoad) call(plugin);
      plugin.end();
    }
    end_own_children();
    if (trial_ == trial::kLoad || metadata_.kind == Kind::kMetric) return;
    ArrayBag left = left_in(folder_);
    // What is passed on is the host's to check, as it was before the trial spoilt it.
    const ArrayBag& given = trial_ == trial::kNan ? dataset_ : input_;
    for (const std::string& name : metadata_.passes_on)
      if (const auto array = given.find(name); array && !left.find(name))
        left.add(name, array->raw());
    check(left);
    try_functions(left);
  }

 private:
  void gather() {
    if (metadata_.kind == Kind::kDataset) return;
    dataset_ = ArrayBag::open(job_.dataset);
    if (metadata_.kind == Kind::kModel) {
      input_.borrow_missing(dataset_);
      input_.copy_texts(dataset_);
    } else {
      model_ = ArrayBag::open(job_.model_folder);
      if (metadata_.kind == Kind::kExplainer)
        gather_for_explainer();
      else
        gather_for_metric();
    }
    alter_input(input_, trial_, metadata_.kind != Kind::kModel);
  }

  void gather_for_explainer() {
    input_ = make_explainer_input(dataset_, model_);
    offered_ = model_functions(
        asks_for(metadata_.needs, "head") ? linear_head(input_) : metrics::HeadCalls(),
        Extents::of_arrays(input_));
    if (!asks_for(metadata_.needs, "forward")) return;
    offered_.answers["forward"] = [extents = offered_.extents](Index, const auto& in) {
      const auto from = extents.shape("m ...", in[0].rows()),
                 to = extents.shape("m P D", in[0].rows());
      Matrix out = matrix_of(to, "m P D");
      cono_tensor activations = sdk::make_tensor(out.data(), CONO_F64, to);
      toy_forward(sdk::make_tensor(const_cast<double*>(in[0].data()), CONO_F64, from), activations);
      return out;
    };
  }

  void gather_for_metric() {
    if (!job_.explanation.empty()) explanation_ = ArrayBag::open(job_.explanation);
    subject_.emplace(dataset_, model_, job_.explanation.empty() ? nullptr : &explanation_);
    input_ = metric_input(*subject_, metadata_);
    missing_ = missing_annotation(metadata_, input_);
    offered_ = subject_functions(subject_->views(), Extents::of_arrays(input_));
  }

  void call(PluginProcess& plugin) {
    const bool metric = metadata_.kind == Kind::kMetric;
    const char* const verb = metric                             ? "score"
                             : metadata_.kind == Kind::kDataset ? "load data"
                                                                : "fit";
    report_.stage(verb);
    if (metric) {
      for (const auto& given : plugin.score(offered_))
        report_.score({given.name, given.reason.empty() ? std::optional(given.value) : std::nullopt,
                       given.reason, given.message});
    } else {
      plugin.make(folder_, offered_);
    }
    if (trial_ != trial::kMemory) return;
    measure_growth(
        plugin.pid(),
        [&] {
          plugin.create();
          if (metric) {
            plugin.score(offered_);
            return;
          }
          plugin.make(again_, offered_);
          fs::remove_all(again_);
        },
        seconds_);
  }

  void check(const ArrayBag& left) const {
    if (metadata_.kind == Kind::kDataset) check_dataset(left, metadata_);
    if (metadata_.kind == Kind::kModel) check_model(left, input_, metadata_);
    if (metadata_.kind == Kind::kExplainer) check_explanation(left, model_);
  }

  void try_functions(const ArrayBag& left) {
    const auto table = functions();
    if (std::ranges::find(table, trial_, &Function::name) == table.end()) return;
    if (trial_ == "head" || trial_ == "redrawn_head") {
      report_.stage(trial_);
      return (trial_ == "head" ? try_head : try_redrawn_head)(*job_.plugin, host_, left);
    }
    Extents extents = Extents::of_arrays(left);
    extents.add(Extents::of_arrays(input_));
    FittedPlugin fitted(*job_.plugin, metadata_.kind, host_, left, extents);
    try_function(trial_, fitted, left, input_, report_);
  }

  const Job& job_;
  Host host_;
  const Reporter& report_;
  const std::string trial_;
  const double seconds_;
  const Metadata metadata_;
  const fs::path folder_, again_;
  ArrayBag dataset_, model_, explanation_, input_;
  std::optional<JudgedSubject> subject_;
  HostFunctions offered_;
  std::string missing_;
};

}  // namespace

int run_trial(const fs::path& job_file, const std::string& trial, double seconds) {
  return work_in_worker(job_file, [&](const Job& job, const Host& host, const Reporter& report) {
    Trial(job, host, report, trial, seconds).run();
  });
}

}  // namespace conoscope::core
