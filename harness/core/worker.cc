#include "harness/core/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>

#include "harness/core/artifact.h"
#include "harness/core/control.h"
#include "harness/core/job.h"
#include "harness/core/loader.h"
#include "harness/core/output_check.h"
#include "harness/core/subject.h"
#include "harness/core/trial.h"
#include "metrics/catalogue.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> asked_to_stop{false};

void report(const std::vector<std::string>& fields) {
  const std::string line = make_line(fields);
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t n = ::write(kReportFd, line.data() + sent, line.size() - sent);
    if (n < 0 && errno != EINTR) ::_exit(1);  // the supervisor is gone
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
}

std::string hex_double(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%a", value);
  return buffer;
}

const char* fault_word(cono_status status) {
  switch (status) {
    case CONO_NOT_APPLICABLE:
      return "not_applicable";
    case CONO_CANCELLED:
      return "interrupted";
    case CONO_OUT_OF_MEMORY:
      return "out_of_memory";
    default:
      return "failed";
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
    report({"progress", std::to_string(done)});
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

/// project() twice on the same rows, then on the rows in the opposite order.
/// throws  OutputFault: the answers differ
void check_projection(Ready<cono_explainer>& ready, HostCalls& host, const ArrayBag& explanation,
                      const ArrayBag& input, std::int64_t outputs);

void make_artifact(const Job& job, HostCalls& host, const fs::path& folder) {
  report({"stage", "load"});
  switch (job.stage) {
    case Stage::kDataset: {
      Ready<cono_dataset> ready(*job.plugin, host);
      if (job.trial == trial::kLoad) return;
      report({"stage", "load data"});
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
      report({"stage", "fit"});
      produce_with(job, ready, host, folder,
                   [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                     return instance.table().fit(instance.get(), dataset.raw(), raw, sink);
                   });
      return check_model(ArrayBag::open(folder), dataset, ready.metadata);
    }
    case Stage::kExplain: {
      Ready<cono_explainer> ready(*job.plugin, host);
      if (job.trial == trial::kLoad) return;
      const ArrayBag dataset = ArrayBag::open(job.dataset);
      const ArrayBag model = ArrayBag::open(job.model_folder);
      ArrayBag input = make_explainer_input(dataset, model);
      alter_input(input, job.trial);
      report({"stage", "fit"});
      produce_with(job, ready, host, folder,
                   [&](const auto& instance, const cono_host* raw, const cono_sink* sink) {
                     return instance.table().fit(instance.get(), input.raw(), raw, sink);
                   });
      const ArrayBag explanation = ArrayBag::open(folder);
      check_explanation(explanation, model);
      if (job.trial == trial::kProject)
        check_projection(ready, host, explanation, input, model.get("head_weight").rows());
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

void check_projection(Ready<cono_explainer>& ready, HostCalls& host, const ArrayBag& explanation,
                      const ArrayBag& input, std::int64_t outputs) {
  const auto& table = ready.instance.table();
  if (table.project == nullptr)
    throw CallFault(CONO_NOT_APPLICABLE, "it has no project(): the projection is linear");
  report({"stage", "project"});
  const sdk::Tensor activations = input.get("activations");
  const std::int64_t width = activations.shape(2);
  const std::int64_t count = std::min<std::int64_t>(activations.size() / width, 32);
  metrics::Matrix rows(count, width);
  activations.for_each([&](std::int64_t i, double value) {
    if (i < rows.size()) rows.data()[i] = value;
  });
  const bool shared = explanation.text("scope") == "class_agnostic";
  for (std::int64_t output = 0; output < outputs; ++output) {
    const std::int64_t concepts =
        shared ? explanation.get("cavs").rows()
               : explanation.get("counts")
                     .values<const std::int64_t>()[static_cast<std::size_t>(output)];
    if (concepts == 0) continue;
    const auto project = [&](const metrics::Matrix& from) {
      return map_matrix(
          host, from, concepts, [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
            return table.project(ready.instance.get(), explanation.raw(), output, in, raw, out);
          });
    };
    const metrics::Matrix first = project(rows);
    if (project(rows) != first)
      throw OutputFault(
          "project() is no function of its arguments: two calls with the same rows "
          "differ, output " +
          std::to_string(output));
    // Another order may sum in another order; more than rounding it must not change.
    const metrics::Matrix turned = project(rows.colwise().reverse()).colwise().reverse();
    const double scale = std::max(first.cwiseAbs().maxCoeff(), 1e-300);
    if ((turned - first).cwiseAbs().maxCoeff() > 1e-9 * scale)
      throw OutputFault("project() of a row depends on the rows around it, output " +
                        std::to_string(output));
  }
}

void send_score(const metrics::Score& score, bool parts) {
  if (score.reason.empty() && !std::isfinite(score.value))
    throw OutputFault(score.name + ": the score is not a finite number");
  report({"score", score.name, hex_double(score.reason.empty() ? score.value : 0.0), score.reason,
          score.message});
  if (parts)
    for (std::size_t i = 0; i < score.parts.size(); ++i)
      report({"part", score.name, std::to_string(i), hex_double(score.parts[i])});
}

std::size_t score_built_in(const Job& job, const TestSubject& subject) {
  std::vector<std::string> groups;
  for (const auto& name : job.metrics) {
    const auto* info = metrics::catalogue().metric(name);
    if (info == nullptr) throw std::runtime_error("no metric " + name);
    if (std::find(groups.begin(), groups.end(), info->group) == groups.end())
      groups.emplace_back(info->group);
  }
  std::size_t count = 0;
  for (const auto& group : groups)
    for (const auto& score : metrics::catalogue().group(group)->score(subject.views()))
      if (std::find(job.metrics.begin(), job.metrics.end(), score.name) != job.metrics.end()) {
        send_score(score, job.sample_scores);
        ++count;
      }
  return count;
}

/// What a metric plugin gave, checked against what it declared.
class ScoreCollector {
 public:
  ScoreCollector(const Metadata& metadata) : metadata_(metadata) {
    raw_.struct_size = sizeof(raw_);
    raw_.self = this;
    raw_.score = [](void* self, const char* name, double value, const char* reason,
                    const double* parts, std::int64_t count) {
      return static_cast<ScoreCollector*>(self)->take(name, value, reason, parts, count);
    };
  }
  const cono_scores* raw() const { return &raw_; }

  std::vector<metrics::Score> scores;
  std::string fault;

 private:
  cono_status take(const char* name, double value, const char* reason, const double* parts,
                   std::int64_t count) {
    const auto refuse = [this](std::string why) {
      fault = std::move(why);
      return CONO_INVALID_ARGUMENT;
    };
    const std::string given = name == nullptr ? "" : name;
    const auto it = std::find_if(metadata_.scores.begin(), metadata_.scores.end(),
                                 [&](const ScoreSpec& spec) { return spec.name == given; });
    if (it == metadata_.scores.end()) return refuse("score " + given + " is not in its metadata");
    for (const auto& score : scores)
      if (score.name == given) return refuse("score " + given + " was given twice");
    metrics::Score out;
    out.name = given;
    if (reason != nullptr) {
      out.reason = reason;
      if (out.reason != "undefined" && out.reason != "not_applicable")
        return refuse("score " + given + ": reason \"" + out.reason +
                      "\" is neither undefined nor not_applicable");
    } else {
      out.value = value;
      if (!std::isfinite(value))
        return refuse("score " + given + " is not a finite number: " + std::to_string(value));
      if ((it->low && value < *it->low) || (it->high && value > *it->high))
        return refuse("score " + given + " = " + to_text(value) + " is outside its declared range");
    }
    if (parts != nullptr && count > 0) out.parts.assign(parts, parts + count);
    scores.push_back(std::move(out));
    return CONO_OK;
  }

  const Metadata& metadata_;
  cono_scores raw_{};
};

/// Hands a subject's functions to a metric plugin as C calls.
class SubjectCalls {
 public:
  explicit SubjectCalls(const metrics::Subject& subject) : subject_(subject) {
    raw_.struct_size = sizeof(raw_);
    raw_.self = this;
    if (subject.explanation != nullptr)
      raw_.project = [](void* self, std::int64_t output, const cono_tensor* rows,
                        cono_tensor* scores) {
        auto& calls = *static_cast<SubjectCalls*>(self);
        const auto& e = *calls.subject_.explanation;
        return calls.run(rows, scores, [&](const metrics::Matrix& in) -> metrics::Matrix {
          const auto [first, last] = concepts_of(e, output);
          check_columns("project", in, e.cavs.cols());
          if (e.project) return e.project(output, in);
          return in * e.cavs.middleRows(first, last - first).transpose();
        });
      };
    if (subject.explanation != nullptr && subject.explanation->reconstruct)
      raw_.reconstruct = [](void* self, std::int64_t output, const cono_tensor* scores,
                            cono_tensor* rows) {
        auto& calls = *static_cast<SubjectCalls*>(self);
        const auto& e = *calls.subject_.explanation;
        return calls.run(scores, rows, [&](const metrics::Matrix& in) {
          const auto [first, last] = concepts_of(e, output);
          check_columns("reconstruct", in, last - first);
          return e.reconstruct(output, in);
        });
      };
    if (subject.concepts != nullptr && subject.concepts->intervene)
      raw_.intervene = [](void* self, const cono_tensor* concepts, cono_tensor* outputs) {
        auto& calls = *static_cast<SubjectCalls*>(self);
        const auto& view = *calls.subject_.concepts;
        return calls.run(concepts, outputs, [&](const metrics::Matrix& in) {
          check_columns("intervene", in, view.scores.cols());
          return view.intervene(in);
        });
      };
  }
  const cono_calls* raw() const { return &raw_; }

  /// Why the last call failed; empty: none did.
  std::string fault;

 private:
  /// The rows of cavs that are the output's: [first, last).
  static std::pair<metrics::Index, metrics::Index> concepts_of(const metrics::Explanation& e,
                                                               std::int64_t output) {
    const metrics::Index outputs = e.class_agnostic
                                       ? e.importance_by_output.rows()
                                       : static_cast<metrics::Index>(e.offset.size()) - 1;
    if (output < 0 || output >= outputs)
      throw std::invalid_argument("output " + std::to_string(output) + " of " +
                                  std::to_string(outputs));
    if (e.class_agnostic) return {0, e.cavs.rows()};
    return {e.offset[static_cast<std::size_t>(output)],
            e.offset[static_cast<std::size_t>(output) + 1]};
  }

  static void check_columns(const char* call, const metrics::Matrix& in, metrics::Index columns) {
    if (in.cols() != columns)
      throw std::invalid_argument(std::string(call) + ": " + std::to_string(in.cols()) +
                                  " columns, expected " + std::to_string(columns));
  }

  template <typename Map>
  cono_status run(const cono_tensor* in, cono_tensor* out, Map&& map) noexcept {
    try {
      const sdk::Tensor from(*in), to(*out);
      metrics::Matrix matrix(from.rows(), from.size() / std::max<std::int64_t>(from.rows(), 1));
      from.for_each([&](std::int64_t i, double value) { matrix.data()[i] = value; });
      const metrics::Matrix result = map(matrix);
      const auto target = to.values<double>();
      if (static_cast<std::size_t>(result.size()) != target.size())
        throw std::invalid_argument("room for " + std::to_string(target.size()) +
                                    " numbers, expected " + std::to_string(result.size()));
      std::copy_n(result.data(), target.size(), target.begin());
      return CONO_OK;
    } catch (const std::invalid_argument& e) {
      fault = e.what();
      return CONO_INVALID_ARGUMENT;
    } catch (const std::exception& e) {
      fault = e.what();
      return CONO_INTERNAL;
    } catch (...) {
      fault = "threw something that is not a std::exception";
      return CONO_INTERNAL;
    }
  }

  metrics::Subject subject_;
  cono_calls raw_{};
};

std::size_t score(const Job& job, HostCalls& host) {
  report({"stage", "open"});
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

  if (!job.plugin) {
    report({"stage", "score"});
    return score_built_in(job, subject);
  }
  report({"stage", "load"});
  Ready<cono_metric> metric(*job.plugin, host);
  if (job.trial == trial::kLoad) return 0;
  report({"stage", "score"});
  // Which annotations an archive holds is known only now.
  for (const char* name : {"labels", "targets", "concepts", "factors"}) {
    const auto& needs = metric.metadata.needs;
    if (std::find(needs.begin(), needs.end(), name) == needs.end() || subject.arrays().find(name))
      continue;
    for (const ScoreSpec& spec : metric.metadata.scores)
      report({"score", spec.name, hex_double(0.0), "not_applicable",
              std::string(name) + " are missing"});
    return metric.metadata.scores.size();
  }
  const metrics::Subject views = subject.views();
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
  const auto fault = [](const char* status, const std::string& message) {
    std::fflush(nullptr);
    report({"fault", status, message});
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
    report({"done", std::to_string(count)});
    // Static destructors and exit handlers are the plugins' code too; the work is done.
    ::_exit(0);
  } catch (const CallFault& e) {
    return fault(fault_word(e.status()), e.what());
  } catch (const OutputFault& e) {
    return fault("invalid_output", e.what());
  } catch (const LoadFault& e) {
    return fault("failed", e.what());
  } catch (const std::bad_alloc&) {
    return fault("out_of_memory", "out of memory");
  } catch (const std::exception& e) {
    return fault("failed", e.what());
  }
}

}  // namespace conoscope::core
