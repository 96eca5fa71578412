#include "harness/core/run/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/forward_call.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/score_collector.h"
#include "harness/core/conformance/scene.h"
#include "harness/core/conformance/trial.h"
#include "harness/core/plan/contains.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/run/control.h"
#include "harness/core/run/subject.h"
#include "harness/core/run/subject_calls.h"
#include "metrics/catalogue.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;
using results::Status;

std::atomic<bool> asked_to_stop{false};

const Reporter kReport;

Status status_of(cono_status status) {
  switch (status) {
    case CONO_NOT_APPLICABLE:
      return Status::not_applicable;
    case CONO_CANCELLED:
      return Status::interrupted;
    case CONO_OUT_OF_MEMORY:
      return Status::out_of_memory;
    default:
      return Status::failed;
  }
}

/// A plugin of this process, ready to be called.
template <typename Table>
struct Ready {
  Ready(const PluginUse& use, HostCalls& host_calls)
      : metadata(read_metadata(use.file)),
        plugin(use.file, metadata),
        params(metadata, use.values),
        host(host_calls),
        instance(plugin.table<Table>(), params, host) {}

  static Metadata read_metadata(const fs::path& file) {
    const auto note = read_metadata_note(file);
    if (!note) throw LoadFault(file.string() + ": has no metadata");
    return parse_metadata(*note, file.string());
  }

  Metadata metadata;
  LoadedPlugin plugin;
  ParamTable params;
  HostCalls& host;
  Instance<Table> instance;
};

void set_up(HostCalls& host, const Job& job) {
  host.seed = job.seed;
  host.threads = job.threads;
  host.scratch = (job.work / "scratch").string();
  host.progress = [last = -1.0](double done) mutable {
    if (!(done >= 0.0 && done <= 1.0) || std::abs(done - last) < 0.01) return;
    last = done;
    kReport.progress(done);
  };
  host.log = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  host.cancelled = [] { return asked_to_stop.load(std::memory_order_relaxed); };
}

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
void produce_with(const Job& job, Ready<Table>& ready, HostCalls& host, const fs::path& folder,
                  Call&& call) {
  produce(folder, host, [&](const cono_host* raw, const cono_sink* sink) {
    return call(ready.instance, raw, sink);
  });
  if (job.trial != trial::kMemory) return;
  measure_growth(
      [&] {
        const Instance<Table> fresh(ready.plugin.template table<Table>(), ready.params, host);
        const fs::path again = job.work / "again";
        produce(again, host, [&](const cono_host* raw, const cono_sink* sink) {
          return call(fresh, raw, sink);
        });
        fs::remove_all(again);
      },
      job.trial_seconds);
}

/// The forward call of a model's plugin, with all that it needs to live.
class AnsweringModel {
 public:
  /// throws  LoadFault: the plugin has no forward call
  AnsweringModel(const PluginUse& use, const ArrayBag& model, HostCalls& host)
      : model_(model), ready_(use, host), table_(table_of(ready_.plugin)) {
    host_.seed = host.seed;
    host_.threads = host.threads;
    host_.scratch = host.scratch;
    host_.log = host.log;
    host_.cancelled = host.cancelled;
  }

  /// Valid as long as this. It has a host of its own: the caller's is in use during its call.
  ForwardFunction function() {
    return [this](const cono_tensor& inputs, cono_tensor& activations) {
      call_plugin(host_, [&](const cono_host* raw) {
        return table_.forward(ready_.instance.get(), model_.raw(), &inputs, raw, &activations);
      });
    };
  }

 private:
  static cono_forward table_of(const LoadedPlugin& plugin) {
    if (const auto table = plugin.optional_table<cono_forward>(CONO_FORWARD_INTERFACE))
      return *table;
    throw LoadFault(plugin.metadata().id + ": its metadata offer forward, but it has no " +
                    CONO_FORWARD_INTERFACE);
  }

  const ArrayBag& model_;
  Ready<cono_model> ready_;
  cono_forward table_;
  HostCalls host_;
};

/// The explainer's fit: with the model at hand where both sides know how.
void explain(const Job& job, Ready<cono_explainer>& ready, HostCalls& host, const fs::path& folder,
             const ArrayBag& dataset, const ArrayBag& model, const ArrayBag& input) {
  const auto with_model =
      ready.plugin.optional_table<cono_explainer_forward>(CONO_EXPLAINER_FORWARD_INTERFACE);
  std::optional<AnsweringModel> answering;
  std::optional<ForwardCall> forward;
  if (with_model && (job.model || job.scene_forward)) {
    if (!job.scene_forward) answering.emplace(*job.model, model, host);
    forward.emplace(job.scene_forward ? ForwardFunction(scene_forward) : answering->function(),
                    ForwardShape::of(dataset, model));
  }
  kReport.stage("fit");
  try {
    produce_with(job, ready, host, folder,
                 [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                   return forward ? with_model->fit(instance.get(), input.raw(), forward->raw(),
                                                    raw, sink)
                                  : instance.table().fit(instance.get(), input.raw(), raw, sink);
                 });
  } catch (const CallFault& e) {
    if (forward && !forward->fault().empty())
      throw CallFault(e.status(), e.what() + (": " + forward->fault()));
    throw;
  }
}

/// project() or, with trial reconstruct, reconstruct(): twice on the same rows, then on the rows in
/// the opposite order.
/// throws  OutputFault: the answers differ or are not finite; CallFault (not applicable): no such
///         call
void check_explainer_calls(Ready<cono_explainer>& ready, HostCalls& host,
                           const ArrayBag& explanation, const ArrayBag& input, std::int64_t outputs,
                           bool reconstruct);

/// forward() or intervene() on the first samples: twice; intervene() also in the opposite order and
/// on an edit, forward() on a fresh instance and against the activations that fit() left.
/// throws  as check_explainer_calls
void check_forward(const Job& job, Ready<cono_model>& ready, HostCalls& host,
                   const ArrayBag& dataset, const ArrayBag& model);
void check_intervention(Ready<cono_model>& ready, HostCalls& host, const ArrayBag& model);

void make_artifact(const Job& job, HostCalls& host, const fs::path& folder) {
  kReport.stage("load");
  switch (job.stage) {
    case Stage::kDataset: {
      Ready<cono_dataset> ready(*job.plugin, host);
      if (job.trial == trial::kLoad) return;
      kReport.stage("load data");
      produce_with(job, ready, host, folder,
                   [](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                     return instance.table().load(instance.get(), raw, sink);
                   });
      return check_dataset(ArrayBag::open(folder), ready.metadata);
    }
    case Stage::kModel: {
      Ready<cono_model> ready(*job.plugin, host);
      if (job.trial == trial::kLoad) return;
      ArrayBag dataset = ArrayBag::open(job.dataset);
      alter_input(dataset, job.trial);
      kReport.stage("fit");
      produce_with(job, ready, host, folder,
                   [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                     return instance.table().fit(instance.get(), dataset.raw(), raw, sink);
                   });
      const ArrayBag model = ArrayBag::open(folder);
      check_model(model, dataset, ready.metadata);
      if (job.trial == trial::kForward) check_forward(job, ready, host, dataset, model);
      if (job.trial == trial::kIntervene) check_intervention(ready, host, model);
      return;
    }
    case Stage::kExplain: {
      Ready<cono_explainer> ready(*job.plugin, host);
      if (job.trial == trial::kLoad) return;
      const ArrayBag dataset = ArrayBag::open(job.dataset);
      const ArrayBag model = ArrayBag::open(job.model_folder);
      ArrayBag input = make_explainer_input(dataset, model);
      alter_input(input, job.trial);
      explain(job, ready, host, folder, dataset, model, input);
      const ArrayBag explanation = ArrayBag::open(folder);
      check_explanation(explanation, model);
      if (job.trial == trial::kProject || job.trial == trial::kReconstruct)
        check_explainer_calls(ready, host, explanation, input, model.get("head_weight").rows(),
                              job.trial == trial::kReconstruct);
      return;
    }
    case Stage::kScore:
      break;
  }
}

/// The same job once more, and a comparison of the files.
void repeat_and_compare(const Job& job, HostCalls& host) {
  const fs::path again = job.work / "again";
  make_artifact(job, host, again);
  const auto content = [](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const auto& entry : fs::directory_iterator(job.work / "artifact")) {
    const auto name = entry.path().filename();
    if (content(entry.path()) != content(again / name))
      throw OutputFault("not deterministic: two fits with the same seed differ in " +
                        name.stem().string());
  }
  fs::remove_all(again);
}

cono_tensor tensor_of(const metrics::MatrixRef& matrix) {
  cono_tensor out = sdk::make_tensor(const_cast<double*>(matrix.data()), CONO_F64,
                                     std::vector<std::int64_t>{matrix.rows(), matrix.cols()});
  out.strides[0] = matrix.outerStride();
  return out;
}

/// A slot that maps one matrix to another, as the function that a view carries.
template <typename Call>
metrics::Matrix map_matrix(HostCalls& host, const metrics::MatrixRef& in, metrics::Index columns,
                           Call&& call) {
  metrics::Matrix out = metrics::Matrix::Zero(in.rows(), columns);
  const cono_tensor from = tensor_of(in);
  cono_tensor to = tensor_of(out);
  call_plugin(host, [&](const cono_host* raw) { return call(&from, raw, &to); });
  if (!out.allFinite()) throw OutputFault("a projection or head answered with NaN or infinity");
  return out;
}

// A trial looks at no more rows than these.
constexpr std::int64_t kTrialRows = 32;

/// Is the call a function of its rows, each on its own?
template <typename Call>
void check_function(const std::string& name, const metrics::Matrix& rows, Call&& call) {
  const metrics::Matrix first = call(rows);
  if (call(rows) != first)
    throw OutputFault(name +
                      " is no function of its arguments: two calls with the same rows differ");
  // Another order may sum in another order; more than rounding it must not change.
  const metrics::Matrix turned =
      call(metrics::Matrix(rows.colwise().reverse())).colwise().reverse();
  const double scale = std::max(first.cwiseAbs().maxCoeff(), 1e-300);
  if ((turned - first).cwiseAbs().maxCoeff() > 1e-9 * scale)
    throw OutputFault(name + " of a row depends on the rows around it");
}

void check_explainer_calls(Ready<cono_explainer>& ready, HostCalls& host,
                           const ArrayBag& explanation, const ArrayBag& input, std::int64_t outputs,
                           bool reconstruct) {
  const auto& table = ready.instance.table();
  if (!reconstruct && table.project == nullptr)
    throw CallFault(CONO_NOT_APPLICABLE, "it has no project(): the projection is linear");
  if (reconstruct && table.reconstruct == nullptr)
    throw CallFault(CONO_NOT_APPLICABLE, "it has no reconstruct()");
  kReport.stage(reconstruct ? "reconstruct" : "project");
  const sdk::Tensor activations = input.get("activations");
  const std::int64_t width = activations.shape(2);
  metrics::Matrix rows(std::min(activations.size() / width, kTrialRows), width);
  activations.for_each([&](std::int64_t i, double value) {
    if (i < rows.size()) rows.data()[i] = value;
  });
  const sdk::Tensor cavs = explanation.get("cavs");
  const bool shared = explanation.text("scope") == "class_agnostic";
  std::int64_t before = 0;
  for (std::int64_t output = 0; output < outputs; ++output) {
    const std::int64_t first = before;
    const std::int64_t concepts =
        shared ? cavs.rows()
               : explanation.get("counts")
                     .values<const std::int64_t>()[static_cast<std::size_t>(output)];
    if (!shared) before += concepts;
    if (concepts == 0) continue;
    const auto project = [&](const metrics::Matrix& from) -> metrics::Matrix {
      if (table.project == nullptr) {
        metrics::Matrix directions(cavs.rows(), width);
        cavs.for_each([&](std::int64_t i, double value) { directions.data()[i] = value; });
        return from * directions.middleRows(first, concepts).transpose();
      }
      return map_matrix(
          host, from, concepts, [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
            return table.project(ready.instance.get(), explanation.raw(), output, in, raw, out);
          });
    };
    const std::string place = ", output " + std::to_string(output);
    if (!reconstruct) {
      check_function("project()" + place, rows, project);
      continue;
    }
    check_function("reconstruct()" + place, project(rows), [&](const metrics::Matrix& scores) {
      return map_matrix(
          host, scores, width, [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
            return table.reconstruct(ready.instance.get(), explanation.raw(), output, in, raw, out);
          });
    });
  }
}

void check_forward(const Job& job, Ready<cono_model>& ready, HostCalls& host,
                   const ArrayBag& dataset, const ArrayBag& model) {
  const auto& offers = ready.metadata.offers;
  const bool offered = std::find(offers.begin(), offers.end(), "forward") != offers.end();
  const bool there = ready.plugin.optional_table<cono_forward>(CONO_FORWARD_INTERFACE).has_value();
  if (!offered && !there) throw CallFault(CONO_NOT_APPLICABLE, "it has no forward()");
  if (!offered)
    throw OutputFault("it has a forward(), but its metadata do not say offers = [\"forward\"]");
  AnsweringModel answering(*job.plugin, model, host);  // an instance that has not seen fit()
  kReport.stage("forward");
  const ForwardShape shape = ForwardShape::of(dataset, model);
  const sdk::Tensor inputs = dataset.get("inputs"), activations = model.get("activations");
  const std::int64_t count = std::min(inputs.rows(), kTrialRows);
  metrics::Matrix rows(count, inputs.size() / inputs.rows());
  inputs.for_each([&](std::int64_t i, double value) {
    if (i < rows.size()) rows.data()[i] = value;
  });
  const auto forward = [&](const metrics::Matrix& from) {
    metrics::Matrix out(count, shape.positions * shape.width);
    std::vector<std::int64_t> extent = shape.input;
    extent.insert(extent.begin(), count);
    const cono_tensor in = sdk::make_tensor(const_cast<double*>(from.data()), CONO_F64, extent);
    cono_tensor to = sdk::make_tensor(
        out.data(), CONO_F64, std::vector<std::int64_t>{count, shape.positions, shape.width});
    run_forward(answering.function(), shape, in, to);
    return out;
  };
  const metrics::Matrix first = forward(rows);
  if (forward(rows) != first)
    throw OutputFault(
        "forward() is no function of its arguments: two calls with the same inputs differ");
  // Models compute in float32; beyond that, forward() and fit() are the same network.
  const double scale = std::max(first.cwiseAbs().maxCoeff(), 1e-300);
  activations.for_each([&](std::int64_t i, double value) {
    if (i < first.size() && std::abs(first.data()[i] - value) > 1e-4 * scale)
      throw OutputFault("forward() of sample " + std::to_string(i / first.cols()) +
                        " is not what fit() left as its activations: " +
                        std::to_string(first.data()[i]) + " and " + std::to_string(value));
  });
}

void check_intervention(Ready<cono_model>& ready, HostCalls& host, const ArrayBag& model) {
  const auto table = ready.plugin.optional_table<cono_intervene>(CONO_INTERVENE_INTERFACE);
  if (!table) throw CallFault(CONO_NOT_APPLICABLE, "it has no intervene()");
  kReport.stage("intervene");
  const sdk::Tensor scores = model.get("concept_scores");
  const std::int64_t concepts = scores.shape(1), width = scores.shape(2);
  metrics::Matrix rows(std::min(scores.rows(), kTrialRows), concepts * width);
  scores.for_each([&](std::int64_t i, double value) {
    if (i < rows.size()) rows.data()[i] = value;
  });
  const auto intervene = [&](const metrics::Matrix& from) {
    return map_matrix(host, from, model.get("task_outputs").shape(1),
                      [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                        const cono_tensor cube = sdk::make_tensor(
                            in->data, CONO_F64,
                            std::vector<std::int64_t>{in->shape[0], concepts, width});
                        return table->intervene(ready.instance.get(), model.raw(), &cube, raw, out);
                      });
  };
  check_function("intervene()", rows, intervene);
  rows.setConstant(rows.maxCoeff());  // an edit that no sample has
  intervene(rows);
}

void send_score(const metrics::Score& score, bool parts) {
  if (score.reason.empty() && !std::isfinite(score.value))
    throw OutputFault(score.name + ": the score is not a finite number");
  kReport.score({score.name,
                 score.reason.empty() ? std::optional<double>(score.value) : std::nullopt,
                 score.reason, score.message});
  if (parts)
    for (std::size_t i = 0; i < score.parts.size(); ++i)
      kReport.part(score.name, i, score.parts[i]);
}

bool needs_view(const Job& job, std::string_view view) {
  return std::any_of(job.metrics.begin(), job.metrics.end(), [view](const std::string& name) {
    const auto* metric = metrics::catalogue().metric(name);
    return metric && metric->asks_for(view);
  });
}

/// May a metric's parts be as many as the samples? Those of concept views and codes are by concept,
/// pair or point of a curve: few, and always kept.
bool by_sample(const metrics::Metric& metric) {
  return !metric.asks_for("concept_view") && !metric.asks_for("latent_view");
}

std::size_t score_built_in(const Job& job, const TestSubject& test) {
  metrics::Views views = test.views();
  views.seed = job.seed;
  const metrics::Subject subject(views);
  for (const auto& name : job.metrics) {
    const auto* metric = metrics::catalogue().metric(name);
    if (metric == nullptr) throw std::runtime_error("no metric " + name);
    send_score(metrics::score(*metric, subject), job.sample_scores || !by_sample(*metric));
  }
  return job.metrics.size();
}

std::size_t score(const Job& job, HostCalls& host) {
  kReport.stage("open");
  const ArrayBag dataset = ArrayBag::open(job.dataset);
  const ArrayBag model = ArrayBag::open(job.model_folder);
  std::optional<ArrayBag> explanation;
  if (!job.explanation.empty()) explanation = ArrayBag::open(job.explanation);
  TestSubject subject(dataset, model, explanation ? &*explanation : nullptr);

  std::optional<Ready<cono_explainer>> explainer;
  if (job.explainer && explanation) {
    explainer.emplace(*job.explainer, host);
    const auto& table = explainer->instance.table();
    void* self = explainer->instance.get();
    const auto concepts_of = [e = subject.explanation()](metrics::Index output) {
      return e->class_agnostic ? e->cavs.rows()
                               : e->offset[static_cast<std::size_t>(output) + 1] -
                                     e->offset[static_cast<std::size_t>(output)];
    };
    decltype(metrics::Explanation::project) project;
    decltype(metrics::Explanation::reconstruct) reconstruct;
    if (table.project != nullptr)
      project = [&host, &table, self, &explanation, concepts_of](metrics::Index output,
                                                                 const metrics::MatrixRef& rows) {
        return map_matrix(host, rows, concepts_of(output),
                          [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                            return table.project(self, explanation->raw(), output, in, raw, out);
                          });
      };
    if (table.reconstruct != nullptr)
      reconstruct = [&host, &table, self, &explanation, width = subject.explanation()->cavs.cols()](
                        metrics::Index output, const metrics::MatrixRef& scores) {
        return map_matrix(host, scores, width,
                          [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                            return table.reconstruct(self, explanation->raw(), output, in, raw,
                                                     out);
                          });
      };
    subject.set_projection(std::move(project), std::move(reconstruct));
  }
  if (subject.explanation() != nullptr)
    apply_control(*subject.explanation(), job.control, sdk::Seed(job.control_seed));

  std::optional<Ready<cono_model>> answering;
  if (job.model && subject.views().concepts != nullptr) {
    answering.emplace(*job.model, host);
    const auto table = answering->plugin.optional_table<cono_intervene>(CONO_INTERVENE_INTERFACE);
    if (table)
      subject.set_intervention(
          [&host, table, self = answering->instance.get(), &model,
           outputs = subject.views().concepts->outputs.cols(),
           width = subject.views().concepts->width](const metrics::MatrixRef& concepts) {
            return map_matrix(host, concepts, outputs,
                              [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                                cono_tensor cube = *in;  // n x (k * w) as n x k x w
                                cube.ndim = 3;
                                cube.shape[1] = in->shape[1] / width;
                                cube.shape[2] = width;
                                cube.strides[1] = width;
                                cube.strides[2] = 1;
                                return table->intervene(self, model.raw(), &cube, raw, out);
                              });
          });
  }

  std::optional<AnsweringModel> from_pixels;
  if (!job.plugin && job.model && needs_view(job, "forward")) {
    from_pixels.emplace(*job.model, model, host);
    subject.add_images(
        dataset, [forward = from_pixels->function(),
                  shape = ForwardShape::of(dataset, model)](const metrics::MatrixRef& pixels) {
          const metrics::Matrix packed = pixels;
          metrics::Matrix out(packed.rows() * shape.positions, shape.width);
          std::vector<std::int64_t> in_shape = shape.input;
          in_shape.insert(in_shape.begin(), packed.rows());
          const cono_tensor in =
              sdk::make_tensor(const_cast<double*>(packed.data()), CONO_F64, in_shape);
          cono_tensor activations = sdk::make_tensor(
              out.data(), CONO_F64,
              std::vector<std::int64_t>{packed.rows(), shape.positions, shape.width});
          run_forward(forward, shape, in, activations);
          return out;
        });
  }

  if (!job.plugin) {
    if (needs_view(job, "train_head_view")) subject.add_train_head(dataset, model);
    if (needs_view(job, "train_concept_view")) subject.add_train_concepts(dataset, model);
    if (needs_view(job, "concept_view") || needs_view(job, "latent_view"))
      subject.add_concept_scores();
    kReport.stage("score");
    return score_built_in(job, subject);
  }
  kReport.stage("load");
  Ready<cono_metric> metric(*job.plugin, host);
  if (job.trial == trial::kLoad) return 0;
  kReport.stage("score");
  for (const char* view : {"concept_view", "latent_view"})
    if (contains(metric.metadata.needs, view)) subject.add_concept_scores();
  // Which annotations an archive holds is known only now.
  for (const char* name : {"labels", "targets", "concepts", "factors"}) {
    if (!contains(metric.metadata.needs, name) || subject.arrays().find(name)) continue;
    for (const ScoreSpec& spec : metric.metadata.scores)
      kReport.score(
          {spec.name, std::nullopt, "not_applicable", std::string(name) + " are missing"});
    return metric.metadata.scores.size();
  }
  const metrics::Views views = subject.views();
  SubjectCalls calls(views);
  ArrayBag arrays;
  arrays.borrow_missing(subject.arrays());
  alter_input(arrays, job.trial);
  const auto score_with = [&](const Instance<cono_metric>& instance) {
    ScoreCollector collector(metric.metadata);
    try {
      call_plugin(host, [&](const cono_host* raw) {
        return instance.table().score(instance.get(), arrays.raw(), calls.raw(), raw,
                                      collector.raw());
      });
    } catch (const CallFault& e) {
      if (!collector.fault.empty()) throw OutputFault(collector.fault);
      if (!calls.fault.empty()) throw CallFault(e.status(), e.what() + (": " + calls.fault));
      throw;
    }
    if (!collector.fault.empty()) throw OutputFault(collector.fault);
    return collector.scores;
  };
  const auto given = score_with(metric.instance);
  if (job.trial == trial::kMemory)
    measure_growth(
        [&] {
          const Instance<cono_metric> fresh(metric.plugin.table<cono_metric>(), metric.params,
                                            host);
          score_with(fresh);
        },
        job.trial_seconds);
  for (const auto& one : given) send_score(one, job.sample_scores);
  return given.size();
}

void set_limits(const Job& job) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives its supervisor
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Mapped libraries and inputs count as address space but not as memory, so this is wider than the
  // limit that the supervisor holds the resident size to; it stops a single huge allocation at
  // once.
  if (job.memory > 0) {
    const rlim_t space = job.memory * 2 + (rlim_t{4} << 30);
    const rlimit limit{space, space};
    ::setrlimit(RLIMIT_AS, &limit);
  }
#else
  static_cast<void>(job);
#endif
}

}  // namespace

int run_worker(const fs::path& job_file) {
  const auto fault = [](Status status, const std::string& message) {
    std::fflush(nullptr);
    kReport.fault(status, message);
    ::_exit(1);
    return 1;
  };
  try {
    const Job job = read_job(job_file);
    set_limits(job);
    // A terminal's Ctrl-C reaches the whole process group; when to stop is the supervisor's to say.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, [](int) { asked_to_stop.store(true); });
    ::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error with a text
    HostCalls host;
    set_up(host, job);
    if (job.trial == trial::kCancelled) host.cancelled = [] { return true; };
    std::size_t count = 1;
    if (job.stage == Stage::kScore) {
      count = score(job, host);
    } else {
      make_artifact(job, host, job.work / "artifact");
      if (job.repeat) repeat_and_compare(job, host);
    }
    std::fflush(nullptr);
    kReport.done(count);
    // Static destructors and exit handlers are the plugins' code too; the work is done.
    ::_exit(0);
  } catch (const CallFault& e) {
    return fault(status_of(e.status()), e.what());
  } catch (const OutputFault& e) {
    return fault(Status::invalid_output, e.what());
  } catch (const LoadFault& e) {
    return fault(Status::failed, e.what());
  } catch (const std::bad_alloc&) {
    return fault(Status::out_of_memory, "out of memory");
  } catch (const std::exception& e) {
    return fault(Status::failed, e.what());
  }
}

}  // namespace conoscope::core
