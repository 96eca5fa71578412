// SPDX-License-Identifier: Apache-2.0
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
#include "harness/core/plan/controls.h"
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

/// What is judged, fitted before where there is an explainer; or the control of one.
struct Subject {
  std::string name;
  const Component* explainer = nullptr;  ///< fitted here; null: the files' own explanation, or none
  bool explanation = false;
  std::string control = "none";
  std::size_t clean = 0;                       ///< of a control: the subject that it is a twin of
  std::vector<std::string> metrics = {};       ///< that fit
  std::vector<std::string> beside_clean = {};  ///< those that compare with the clean subject
  std::vector<std::string> over_seeds = {};    ///< those that compare with other splits
  std::vector<const Component*> plugins = {};  ///< metric plugins that fit
  /// By split: where what was fitted is, while others need it; null: nothing could be.
  std::vector<std::shared_ptr<WorkFolder>> fitted = {};

  bool is_control() const { return control != "none"; }
  bool is_asked() const {
    return !metrics.empty() || !beside_clean.empty() || !over_seeds.empty() || !plugins.empty();
  }
  /// Every score that it is asked for.
  std::vector<std::string> scores() const {
    std::vector<std::string> out;
    for (const auto* names : {&metrics, &beside_clean, &over_seeds})
      out.insert(out.end(), names->begin(), names->end());
    for (const Component* plugin : plugins)
      for (const ScoreSpec& score : plugin->plugin.metadata->scores) out.push_back(score.name);
    return out;
  }
};

std::string with_control(const std::string& name, const std::string& control) {
  return control == "none" ? name : name + ", " + control;
}

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
    if (!given_split_ && !test_share_ && (request_.splits > 1 || !request_.explainers.empty()))
      test_share_ = kTestShare;
    out_.drawn = test_share_.has_value();
    out_.split = given_split_ ? "files"
                 : out_.drawn ? "drawn " + to_text(Value(*test_share_))
                              : "all";
    out_.names = axis_names(arrays_, arrays_);
    if (request_.keep_hashes) hash_arrays();
    choose_subjects(given_split_ || out_.drawn);
    for (const Subject& subject : subjects_)
      steps_ += subject.fitted.size() + (subject.over_seeds.empty() ? 0 : 1);
    for (std::int64_t r = 0; r < request_.splits; ++r) {
      const sdk::Split split = split_of(r);
      if (r == 0) {
        out_.rows = split.test;
        out_.train = static_cast<std::int64_t>(split.train.size());
        out_.test = static_cast<std::int64_t>(split.test.size());
      }
      const WorkFolder folder(cache_);
      write_split_folder(split, folder.path() / "arrays");
      for (std::size_t s = 0; s < subjects_.size(); ++s) judge(r, s, folder.path() / "arrays");
      for (Subject& subject : subjects_)
        if (subject.over_seeds.empty()) subject.fitted[static_cast<std::size_t>(r)] = nullptr;
    }
    for (std::size_t s = 0; s < subjects_.size(); ++s)
      if (!subjects_[s].over_seeds.empty()) compare_splits(s);
    return std::move(out_);
  }

 private:
  /// "3/12 craft, split 1 of 2"
  void tell(const std::string& what) {
    progress_(std::to_string(++begun_) + '/' + std::to_string(steps_) + ' ' + what);
  }

  void check_request() const {
    if (request_.seed > std::numeric_limits<std::int64_t>::max() - request_.splits)
      throw MeasureRefused("--seed " + std::to_string(request_.seed) +
                           ": the seeds of all splits (--splits " +
                           std::to_string(request_.splits) + ") must be below 2^63");
    if (given_split_ && (request_.test_share || request_.splits > 1))
      throw MeasureRefused(
          "the files bring a split of their own (train_index and test_index, or "
          "two halves), so none can be drawn (--split, --splits)");
    if (!request_.explainers.empty() && !arrays_.find("head_weight"))
      throw MeasureRefused("--explain fits explanations to a head view: " +
                           what_brings("head_view") + " are needed");
    if (request_.explainers.empty())
      for (const auto& control : request_.controls)
        if (const bool anew = control_named(control).explains_anew(); anew || !arrays_.find("cavs"))
          throw MeasureRefused("--control " + control +
                               (anew ? ": it explains anew, so an explainer is needed (--explain)"
                                     : ": it is the control of an explanation: cavs and importance "
                                       "are needed, or --explain"));
    for (const auto& control : request_.controls)
      if (control_named(control).needs_dictionary() &&
          std::ranges::none_of(request_.explainers, [&](const Component& explainer) {
            return has_control(&explainer, control);
          }))
        throw MeasureRefused("--control " + control +
                             ": it is the twin of a dictionary, and no explainer of --explain "
                             "offers one");
  }

  /// Only a dictionary has the twins of one.
  static bool has_control(const Component* explainer, const std::string& control) {
    return !control_named(control).needs_dictionary() ||
           (explainer != nullptr && contains(explainer->offers, "dictionary"));
  }

  /// Of the arrays as they were read: whatever file they come from. A drawn split is no array.
  void hash_arrays() {
    for (const auto& name : arrays_.names())
      if (given_split_ || !name.ends_with("_index"))
        out_.hashes[name] = content_hash(loaded_.artifact() / (name + ".npy"));
  }

  /// The model, the files' explanation and the fitted ones, each with its controls behind it.
  std::vector<Subject> all_subjects() const {
    std::vector<Subject> all = {{"model", nullptr, false}};
    const auto add = [&](const std::string& name, const Component* explainer) {
      const std::size_t clean = all.size();
      all.push_back({name, explainer, true});
      for (const auto& control : request_.controls)
        if (has_control(explainer, control) &&
            (explainer != nullptr || !control_named(control).explains_anew()))
          all.push_back({name, explainer, true, control, clean});
    };
    if (arrays_.find("cavs")) add("files", nullptr);
    for (const Component& explainer : request_.explainers) add(explainer.name, &explainer);
    return all;
  }

  std::vector<std::string> views_for(const Subject& subject, bool trained) const {
    auto views = views_of_arrays(arrays_, trained, subject.explanation);
    // The files' own explanation is the same one whatever the split.
    if (subject.explainer != nullptr && request_.splits > 1)
      views.emplace_back(metrics::kOtherSeeds);
    if (control_named(subject.control).moves_samples())
      views.emplace_back(metrics::kCleanExplanation);
    return views;
  }

  /// Tells every subject that has what is needed; else says what is missing.
  ///
  /// scores  the names that the needs are those of
  template <typename Needs, typename Take>
  void offer(std::vector<Subject>& all, bool trained, const Needs& needs,
             const std::vector<std::pair<std::string, std::string>>& scores, const Take& take) {
    const auto model_views = views_of_arrays(arrays_, trained, false);
    const bool of_explanations = judges_explanations(needs, model_views);
    std::vector<std::string> lacking;
    bool fits = false;
    for (Subject& subject : all) {
      if (subject.explanation != of_explanations) continue;
      lacking = missing(needs, views_for(subject, trained));
      if (!lacking.empty()) continue;
      take(subject);
      fits = true;
    }
    if (fits) return;
    if (lacking.empty()) lacking = missing(needs, model_views);
    for (const auto& [name, better] : scores) out_.missing.push_back({name, better, lacking});
  }

  void choose_subjects(bool trained) {
    std::vector<Subject> all = all_subjects();
    std::map<std::string, std::string> better;
    for (const auto& name : request_.metrics) {
      const metrics::Metric& metric = *metrics::catalogue().metric(name);
      better[name] = metrics::to_string(metric.direction);
      offer(all, trained, metric.needs, {{name, better[name]}}, [&](Subject& subject) {
        (metrics::is_over_seeds(name)            ? subject.over_seeds
         : metrics::peer_metric(name) != nullptr ? subject.beside_clean
                                                 : subject.metrics)
            .push_back(name);
      });
    }
    for (const Component& plugin : request_.metric_plugins) {
      std::vector<std::pair<std::string, std::string>> scores;
      for (const ScoreSpec& score : plugin.plugin.metadata->scores) {
        scores.emplace_back(score.name, score.direction);
        better[score.name] = score.direction;
      }
      offer(all, trained, plugin.needs(), scores,
            [&](Subject& subject) { subject.plugins.push_back(&plugin); });
    }
    keep_asked(all, better);
  }

  /// Those that something is asked of, and what their controls are twins of.
  void keep_asked(std::vector<Subject>& all, const std::map<std::string, std::string>& better) {
    std::vector<bool> kept(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      kept[i] = all[i].is_asked();
      if (kept[i] && all[i].is_control()) kept[all[i].clean] = true;
    }
    std::map<std::size_t, std::size_t> place;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!kept[i]) continue;
      Subject& subject = all[i];
      place[i] = subjects_.size();
      if (subject.is_control()) subject.clean = place.at(subject.clean);
      const auto splits = static_cast<std::size_t>(request_.splits);
      subject.fitted.resize(splits);
      MeasuredSubject measured{subject.name, subject.explanation, subject.control, {}, {}, {}};
      measured.costs.resize(splits);
      if (!subject.over_seeds.empty()) measured.comparisons.resize(splits);
      for (const auto& name : subject.scores())
        measured.scores.push_back(
            {name, better.at(name), std::vector<results::ScoreRow>(splits), {}, false});
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

  /// What a control draws from. Those that explain anew draw the same for all explainers.
  std::uint64_t control_seed(const Subject& subject, std::int64_t r) const {
    const sdk::Seed base = seed_of("control", r);
    const Control& control = control_named(subject.control);
    if (control.moves_samples()) return base.child("moved").value();
    return base.child(control.name).child(control.explains_anew() ? "" : subject.name).value();
  }

  /// A control is known by name and seed, both where it is fitted and where it is judged.
  void set_control(Job& job, const Subject& subject, std::int64_t r) const {
    job.control = subject.control;
    if (subject.is_control()) job.control_seed = control_seed(subject, r);
  }

  /// Fits what the subject is, or takes what its clean twin is. False: nothing can be judged, which
  /// is noted.
  bool fit(Subject& subject, const fs::path& arrays, std::int64_t r, std::size_t s) {
    auto& folder = subject.fitted[static_cast<std::size_t>(r)];
    if (subject.is_control() && !control_named(subject.control).explains_anew()) {
      folder = subjects_[subject.clean].fitted[static_cast<std::size_t>(r)];
      if (folder != nullptr) return true;
      note_error(r, s, subject.scores(), "nothing was fitted that it could be a control of");
      return false;
    }
    folder = std::make_shared<WorkFolder>(cache_);
    Job job = this->job(Stage::kExplain, subject.name, arrays, folder->path(), r);
    job.plugin =
        use_of(subject.explainer->plugin, subject.explainer->values, subject.explainer->inputs);
    set_control(job, subject, r);
    const JobEnd end = run_one(job, out_.subjects[s].costs[static_cast<std::size_t>(r)]);
    if (end.status == Status::ok) {
      if (r == 0 && !subject.is_control() && !request_.save_explanations.empty())
        save_explanation(subject.name, folder->path() / "artifact");
      return true;
    }
    folder = nullptr;
    note_fault(r, s, subject.scores(), end);
    return false;
  }

  void judge(std::int64_t r, std::size_t s, const fs::path& arrays) {
    Subject& subject = subjects_[s];
    tell(with_control(subject.name, subject.control) +
         (request_.splits > 1
              ? ", split " + std::to_string(r + 1) + " of " + std::to_string(request_.splits)
              : ""));
    const WorkFolder score_folder(cache_);
    Job score = job(Stage::kScore, subject.name, arrays, score_folder.path(), r);
    set_control(score, subject, r);
    if (subject.explainer != nullptr) {
      if (!fit(subject, arrays, r, s)) return;
      score.explainer =
          use_of(subject.explainer->plugin, subject.explainer->values, subject.explainer->inputs);
      score.explanation = subject.fitted[static_cast<std::size_t>(r)]->path() / "artifact";
    } else if (subject.explanation) {
      score.explanation = arrays;
    }
    if (!subject.explanation && arrays_.find("concept_head_weight"))
      score.model = request_.concept_model;
    MeasuredCost& cost = out_.subjects[s].costs[static_cast<std::size_t>(r)];
    apply(subject.metrics, score, r, s, cost);
    for (const Component* plugin : subject.plugins) apply(*plugin, score, r, s, cost);
    if (!subject.beside_clean.empty()) judge_beside_clean(score, r, s, cost);
  }

  /// What was fitted to moved samples, beside what was fitted to them as they are.
  void judge_beside_clean(Job score, std::int64_t r, std::size_t s, MeasuredCost& cost) {
    const Subject& subject = subjects_[s];
    const auto& clean = subjects_[subject.clean].fitted[static_cast<std::size_t>(r)];
    if (clean == nullptr)
      return note_error(r, s, subject.beside_clean,
                        "nothing was fitted to the samples as they are");
    score.peers = {{score.model_folder, clean->path() / "artifact"}};
    apply(subject.beside_clean, score, r, s, cost);
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

  void apply(const Component& plugin, Job score, std::int64_t r, std::size_t s,
             MeasuredCost& cost) {
    score.plugin = use_of(plugin.plugin, plugin.values, plugin.inputs);
    score.metrics.clear();
    for (const ScoreSpec& spec : plugin.plugin.metadata->scores) score.metrics.push_back(spec.name);
    const JobEnd end = run_one(score, cost);
    if (end.status != Status::ok) return note_fault(r, s, score.metrics, end);
    for (const auto& name : score.metrics)
      score_of(s, name).scores[static_cast<std::size_t>(r)] = {name, std::nullopt, "not_applicable",
                                                               "the plugin gave none"};
    take(r, s, end);
  }

  /// The second round: what was fitted to each split, beside what was fitted to the others.
  void compare_splits(std::size_t s) {
    const Subject& subject = subjects_[s];
    tell(with_control(subject.name, subject.control) + ", each split compared with the others");
    const fs::path arrays = loaded_.artifact();
    for (std::size_t r = 0; r < subject.fitted.size(); ++r) {
      if (subject.fitted[r] == nullptr) continue;
      const auto split = static_cast<std::int64_t>(r);
      const WorkFolder folder(cache_);
      Job score = job(Stage::kScore, subject.name, arrays, folder.path(), split);
      score.seed = seed_of("score over seeds", split).value();
      score.explanation = subject.fitted[r]->path() / "artifact";
      set_control(score, subject, split);
      MeasuredComparison& comparison = out_.subjects[s].comparisons[r];
      for (std::size_t other = 0; other < subject.fitted.size(); ++other) {
        if (other == r || subject.fitted[other] == nullptr) continue;
        comparison.others.push_back(other);
        score.peers.push_back({arrays, subject.fitted[other]->path() / "artifact",
                               control_seed(subject, static_cast<std::int64_t>(other)),
                               static_cast<std::int64_t>(other)});
      }
      if (!comparison.others.empty())
        apply(subject.over_seeds, score, split, s, comparison.cost);
      else
        for (const auto& metric : subject.over_seeds)
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
      parts[part.metric].push_back(part.value.value_or(std::numeric_limits<double>::quiet_NaN()));
    for (auto& [metric, values] : parts) {
      MeasuredScore& score = score_of(s, metric);
      const auto* built_in = metrics::catalogue().metric(metric);
      score.by_sample = (built_in == nullptr || parts_by_sample(*built_in)) &&
                        static_cast<std::int64_t>(values.size()) == out_.test;
      score.parts = std::move(values);
    }
  }

  void note_error(std::int64_t r, std::size_t s, const std::vector<std::string>& metrics,
                  const std::string& message) {
    for (const auto& metric : metrics)
      score_of(s, metric).scores[static_cast<std::size_t>(r)] = {metric, std::nullopt, "error",
                                                                 message};
  }

  void note_fault(std::int64_t r, std::size_t s, const std::vector<std::string>& metrics,
                  const JobEnd& end) {
    note_error(r, s, metrics, end.message);
    out_.faults.push_back(with_control(subjects_[s].name, subjects_[s].control) + ": " +
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
  std::size_t steps_ = 0, begun_ = 0;  ///< each a subject and a split, or the comparison of splits
  Measured out_;
};

}  // namespace

Measured measure(const MeasureRequest& request, const Cache& cache,
                 const std::function<void(const std::string&)>& progress) {
  return Measuring(request, cache, progress).run();
}

}  // namespace conoscope::core
