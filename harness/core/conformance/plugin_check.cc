// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/plugin_check.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "harness/core/border/functions.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/border/needs.h"
#include "harness/core/conformance/toy_subject.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "harness/core/processes/worker_process.h"

namespace conoscope::core {

namespace fs = std::filesystem;
using results::Status;

const char* to_string(Verdict verdict) {
  return verdict == Verdict::kPass ? "pass" : verdict == Verdict::kFail ? "FAIL" : "skipped";
}

bool passed(const std::vector<CheckResult>& results) {
  return std::none_of(results.begin(), results.end(),
                      [](const CheckResult& r) { return r.verdict == Verdict::kFail; });
}

namespace {

constexpr std::uint64_t kSeed = 1, kOtherSeed = 2;
// A plugin that is told to stop has this long to hear it.
constexpr double kCancelSeconds = 10;
// The trial that calls a plugin many times stops by itself after this long.
constexpr double kMemorySeconds = 4;
constexpr std::int64_t kTooManyConcepts = 1000;

Stage stage_of(Kind kind) {
  switch (kind) {
    case Kind::kDataset:
      return Stage::kDataset;
    case Kind::kModel:
      return Stage::kModel;
    case Kind::kExplainer:
      return Stage::kExplain;
    case Kind::kMetric:
      break;
  }
  return Stage::kScore;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Name of the first array or text file in which two artifacts differ; empty: none.
std::string difference(const fs::path& a, const fs::path& b) {
  std::map<std::string, std::string> left, right;
  for (const auto& [folder, out] : {std::pair(&a, &left), std::pair(&b, &right)})
    for (const auto& entry : fs::directory_iterator(*folder))
      (*out)[entry.path().stem().string()] = content(entry.path());
  for (const auto& [name, bytes] : left)
    if (const auto it = right.find(name); it == right.end() || it->second != bytes) return name;
  for (const auto& [name, bytes] : right)
    if (left.count(name) == 0) return name;
  return "";
}

std::string difference(const JobEnd& a, const JobEnd& b) {
  for (std::size_t i = 0; i < std::max(a.scores.size(), b.scores.size()); ++i) {
    if (i >= a.scores.size()) return b.scores[i].metric;
    if (i >= b.scores.size() || a.scores[i].metric != b.scores[i].metric ||
        a.scores[i].value != b.scores[i].value || a.scores[i].reason != b.scores[i].reason)
      return a.scores[i].metric;
  }
  return "";
}

/// A job that ended, and its artifact.
struct Trial {
  JobEnd end;
  fs::path artifact;
};

class Suite {
 public:
  Suite(const PluginFile& plugin, std::vector<Value> values, const CheckOptions& options,
        const Cache& cache, Quarantine& quarantine, std::vector<CheckResult>& results)
      : plugin_(plugin),
        metadata_(*plugin.metadata),
        values_(std::move(values)),
        options_(options),
        quarantine_(quarantine),
        results_(results),
        folder_(cache.make_work_folder()) {}
  ~Suite() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  void run() {
    if (!check_load()) return;
    if (metadata_.kind == Kind::kDataset) {
      const Trial first = attempt({});
      if (add("load data", first)) dataset_checks(first);
    } else if (kinds_of_output()) {
      determinism_checks();
      input_checks();
      common_checks();
    }
    noise();
    locale();
  }

 private:
  /// One call of the plugin: which subject, and what is out of the ordinary.
  struct Asked {
    ToySubject toy{};
    std::string_view trial = trial::kOrdinary;
    std::uint64_t seed = kSeed;
    std::uint32_t threads = 1;
    std::vector<Value> values = {};
    ToyExplanation explanation = ToyExplanation::kPerfect;
    double seconds = 0;  ///< 0: as the options say
  };

  Trial attempt(const Asked& asked) {
    const fs::path toy = folder_ / ("toy" + std::to_string(++count_));
    Job job;
    job.stage = stage_of(metadata_.kind);
    job.label = metadata_.id;
    job.plugin = use_of(plugin_, asked.values.empty() ? values_ : asked.values);
    for (const auto& score : metadata_.scores) job.metrics.push_back(score.name);
    job.seed = asked.seed;
    job.threads = asked.threads;
    job.memory = options_.memory;
    WorkerLimits limits;
    limits.seconds = asked.seconds > 0 ? asked.seconds : options_.seconds;
    limits.memory = options_.memory;
    limits.confine = options_.confine;
    limits.seconds_name = "--seconds";
    limits.memory_name = "--memory";
    limits.trial = {std::string(asked.trial),
                    std::to_string(std::min(kMemorySeconds, limits.seconds / 2))};
    job.work = folder_ / ("work" + std::to_string(count_));
    fs::create_directories(job.work / "scratch");
    if (job.stage != Stage::kDataset) {
      job.dataset = toy / "dataset";
      write_toy_dataset(asked.toy, job.dataset);
    }
    if (job.stage == Stage::kExplain || job.stage == Stage::kScore) {
      job.model_folder = toy / "model";
      write_toy_model(asked.toy, job.model_folder);
    }
    if (job.stage == Stage::kScore && needs("explanation")) {
      job.explanation = toy / "explanation";
      write_toy_explanation(asked.explanation, job.explanation);
    }
    Trial out{run_job(job, limits, options_.worker), job.work / "artifact"};
    if (noise_ == 0 && out.end.stdout_bytes > 0) {
      noise_ = out.end.stdout_bytes;
      noisy_step_ = out.end.step;
    }
    if (out.end.log.find(kLocaleChanged) != std::string::npos) changes_locale_ = true;
    return out;
  }

  bool reads_files() const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (metadata_.parameters[i].is_path() && !std::get<std::string>(values_[i]).empty())
        return true;
    return false;
  }

  bool needs(std::string_view view) const {
    return std::find(metadata_.needs.begin(), metadata_.needs.end(), view) != metadata_.needs.end();
  }

  bool add(const std::string& name, Verdict verdict, const std::string& reason = "") {
    results_.push_back({name, verdict, reason});
    if (options_.report) options_.report(results_.back());
    return verdict != Verdict::kFail;
  }

  /// "while it does fit: killed by SIGSEGV"
  static std::string reason_of(const JobEnd& end) { return end.step + ": " + end.message; }

  /// Ordinary work must succeed; by design not applicable is no fault.
  bool add(const std::string& name, const Trial& trial) {
    if (trial.end.status == Status::ok) return add(name, Verdict::kPass);
    if (trial.end.status == Status::not_applicable)
      return add(name, Verdict::kSkipped, trial.end.message);
    return add(name, Verdict::kFail, reason_of(trial.end));
  }

  /// Hard input: a result that is valid, or an error that is said.
  void add_hard(const std::string& name, const Trial& trial) {
    const Status status = trial.end.status;
    if (status == Status::failed || status == Status::not_applicable)
      add(name, Verdict::kPass, "says: " + trial.end.message);
    else
      add(name, trial);
  }

  /// The same work in other circumstances must give the same bits.
  bool add_same(const std::string& name, const Trial& expected, const Trial& got,
                const std::string& fault) {
    if (got.end.status == Status::invalid_output)
      return add(name, Verdict::kFail, fault + " (" + reason_of(got.end) + ")");
    if (got.end.status != Status::ok) return add(name, got);
    const std::string where = difference_of(expected, got);
    return where.empty() ? add(name, Verdict::kPass)
                         : add(name, Verdict::kFail, fault + " (" + where + ")");
  }

  std::string difference_of(const Trial& a, const Trial& b) const {
    return metadata_.kind == Kind::kMetric ? difference(a.end, b.end)
                                           : difference(a.artifact, b.artifact);
  }

  bool check_load() {
    const Trial trial = attempt({.trial = trial::kLoad});
    // Once may be chance: it fails the check, and is no quarantine.
    if (trial.end.died() && attempt({.trial = trial::kLoad}).end.died()) try {
        quarantine_.add(plugin_.sha256, "loading it " + trial.end.message);
      } catch (const CacheError& e) {
        add("quarantine", Verdict::kFail, e.what());
      }
    return add("load", trial);
  }

  /// The plugin's work on every kind of output. It must succeed on one; base_ is the first.
  bool kinds_of_output() {
    const char* verb = metadata_.kind == Kind::kMetric ? "score " : "fit ";
    // The toy's features are not known: a run would not pair it with this one either.
    if (needs("truth")) {
      add(metadata_.kind == Kind::kMetric ? "score" : "fit", Verdict::kSkipped,
          "it needs truth, and the subject to try it on has no known features");
      return false;
    }
    std::string last;
    bool failed = false;
    for (const char* output : {"softmax", "sigmoid", "regression"}) {
      Asked asked;
      asked.toy.output = output;
      // A subject of classes has labels, the others have targets; a run would not pair what does not
      // fit.
      if (const char* lacking = asked.toy.output == "softmax" ? "targets" : "labels";
          needs(lacking)) {
        add(std::string(verb) + output, Verdict::kSkipped, std::string("it needs ") + lacking);
        continue;
      }
      const Trial trial = attempt(asked);
      // What killed or hung the process once will do so again.
      const bool good = add(std::string(verb) + output, trial);
      if (!good && trial.end.died()) return false;
      failed = failed || !good;
      if (trial.end.status == Status::ok && !base_) {
        toy_ = asked.toy;
        base_ = trial;
      }
      last = trial.end.message;
    }
    if (!base_ && !failed)
      add("works", Verdict::kFail, "it succeeds on no kind of output: " + last);
    return base_.has_value();
  }

  Asked base() const {
    Asked out;
    out.toy = toy_;
    return out;
  }

  void input_checks() {
    Asked asked = base();
    asked.toy.dtype = CONO_F32;
    add("float32 input", attempt(asked));
    asked.toy.dtype = CONO_F16;
    add("float16 input", attempt(asked));

    if (metadata_.kind == Kind::kMetric) {
      asked = base();
      asked.toy.test = 1;
      add_hard("one test row", attempt(asked));
    } else {
      asked = base();
      asked.trial = trial::kNoRows;
      add_hard("no training row", attempt(asked));
      asked = base();
      asked.toy.train = 1;
      add_hard("one training row", attempt(asked));
    }

    asked = base();
    asked.toy.constant_feature = true;
    add_hard("constant feature", attempt(asked));

    if (metadata_.kind == Kind::kExplainer) too_many_concepts();

    asked = base();
    asked.trial = trial::kNan;
    add_hard("NaN in the input", attempt(asked));
  }

  void too_many_concepts() {
    constexpr const char* kName = "more concepts than rows";
    const Parameter* count = metadata_.concept_count();
    if (count == nullptr) {
      add(kName, Verdict::kSkipped, "no parameter of it has role = \"concept_count\"");
    } else if (count->max && *count->max < static_cast<double>(kTooManyConcepts)) {
      add(kName, Verdict::kSkipped, "its metadata allow at most " + to_text(*count->max));
    } else {
      Asked asked = base();
      asked.values = values_;
      asked.values[static_cast<std::size_t>(count - metadata_.parameters.data())] =
          kTooManyConcepts;
      add_hard(kName, attempt(asked));
    }
  }

  /// What compares results means nothing once two equal calls differ.
  void determinism_checks() {
    Asked asked = base();
    if (!add_same("same bits in another process", *base_, attempt(asked),
                  "not deterministic: another process with the same seed gives another result"))
      return;
    asked.threads = 2;
    add_same("same bits with two threads", *base_, attempt(asked),
             "the result depends on the number of threads");
    if (!metadata_.seeded) {
      asked = base();
      asked.seed = kOtherSeed;
      add_same("ignores the seed", *base_, attempt(asked),
               "its metadata say seeded = false, but another seed gives another result");
    }
    asked = base();
    asked.trial = trial::kStrided;
    add_same("strided input", *base_, attempt(asked),
             "the result is another when the input is not contiguous");
  }

  void common_checks() {
    Asked asked = base();
    for (const Function& function : functions())
      if (function.of == metadata_.kind && !function.checked_as.empty()) {
        asked.trial = function.name;
        add(std::string(function.checked_as), attempt(asked));
      }
    if (metadata_.kind == Kind::kMetric) metric_checks();
    last_checks(base());
  }

  void last_checks(Asked asked) {
    asked.trial = trial::kCancelled;
    asked.seconds = std::min(kCancelSeconds, options_.seconds);
    const Trial stopped = attempt(asked);
    if (stopped.end.status == Status::interrupted)
      add("cancellation", Verdict::kPass);
    else if (stopped.end.status == Status::ok)
      add("cancellation", Verdict::kPass, "finished without asking");
    else
      add("cancellation", Verdict::kFail, reason_of(stopped.end));
    asked.trial = trial::kMemory;
    asked.seconds = 0;
    add("memory", attempt(asked));
  }

  void metric_checks() {
    std::string missing;
    for (const ScoreSpec& spec : metadata_.scores)
      if (std::none_of(base_->end.scores.begin(), base_->end.scores.end(),
                       [&](const auto& score) { return score.metric == spec.name; }))
        missing += (missing.empty() ? "" : ", ") + spec.name;
    add("declared scores", missing.empty() ? Verdict::kPass : Verdict::kFail,
        missing.empty() ? "" : "declared in its metadata, but never given: " + missing);

    constexpr const char* kName = "good end above bad end";
    if (!needs("explanation")) {
      add(kName, Verdict::kSkipped, "it does not judge explanations");
      return;
    }
    Asked asked = base();
    asked.explanation = ToyExplanation::kRandom;
    const Trial bad = attempt(asked);
    if (bad.end.status != Status::ok) {
      add(kName, bad);
      return;
    }
    std::size_t compared = 0;
    for (const ScoreSpec& spec : metadata_.scores) {
      const auto value = [&](const Trial& trial) -> std::optional<double> {
        for (const auto& score : trial.end.scores)
          if (score.metric == spec.name) return score.value;
        return std::nullopt;
      };
      const auto best = value(*base_), worst = value(bad);
      if (!best || !worst || spec.direction == "none") continue;
      ++compared;
      if (spec.direction == "higher" ? *best < *worst : *best > *worst) {
        add(kName, Verdict::kFail,
            spec.name + " says " + spec.direction + " is better, but gives " + to_text(*best) +
                " to the head's own weights and " + to_text(*worst) + " to random concepts");
        return;
      }
    }
    if (compared == 0)
      add(kName, Verdict::kSkipped, "no score has a direction and a value");
    else
      add(kName, Verdict::kPass);
  }

  void dataset_checks(const Trial& first) {
    if (first.end.status != Status::ok) return;
    if (!add_same("same bits in another process", first, attempt({}),
                  "not deterministic: another process with the same seed gives other data"))
      return last_checks({});
    add_same("same bits with two threads", first, attempt({.threads = 2}),
             "the data depend on the number of threads");
    const Trial other = attempt({.seed = kOtherSeed});
    if (!metadata_.seeded)
      add_same("ignores the seed", first, other,
               "its metadata say seeded = false, but another seed gives other data");
    else if (other.end.status != Status::ok)
      add("follows the seed", other);
    else if (difference_of(first, other).empty() && reads_files())
      add("follows the seed", Verdict::kSkipped, "the files that it was given may hold the split");
    else if (difference_of(first, other).empty())
      add("follows the seed", Verdict::kFail,
          "its metadata say seeded = true, but another seed gives the same data and split");
    else
      add("follows the seed", Verdict::kPass);
    last_checks({});
  }

  void noise() {
    if (noise_ == 0)
      add("standard output", Verdict::kPass);
    else
      add("standard output", Verdict::kFail,
          "wrote " + std::to_string(noise_) + " bytes to standard output (" + noisy_step_ +
              "); it is the command's own, context.log() is for messages");
  }

  /// No number is lost by it (LocaleGuard), so a plugin that leaves it alone has no line of its own.
  void locale() {
    if (changes_locale_)
      add("locale", Verdict::kFail,
          "a call changed the locale of the process, which is the host's too: numbers would be "
          "written with other signs; use std::to_chars, or a stream with a locale of its own");
  }

  const PluginFile& plugin_;
  const Metadata& metadata_;
  const std::vector<Value> values_;
  const CheckOptions& options_;
  Quarantine& quarantine_;
  std::vector<CheckResult>& results_;
  const fs::path folder_;
  int count_ = 0;
  ToySubject toy_;
  std::optional<Trial> base_;
  std::uint64_t noise_ = 0;
  std::string noisy_step_;
  bool changes_locale_ = false;
};

/// A parameter's value from a command line's text; file names become absolute.
/// throws  std::invalid_argument: not a value that the parameter takes
Value parse_value(const Parameter& parameter, const std::string& text) {
  const bool file = parameter.type == ParameterType::file;
  if ((!file && parameter.type != ParameterType::folder) || text.empty())
    return parameter.parse(text);
  if (const auto fault = file ? fault_of_file(text) : fault_of_folder(text); !fault.empty())
    throw std::invalid_argument(parameter.name + " = " + text + ": " + fault);
  return parameter.parse(fs::absolute(text).string());
}

/// Every parameter's value; in `missing` those that are required and not given.
std::vector<Value> values_of(const Metadata& metadata, const CheckOptions& options,
                             std::string& missing) {
  std::map<std::string, Value> given;
  std::vector<std::string> known;
  for (const auto& parameter : metadata.parameters) known.push_back(parameter.name);
  for (const auto& [name, text] : options.params) {
    const Parameter* parameter = metadata.parameter(name);
    if (parameter == nullptr)
      throw std::invalid_argument(metadata.id + ": no parameter " + name +
                                  did_you_mean(name, known));
    given[name] = parse_value(*parameter, text);
  }
  std::vector<Value> out;
  for (const auto& parameter : metadata.parameters) {
    if (const auto it = given.find(parameter.name); it != given.end())
      out.push_back(it->second);
    else if (parameter.standard)
      out.push_back(*parameter.standard);
    else
      missing += " --param " + parameter.name + "=...";
  }
  return out;
}

}  // namespace

std::vector<CheckResult> check_plugin(const fs::path& file, const CheckOptions& options,
                                      const Cache& cache, Quarantine& quarantine) {
  std::vector<CheckResult> results;
  const auto add = [&](CheckResult result) {
    results.push_back(std::move(result));
    if (options.report) options.report(results.back());
  };
  // Being in quarantine is no reason not to look: this is the way out of it.
  const PluginFile plugin = examine_plugin(file, Quarantine(""));
  if (!plugin.refusal.empty()) {
    add({"file", Verdict::kFail, plugin.refusal});
    return results;
  }
  add({"file", Verdict::kPass,
       std::string(to_string(plugin.metadata->kind)) + " " + plugin.metadata->id + " " +
           plugin.metadata->version});
  try {
    runtime_text(plugin);
  } catch (const std::runtime_error& e) {
    add({"interpreter", Verdict::kFail, e.what()});
    return results;
  }
  std::string missing;
  auto values = values_of(*plugin.metadata, options, missing);
  if (!missing.empty()) {
    add({"parameters", Verdict::kFail, "it cannot be tried without" + missing});
    return results;
  }
  Suite(plugin, std::move(values), options, cache, quarantine, results).run();
  if (passed(results)) try {
      quarantine.lift(plugin.sha256);
    } catch (const CacheError& e) {
      add({"quarantine", Verdict::kFail, e.what()});
    }
  return results;
}

}  // namespace conoscope::core
