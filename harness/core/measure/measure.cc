#include "harness/core/measure/measure.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "conoscope/sdk/dataset.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/npz_file.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/border/needs.h"
#include "harness/core/measure/wanted_arrays.h"
#include "harness/core/run/loaded_dataset.h"
#include "harness/core/run/registration.h"
#include "harness/core/run/score_built_in.h"
#include "metrics/catalogue.h"
#include "metrics/peer_metric.h"

namespace conoscope::core {

namespace fs = std::filesystem;
using results::Status;

namespace {

constexpr double kTestShare = 0.2;  // as the dataset `precomputed` splits

std::vector<std::int64_t> numbers(const ArrayBag& arrays, const char* name) {
  const auto values = arrays.get(name).values<const std::int64_t>();
  return {values.begin(), values.end()};
}

/// What is judged, fitted before where there is an explainer.
struct Subject {
  std::string name;
  const Component* explainer = nullptr;  ///< fitted here; null: the files' own explanation, or none
  bool explanation = false;
  std::vector<std::string> metrics = {};       ///< that fit
  std::vector<std::string> peer_metrics = {};  ///< those over seeds that fit
  /// By split: what was fitted, for metrics over seeds; null: nothing could be.
  std::vector<std::unique_ptr<WorkFolder>> fitted = {};
};

class Measuring {
 public:
  Measuring(const MeasureRequest& request, const Cache& cache,
            const std::function<void(const std::string&)>& progress)
      : request_(request),
        cache_(cache),
        progress_(progress),
        loaded_(request.data, request.seed, request.limits, cache),
        arrays_(ArrayBag::open(loaded_.artifact())),
        given_split_(arrays_.text("split") == "given") {}

  Measured run() {
    out_.log = loaded_.log();
    check_request();
    if (!given_split_) test_share_ = request_.test_share;
    if (!given_split_ && !test_share_ && (request_.repeat > 1 || !request_.explainers.empty()))
      test_share_ = kTestShare;
    out_.drawn = test_share_.has_value();
    out_.split = given_split_ ? "files"
                 : out_.drawn ? "drawn " + to_text(Value(*test_share_))
                              : "all";
    if (request_.keep_hashes) hash_arrays();
    choose_subjects(given_split_ || out_.drawn);
    for (std::int64_t r = 0; r < request_.repeat; ++r) {
      const sdk::Split split = split_of(r);
      if (r == 0) {
        out_.rows = split.test;
        out_.train = static_cast<std::int64_t>(split.train.size());
        out_.test = static_cast<std::int64_t>(split.test.size());
      }
      const WorkFolder folder(cache_);
      write_split_folder(split, folder.path() / "arrays");
      for (std::size_t s = 0; s < subjects_.size(); ++s) judge(r, s, folder.path() / "arrays");
    }
    for (std::size_t s = 0; s < subjects_.size(); ++s)
      if (!subjects_[s].peer_metrics.empty()) compare_splits(s);
    return std::move(out_);
  }

 private:
  void check_request() const {
    if (request_.seed > std::numeric_limits<std::int64_t>::max() - request_.repeat)
      throw MeasureRefused("--seed " + std::to_string(request_.seed) +
                           ": the seeds of all splits (--repeat " +
                           std::to_string(request_.repeat) + ") must be below 2^63");
    if (given_split_ && (request_.test_share || request_.repeat > 1))
      throw MeasureRefused(
          "the files bring a split of their own (train_index and test_index, or "
          "two halves), so none can be drawn (--split, --repeat)");
    if (!request_.explainers.empty() && !arrays_.find("head_weight"))
      throw MeasureRefused("--explain fits explanations to a head view: " +
                           what_brings("head_view") + " are needed");
  }

  /// Of the arrays as they were read: whatever file they come from. A drawn split is no array.
  void hash_arrays() {
    for (const auto& name : arrays_.names())
      if (given_split_ || !name.ends_with("_index"))
        out_.hashes[name] = content_hash(loaded_.artifact() / (name + ".npy"));
  }

  void choose_subjects(bool trained) {
    std::vector<Subject> all;
    const bool own = arrays_.find("cavs").has_value();
    all.push_back({"model", nullptr, false});
    if (own) all.push_back({"files", nullptr, true});
    for (const Component& explainer : request_.explainers)
      all.push_back({explainer.name, &explainer, true});
    const auto model_views = views_of_arrays(arrays_, trained, false);
    for (const auto& name : request_.metrics) {
      const metrics::Metric& metric = *metrics::catalogue().metric(name);
      const bool of_explanations = judges_explanations(metric.needs, model_views);
      std::vector<std::string> lacking;
      bool fits = false;
      for (Subject& subject : all) {
        if (subject.explanation != of_explanations) continue;
        auto views = views_of_arrays(arrays_, trained, subject.explanation);
        // The files' own explanation is the same one whatever the split.
        if (subject.explainer != nullptr && request_.repeat > 1)
          views.emplace_back(metrics::kOtherSeeds);
        lacking = missing(metric.needs, views);
        if (!lacking.empty()) continue;
        (metrics::peer_metric(name) != nullptr ? subject.peer_metrics : subject.metrics)
            .push_back(name);
        fits = true;
      }
      if (fits) continue;
      if (lacking.empty()) lacking = missing(metric.needs, model_views);
      out_.missing.push_back({name, lacking});
    }
    for (Subject& subject : all) {
      if (subject.metrics.empty() && subject.peer_metrics.empty()) continue;
      const auto splits = static_cast<std::size_t>(request_.repeat);
      subject.fitted.resize(splits);
      MeasuredSubject measured{subject.name, subject.explanation, {}, {}, {}};
      measured.costs.resize(splits);
      if (!subject.peer_metrics.empty()) measured.comparisons.resize(splits);
      for (const auto* metrics : {&subject.metrics, &subject.peer_metrics})
        for (const auto& metric : *metrics)
          measured.scores.push_back({metric, std::vector<results::ScoreRow>(splits), {}, false});
      out_.subjects.push_back(std::move(measured));
      subjects_.push_back(std::move(subject));
    }
  }

  sdk::Split split_of(std::int64_t r) const {
    if (given_split_) return {numbers(arrays_, "train_index"), numbers(arrays_, "test_index")};
    auto samples = numbers(arrays_, "train_index").size() + numbers(arrays_, "test_index").size();
    if (!test_share_) {
      sdk::Split all;
      for (std::size_t i = 0; i < samples; ++i) all.test.push_back(static_cast<std::int64_t>(i));
      return all;
    }
    std::vector<std::int64_t> classes(samples, 0);
    if (arrays_.find("labels")) classes = numbers(arrays_, "labels");
    try {
      return sdk::stratified_split(classes, *test_share_, seed_of("split", r));
    } catch (const std::invalid_argument& error) {
      throw MeasureRefused(error.what());
    }
  }

  /// The second split of seed 0 is the first of seed 1: as cells, they are one.
  sdk::Seed seed_of(const char* purpose, std::int64_t r) const {
    return sdk::Seed(static_cast<std::uint64_t>(request_.seed + r)).child("measure").child(purpose);
  }

  /// The loaded arrays with another split, without a copy of them.
  void write_split_folder(const sdk::Split& split, const fs::path& folder) const try {
    ArtifactWriter writer(folder);
    sdk::Sink sink(writer.sink());
    sdk::write_split(sink, split);
    for (const auto& [key, value] : arrays_.texts()) sink.text(key, value);
    writer.finish();
    // Hard links, because a confined plugin may read what lies in this folder, and nothing behind it.
    for (const auto& entry : fs::directory_iterator(loaded_.artifact())) {
      const fs::path to = folder / entry.path().filename();
      if (to.extension() != ".npy" || fs::exists(to)) continue;
      std::error_code no_links;
      fs::create_hard_link(entry.path(), to, no_links);
      if (no_links) fs::copy_file(entry.path(), to);
    }
    seal_artifact(folder);
  } catch (const std::runtime_error& error) {
    throw CacheError(error.what());
  }

  Job job(Stage stage, const std::string& label, const fs::path& arrays, const fs::path& work,
          std::int64_t r) const {
    Job job;
    job.stage = stage;
    job.label = label;
    job.dataset = arrays;
    job.model_folder = arrays;
    job.work = work;
    job.seed = seed_of(to_string(stage), r).value();
    job.threads = request_.threads;
    job.memory = request_.limits.memory;
    job.sample_scores = true;
    return job;
  }

  JobEnd run_one(const Job& job, MeasuredCost& cost) const {
    if (cost.started_at.empty()) cost.started_at = now_text();
    JobEnd end = run_job(job, request_.limits, "/proc/self/exe");
    cost.seconds += end.seconds;
    cost.peak_memory = std::max(cost.peak_memory, end.peak_memory);
    return end;
  }

  /// craft(k=5) becomes craft_k_5_.npz.
  void save_explanation(const std::string& subject, const fs::path& artifact) {
    std::string name = subject;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    try {
      write_npz(artifact, request_.save_explanations / (name + ".npz"));
    } catch (const std::runtime_error& error) {
      out_.unsaved.emplace_back(error.what());  // it can be judged all the same
    }
  }

  void judge(std::int64_t r, std::size_t s, const fs::path& arrays) {
    Subject& subject = subjects_[s];
    progress_(subject.name + (request_.repeat > 1 ? ", split " + std::to_string(r + 1) + " of " +
                                                        std::to_string(request_.repeat)
                                                  : ""));
    MeasuredCost& cost = out_.subjects[s].costs[static_cast<std::size_t>(r)];
    auto fit_folder = std::make_unique<WorkFolder>(cache_);
    const WorkFolder score_folder(cache_);
    Job score = job(Stage::kScore, subject.name, arrays, score_folder.path(), r);
    if (subject.explainer != nullptr) {
      Job fit = job(Stage::kExplain, subject.name, arrays, fit_folder->path(), r);
      fit.plugin =
          use_of(subject.explainer->plugin, subject.explainer->values, subject.explainer->inputs);
      if (const JobEnd end = run_one(fit, cost); end.status != Status::ok) {
        auto metrics = subject.metrics;
        metrics.insert(metrics.end(), subject.peer_metrics.begin(), subject.peer_metrics.end());
        return note_fault(r, s, metrics, end);
      }
      score.explainer = fit.plugin;
      score.explanation = fit_folder->path() / "artifact";
      if (r == 0 && !request_.save_explanations.empty())
        save_explanation(subject.name, score.explanation);
    } else if (subject.explanation) {
      score.explanation = arrays;
    }
    if (!subject.explanation && arrays_.find("concept_head_weight"))
      score.model = request_.concept_model;
    apply(subject.metrics, score, r, s, cost);
    if (!subject.peer_metrics.empty())
      subject.fitted[static_cast<std::size_t>(r)] = std::move(fit_folder);
  }

  void apply(const std::vector<std::string>& metrics, Job& score, std::int64_t r, std::size_t s,
             MeasuredCost& cost) {
    if (metrics.empty()) return;
    score.metrics = metrics;
    const JobEnd end = run_one(score, cost);
    if (end.status == Status::ok) return take(r, s, end);
    // One metric that cannot cope must not cost the others theirs.
    for (const auto& metric : metrics) {
      score.metrics = {metric};
      const JobEnd alone = metrics.size() > 1 ? run_one(score, cost) : end;
      if (alone.status == Status::ok)
        take(r, s, alone);
      else
        note_fault(r, s, {metric}, alone);
    }
  }

  /// The second round: what was fitted to each split, beside what was fitted to the others.
  void compare_splits(std::size_t s) {
    const Subject& subject = subjects_[s];
    progress_(subject.name + ", each split compared with the others");
    const fs::path arrays = loaded_.artifact();
    for (std::size_t r = 0; r < subject.fitted.size(); ++r) {
      if (subject.fitted[r] == nullptr) continue;
      const auto split = static_cast<std::int64_t>(r);
      const WorkFolder folder(cache_);
      Job score = job(Stage::kScore, subject.name, arrays, folder.path(), split);
      score.seed = seed_of("score over seeds", split).value();
      score.explanation = subject.fitted[r]->path() / "artifact";
      MeasuredComparison& comparison = out_.subjects[s].comparisons[r];
      for (std::size_t other = 0; other < subject.fitted.size(); ++other) {
        if (other == r || subject.fitted[other] == nullptr) continue;
        comparison.others.push_back(other);
        score.peers.push_back({arrays, subject.fitted[other]->path() / "artifact"});
      }
      if (!comparison.others.empty())
        apply(subject.peer_metrics, score, split, s, comparison.cost);
      else
        for (const auto& metric : subject.peer_metrics)
          score_of(s, metric).scores[r] = {metric, std::nullopt, "not_applicable",
                                           "nothing could be fitted to another split"};
    }
  }

  MeasuredScore& score_of(std::size_t s, const std::string& metric) {
    return *std::ranges::find(out_.subjects[s].scores, metric, &MeasuredScore::metric);
  }

  void take(std::int64_t r, std::size_t s, const JobEnd& end) {
    for (const auto& row : end.scores)
      score_of(s, row.metric).scores[static_cast<std::size_t>(r)] = row;
    if (r > 0) return;
    std::map<std::string, std::vector<double>> parts;
    for (const auto& part : end.parts)
      if (part.value) parts[part.metric].push_back(*part.value);
    for (auto& [metric, values] : parts) {
      MeasuredScore& score = score_of(s, metric);
      score.by_sample = parts_by_sample(*metrics::catalogue().metric(metric)) &&
                        static_cast<std::int64_t>(values.size()) == out_.test;
      score.parts = std::move(values);
    }
  }

  void note_fault(std::int64_t r, std::size_t s, const std::vector<std::string>& metrics,
                  const JobEnd& end) {
    for (const auto& metric : metrics)
      score_of(s, metric).scores[static_cast<std::size_t>(r)] = {metric, std::nullopt, "error",
                                                                 end.message};
    out_.faults.push_back(subjects_[s].name + ": " +
                          (metrics.size() == 1 ? metrics[0] + ": " : "") + end.stage + ": " +
                          end.message);
  }

  const MeasureRequest& request_;
  const Cache& cache_;
  const std::function<void(const std::string&)>& progress_;
  const LoadedDataset loaded_;
  const ArrayBag arrays_;
  const bool given_split_;
  std::optional<double> test_share_;  ///< of drawn splits; none: the files' split, or every row
  std::vector<Subject> subjects_;
  Measured out_;
};

}  // namespace

Measured measure(const MeasureRequest& request, const Cache& cache,
                 const std::function<void(const std::string&)>& progress) {
  return Measuring(request, cache, progress).run();
}

}  // namespace conoscope::core
