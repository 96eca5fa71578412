// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/score_stage.h"

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/border/fitted_plugin.h"
#include "harness/core/border/library_server.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/run/artifact_stage.h"
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
  Explained(const Job& job, const Host& host);

  std::optional<ArrayBag> arrays;
  std::optional<FittedPlugin> explainer;
};

/// What is judged, and the plugins that answer for it.
struct Judged {
  Judged(const Job& job, const Host& host);

  // First: its process has nothing in memory of what it is judged by.
  Explained explanation;
  ArrayBag dataset, model;
  JudgedSubject subject;
  std::optional<FittedPlugin> fitted;
};

Explained::Explained(const Job& job, const Host& host) {
  if (job.explanation.empty()) return;
  arrays.emplace(input_of(job, job.explanation));
  // A linear explanation is all in its arrays, and one without that text is of an earlier version.
  if (job.explainer && arrays->text(kFunctionsText) != kNoFunctions)
    explainer.emplace(*job.explainer, Kind::kExplainer, host, *arrays, Extents::of_arrays(*arrays));
}

Judged::Judged(const Job& job, const Host& host)
    : explanation(job, host),
      dataset(input_of(job, job.dataset)),
      model(input_of(job, job.model_folder)),
      subject(dataset, model, explanation.arrays ? &*explanation.arrays : nullptr) {
  if (auto& explainer = explanation.explainer) {
    decltype(metrics::Explanation::project) project;
    decltype(metrics::Explanation::reconstruct) reconstruct;
    if (explainer->answers("project"))
      project = [&explainer](Index output, const MatrixRef& rows) {
        return explainer->call("project", {rows}, output);
      };
    if (explainer->answers("reconstruct"))
      reconstruct = [&explainer](Index output, const MatrixRef& scores) {
        return explainer->call("reconstruct", {scores}, output);
      };
    subject.set_projection(std::move(project), std::move(reconstruct));
  }
  subject.apply(job.control, sdk::Seed(job.control_seed));

  const bool from_pixels = !job.plugin && any_asks_for(job.metrics, "forward");
  const metrics::HeadView* const head = subject.views().head;
  const bool asks_head = !job.plugin && head != nullptr && any_asks_for(job.metrics, "head");
  const bool decodes =
      !job.plugin && subject.views().latent != nullptr && any_asks_for(job.metrics, "decode");
  // At the last layer the head view says all, and nobody calls.
  const bool calls_head = asks_head && !head->last_layer();
  if (asks_head) subject.set_above({});
  if (!job.model || (subject.views().concepts == nullptr && !from_pixels && !calls_head && !decodes))
    return;
  Extents extents = Extents::of_arrays(model);
  extents.add(Extents::of_arrays(dataset));
  fitted.emplace(*job.model, Kind::kModel, host, model, extents);
  if (fitted->answers("intervene"))
    subject.set_intervention([this](const MatrixRef& concepts, const MatrixRef& told) {
      return of_this_model([&] { return fitted->call("intervene", {concepts, told}); });
    });
  if (decodes && fitted->answers("decode"))
    subject.set_decoder([this](const MatrixRef& codes) {
      return of_this_model([&] { return fitted->call("decode", {codes}); });
    });
  if (from_pixels) {
    fitted->require_forward();
    decltype(metrics::ImageView::forward_gradient) gradient;
    if (fitted->answers("forward_gradient"))
      gradient = [this](const MatrixRef& pixels, const MatrixRef& cotangents) {
        return of_this_model([&] {
          return fitted->call("forward_gradient", {pixels, cotangents});
        });
      };
    subject.add_images(
        dataset, [this](const MatrixRef& pixels) { return fitted->call("forward", {pixels}); },
        std::move(gradient));
  }
  if (!calls_head) return;
  if (!fitted->answers("head"))
    throw LoadFault("the model's metadata offer head, but it has no " CONO_HEAD_INTERFACE);
  subject.set_above(fitted->head("head", "vjp"));
}

/// The built-in metrics of the job.
void apply_built_in(const Job& job, Judged& judged, const Host& host, const Reporter& report) {
  JudgedSubject& subject = judged.subject;
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

/// The job's metric plugin.
void apply_plugin(const Job& job, Judged& judged, const Host& host, const Reporter& report) {
  report.stage("score");
  const Metadata metadata = metadata_in(job.plugin->file);
  const ArrayBag arrays = metric_input(judged.subject, metadata);
  if (const std::string why = missing_annotation(metadata, arrays); !why.empty()) {
    for (const ScoreSpec& spec : metadata.scores)
      report.score({spec.name, std::nullopt, "not_applicable", why});
    return;
  }
  report.stage("load");
  PluginProcess metric(*job.plugin, host, arrays);
  metric.create();
  report.stage("score");
  const auto given =
      metric.score(subject_functions(judged.subject.views(), Extents::of_arrays(arrays)));
  metric.end();
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

ArrayBag metric_input(JudgedSubject& subject, const Metadata& metric) {
  if (asks_for(metric.needs, "concept_view") || asks_for(metric.needs, "latent_view"))
    subject.add_concept_scores();
  ArrayBag out;
  out.borrow_missing(subject.arrays());
  return out;
}

std::string missing_annotation(const Metadata& metric, const ArrayBag& input) {
  for (const std::string& view : annotation_views())
    if (asks_for(metric.needs, view) && !has_view(input, view)) return "needs annotated " + view;
  return "";
}

void score(const Job& job, const Host& host, const Reporter& report) {
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

}  // namespace conoscope::core
