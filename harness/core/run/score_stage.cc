#include "harness/core/run/score_stage.h"

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/callbacks.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/score_collector.h"
#include "harness/core/border/served_calls.h"
#include "harness/core/conformance/memory_growth.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/run/control.h"
#include "harness/core/run/score_built_in.h"
#include "harness/core/run/score_over_seeds.h"
#include "harness/core/run/subject.h"
#include "metrics/metric.h"

namespace conoscope::core {

namespace {

using metrics::Index;
using metrics::MatrixRef;

void send(const Reporter& report, const metrics::Score& score, bool parts) {
  const bool number = score.reason.empty();
  if (number && !std::isfinite(score.value))
    throw OutputFault(score.name + ": the score is not a finite number");
  report.score({score.name, number ? std::optional<double>(score.value) : std::nullopt,
                score.reason, score.message});
  if (parts)
    for (std::size_t i = 0; i < score.parts.size(); ++i) report.part(score.name, i, score.parts[i]);
}

/// A call that a model may refuse as not for such a one: then the score, not the cell, has no number.
template <typename Call>
metrics::Matrix of_this_model(const Call& call) {
  try {
    return call();
  } catch (const CallFault& e) {
    if (e.status() == CONO_NOT_APPLICABLE) throw metrics::NotApplicable(e.what());
    throw;
  }
}

/// The explanation, and its explainer where that answers more than its arrays say.
struct Explained {
  Explained(const Job& job, HostCalls& host);

  std::optional<ArrayBag> arrays;
  std::optional<ServedExplainer> explainer;
};

/// What is judged, and the plugins that answer for it.
struct Judged {
  Judged(const Job& job, HostCalls& host);
  void set_above();

  // First: its process has nothing in memory of what it is judged by.
  Explained explanation;
  ArrayBag dataset, model;
  TestSubject subject;
  std::optional<ServedModel> fitted;
};

Explained::Explained(const Job& job, HostCalls& host) {
  if (job.explanation.empty()) return;
  arrays.emplace(ArrayBag::open(job.explanation));
  // A linear explanation is all in its arrays, and one without that text is of an earlier version.
  if (job.explainer && arrays->text(kFunctionsText) != kNoFunctions)
    explainer.emplace(*job.explainer, *arrays, host);
}

Judged::Judged(const Job& job, HostCalls& host)
    : explanation(job, host),
      dataset(ArrayBag::open(job.dataset)),
      model(ArrayBag::open(job.model_folder)),
      subject(dataset, model, explanation.arrays ? &*explanation.arrays : nullptr) {
  if (auto& explainer = explanation.explainer) {
    decltype(metrics::Explanation::project) project;
    decltype(metrics::Explanation::reconstruct) reconstruct;
    if (explainer->answers_project())
      project = [&explainer](Index output, const MatrixRef& rows) {
        return explainer->project(output, rows);
      };
    if (explainer->answers_reconstruct())
      reconstruct = [&explainer](Index output, const MatrixRef& scores) {
        return explainer->reconstruct(output, scores);
      };
    subject.set_projection(std::move(project), std::move(reconstruct));
  }
  if (subject.explanation() != nullptr)
    apply_control(*subject.explanation(), job.control, sdk::Seed(job.control_seed));

  const bool from_pixels = !job.plugin && any_asks_for(job.metrics, "forward");
  const metrics::HeadView* const head = subject.views().head;
  const bool asks_head = !job.plugin && head != nullptr && any_asks_for(job.metrics, "head");
  // At the last layer the head view says all, and nobody calls.
  const bool calls_head = asks_head && !head->last_layer();
  if (asks_head) subject.set_above({});
  if (!job.model || (subject.views().concepts == nullptr && !from_pixels && !calls_head)) return;
  fitted.emplace(*job.model, model, from_pixels ? &dataset : nullptr, host);
  if (fitted->answers_intervene())
    subject.set_intervention([this](const MatrixRef& concepts) {
      return of_this_model([&] { return fitted->intervene(concepts); });
    });
  if (from_pixels) {
    const Forward forward = fitted->forward();
    decltype(metrics::ImageView::forward_gradient) gradient;
    if (forward.answers_gradient())
      gradient = [forward](const MatrixRef& pixels, const MatrixRef& cotangents) {
        return of_this_model([&] { return forward.gradient(pixels, cotangents); });
      };
    subject.add_images(dataset, forward, std::move(gradient));
  }
  if (calls_head) set_above();
}

void Judged::set_above() {
  if (!fitted->answers_head())
    throw LoadFault("the model's metadata offer head, but it has no " CONO_HEAD_INTERFACE);
  subject.set_above(fitted->above());
}

/// The built-in metrics of the job.
void apply_built_in(const Job& job, Judged& judged, HostCalls& host, const Reporter& report) {
  TestSubject& subject = judged.subject;
  if (any_asks_for(job.metrics, "train_head_view"))
    subject.add_train_head(judged.dataset, judged.model);
  if (any_asks_for(job.metrics, "train_concept_view"))
    subject.add_train_concepts(judged.dataset, judged.model);
  if (any_asks_for(job.metrics, "concept_view") || any_asks_for(job.metrics, "latent_view"))
    subject.add_concept_scores();
  if (any_asks_for(job.metrics, "inputs") && subject.views().images == nullptr)
    subject.add_images(judged.dataset, {});
  report.stage("score");
  metrics::Views views = subject.views();
  views.seed = job.seed;
  score_built_in(job.metrics, views, [&](const metrics::Score& score, bool by_sample) {
    if (host.cancelled()) throw CallFault(CONO_CANCELLED, "told to stop");
    send(report, score, job.sample_scores || !by_sample);
  });
}

/// One call of a metric plugin.
std::vector<metrics::Score> call_metric(const Instance<cono_metric>& instance,
                                        const Metadata& metadata, const ArrayBag& arrays,
                                        SubjectCallbacks& callbacks, HostCalls& host) {
  ScoreCollector collector(metadata);
  try {
    call_plugin(host, [&](const cono_host* raw) {
      return instance.table().score(instance.get(), arrays.raw(), callbacks.raw(), raw,
                                    collector.raw());
    });
  } catch (const CallFault& e) {
    if (!collector.fault.empty()) throw OutputFault(collector.fault);
    if (!callbacks.fault().empty())
      throw CallFault(e.status(), e.what() + (": " + callbacks.fault()));
    // Said of all that it had not given yet.
    if (e.status() == CONO_UNDEFINED)
      collector.give_rest("undefined", e.what());
    else if (e.status() == CONO_NOT_APPLICABLE)
      collector.give_rest("not_applicable", e.what());
    else
      throw;
  }
  if (!collector.fault.empty()) throw OutputFault(collector.fault);
  return collector.scores;
}

/// The job's metric plugin.
void apply_plugin(const Job& job, Judged& judged, HostCalls& host, const Reporter& report) {
  TestSubject& subject = judged.subject;
  report.stage("load");
  const ReadyPlugin<cono_metric> metric(*job.plugin, host);
  if (job.trial == trial::kLoad) return;
  report.stage("score");
  const auto& needs = metric.metadata.needs;
  if (asks_for(needs, "concept_view") || asks_for(needs, "latent_view"))
    subject.add_concept_scores();
  // Which annotations an archive holds is known only now.
  for (const char* name : {"labels", "targets", "concepts", "factors"}) {
    if (!asks_for(needs, name) || subject.arrays().find(name)) continue;
    for (const ScoreSpec& spec : metric.metadata.scores)
      report.score({spec.name, std::nullopt, "not_applicable",
                    "needs " + std::string(metrics::need_text(name))});
    return;
  }
  SubjectCallbacks callbacks(subject.views());
  ArrayBag arrays;
  arrays.borrow_missing(subject.arrays());
  alter_input(arrays, job.trial);
  const auto given = call_metric(metric.instance, metric.metadata, arrays, callbacks, host);
  if (job.trial == trial::kMemory)
    measure_growth(
        [&] {
          const Instance<cono_metric> fresh(metric.plugin.table<cono_metric>(), metric.params,
                                            host);
          call_metric(fresh, metric.metadata, arrays, callbacks, host);
        },
        job.trial_seconds);
  for (const auto& one : given) send(report, one, job.sample_scores);
}

/// For the log, which is kept with the scores.
void tell_judged_rows(const ArrayBag& dataset) {
  const auto rows = [&dataset](const char* name) {
    const auto index = dataset.find(name);
    return index ? index->rows() : 0;
  };
  std::cerr << judged_rows(rows("train_index"), rows("test_index")) << '\n';
}

}  // namespace

std::string judged_rows(std::int64_t train, std::int64_t test) {
  const std::string count = std::to_string(test) + (test == 1 ? " row is" : " rows are");
  if (train == 0) return "all " + count + " judged";
  return count + " judged, " + std::to_string(train) + " trained on";
}

void score(const Job& job, HostCalls& host, const Reporter& report) {
  report.stage("open");
  if (!job.peers.empty())
    return score_over_seeds(
        job, [&](const metrics::Score& score) { send(report, score, true); },
        [&] { report.stage("score"); });
  Judged judged(job, host);
  if (job.plugin) return apply_plugin(job, judged, host, report);
  tell_judged_rows(judged.dataset);
  apply_built_in(job, judged, host, report);
}

void check_scores(const Job& job, const std::vector<results::ScoreRow>& scores) {
  const Metadata metadata = metadata_in(job.plugin->file);
  for (const auto& score : scores)
    if (const auto why = score_refusal(metadata, score.metric, score.value, score.reason);
        !why.empty())
      throw OutputFault(why);
}

}  // namespace conoscope::core
