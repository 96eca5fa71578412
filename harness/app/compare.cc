// Is the difference between two explainers, runs, stores, models, datasets or metrics significant?

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/leakage_criterion.h"
#include "harness/app/options.h"
#include "harness/app/plot_option.h"
#include "harness/app/reading.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "results/analysis/comparison.h"
#include "results/boards/component_words.h"
#include "results/boards/scores.h"

namespace conoscope::app {

namespace po = boost::program_options;

namespace {

constexpr const char* kKinds[] = {"store", "run", "explainer", "model", "dataset", "metric"};

/// What a word of the command line stands for.
struct Side {
  std::string kind, name;
};

bool whole(const Side& side) { return side.kind == "store" || side.kind == "run"; }

std::vector<std::string> names_of(results::Store& store, const std::string& kind) {
  if (kind == "metric") return results::metric_names(store);
  if (kind != "run") return results::component_names(store, "", kind);
  std::vector<std::string> names;
  for (const auto& run : store.runs()) names.push_back(run.name);
  return names;
}

bool is_component_kind(const std::string& kind) {
  return kind == "explainer" || kind == "model" || kind == "dataset";
}

/// What the run calls so; else what others do.
std::optional<std::string> find_component(results::Store& store, const std::string& run,
                                          const std::string& kind, const std::string& word) {
  const auto of_run = results::component_filter(store, run, kind, word);
  return of_run || run.empty() ? of_run : results::component_filter(store, "", kind, word);
}

Side side_of(results::Store* store, const std::string& in_run, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos)
    for (const char* kind : kKinds)
      if (text.substr(0, colon) == kind) return {kind, text.substr(colon + 1)};
  if (std::filesystem::is_regular_file(text)) return {"store", text};
  if (store == nullptr) throw UsageError(text + ": no such store file");
  std::vector<std::string> kinds, known;
  for (const char* kind : kKinds) {
    if (std::string(kind) == "store") continue;
    const auto names = names_of(*store, kind);
    if (is_component_kind(kind) ? find_component(*store, in_run, kind, text).has_value()
                                : core::contains(names, text))
      kinds.emplace_back(kind);
    known.insert(known.end(), names.begin(), names.end());
  }
  if (kinds.size() == 1) return {kinds[0], text};
  if (kinds.empty()) {
    // The start of a run's key, as elsewhere.
    for (const auto& run : store->runs())
      if (!text.empty() && run.key.starts_with(text)) return {"run", text};
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw UsageError("there is no store file, run, explainer, model, dataset or metric " + text +
                     core::did_you_mean(text, known));
  }
  std::string choice;
  for (const auto& kind : kinds) choice += (choice.empty() ? "" : " or ") + kind + ":" + text;
  throw UsageError(text + " has several meanings; write " + choice);
}

/// A name must stand for one thing: scores of two are no pairs of anything. What bears the name
/// itself comes before what shares the plugin of that name.
void require_one(const Side& side, std::vector<results::CurrentScore>& scores) {
  const auto named = [&side](const results::CurrentScore& score) {
    return side.name == (side.kind == "explainer" ? score.explainer
                         : side.kind == "model"   ? score.model
                                                  : score.dataset);
  };
  if (std::any_of(scores.begin(), scores.end(), named))
    std::erase_if(scores, [&named](const auto& score) { return !named(score); });
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& score : scores)
    found.emplace(side.kind == "explainer" ? std::pair(score.explainer_key, score.explainer)
                  : side.kind == "model"   ? std::pair(score.model_key, score.model)
                                           : std::pair(score.dataset_key, score.dataset));
  if (found.size() < 2) return;
  std::string list;
  for (const auto& [key, name] : found)
    list += (list.empty() ? "" : ", ") + name + " (key " + short_key(key) + ")";
  throw UsageError(side.kind + " " + side.name + " stands for " + std::to_string(found.size()) +
                   ": " + list + "; name one, by its key or the start of it");
}

/// --dataset, --model and --explainer as they were given, by kind.
using Kept = std::map<std::string, std::vector<std::string>>;

/// What a store of its own calls so; a word that it does not know fits nothing there.
std::string kept_in(results::Store& store, const std::string& kind, const Kept& kept) {
  std::vector<std::string> lines;
  if (const auto words = kept.find(kind); words != kept.end())
    for (const std::string& word : words->second)
      lines.push_back(results::component_filter(store, "", kind, word).value_or(word));
  return boost::algorithm::join(lines, "\n");
}

std::vector<results::CurrentScore> scores_of(const Options& options, const Side& side,
                                             results::Store* store, results::ScoreFilter filter,
                                             const Kept& kept) {
  if (side.kind == "store") {
    auto other = open_store(options, side.name);
    filter.run.clear();
    filter.dataset = kept_in(other, "dataset", kept);
    filter.model = kept_in(other, "model", kept);
    filter.explainer = kept_in(other, "explainer", kept);
    return results::current_scores(other, filter);
  }
  if (side.kind == "run") {
    filter.run = store->find_run(side.name);
    return results::current_scores(*store, filter);
  }
  const auto found = is_component_kind(side.kind)
                         ? find_component(*store, filter.run, side.kind, side.name)
                         : std::optional(side.name);
  const auto names = names_of(*store, side.kind);
  if (!found || (side.kind == "metric" && !core::contains(names, side.name)))
    throw UsageError("there is no " + side.kind + " " + side.name +
                     core::did_you_mean(side.name, names));
  if (side.kind == "explainer") filter.explainer = *found;
  if (side.kind == "model") filter.model = *found;
  if (side.kind == "dataset") filter.dataset = *found;
  if (side.kind == "metric") filter.metric = *found;
  auto scores = results::current_scores(*store, filter);
  if (side.kind != "metric") require_one(side, scores);
  return scores;
}

/// Two runs may call one thing by two names: B's scores take those that A's have.
void call_alike(const std::vector<results::CurrentScore>& a,
                std::vector<results::CurrentScore>& b) {
  std::map<std::string, std::string> names;
  for (const auto& score : a)
    for (const auto& [key, name] : {std::pair(&score.dataset_key, &score.dataset),
                                    {&score.model_key, &score.model},
                                    {&score.explainer_key, &score.explainer}})
      names[*key] = *name;
  for (auto& score : b)
    for (const auto& [key, name] : {std::pair(&score.dataset_key, &score.dataset),
                                    {&score.model_key, &score.model},
                                    {&score.explainer_key, &score.explainer}})
      if (const auto it = names.find(*key); it != names.end()) *name = it->second;
}

/// --metric: metrics and groups; without it, every metric that ranks.
class Wanted {
 public:
  explicit Wanted(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      const auto selected = metrics::catalogue().select(name);
      for (const auto* info : selected) names_.emplace(info->name);
      if (selected.empty()) names_.insert(name);  // a plugin's
      named_.push_back(name);
    }
  }

  bool operator()(const results::CurrentScore& score) const {
    return named_.empty() ? score.direction != "none" : names_.contains(score.metric);
  }

 private:
  std::set<std::string> names_;
  std::vector<std::string> named_;
};

/// Rows come in the catalogue's order; metrics of plugins behind it.
std::size_t place_of(const std::string& metric) { return metrics::catalogue().place(metric); }

struct Arranged {
  std::vector<results::Measured> numbers;
  std::map<std::string, std::string> directions;  // by row
};

/// What two sides of this kind share, beside the seed.
std::vector<std::string> shared_by(const std::string& kind) {
  std::vector<std::string> out;
  for (const char* other : {"dataset", "model", "explainer"})
    if (kind != other) out.emplace_back(other);
  return out;
}

/// Two versions may share a name: then it does not say which scores belong together.
void require_distinct(const std::vector<results::CurrentScore>& scores, const Side& side) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> keys;
  for (const auto& score : scores) {
    keys[{"dataset", score.dataset}].insert(score.dataset_key);
    keys[{"model", score.model}].insert(score.model_key);
    keys[{"explainer", score.explainer}].insert(score.explainer_key);
  }
  for (const auto& [what, of] : keys) {
    const auto& [kind, name] = what;
    if (of.size() < 2 || kind == side.kind) continue;
    std::vector<std::string> short_keys;
    for (const std::string& key : of) short_keys.push_back(short_key(key));
    throw UsageError("compare: " + side.kind + " " + side.name + " has " +
                     std::to_string(of.size()) + " of the name " + kind + " " + name +
                     ", of other versions or parameters; keep one by its key: --" + kind + " " +
                     short_keys.front() + " (there are " +
                     boost::algorithm::join(short_keys, ", ") + ")");
  }
}

Arranged arrange(std::vector<results::CurrentScore> scores, const Side& side, const Wanted& wanted,
                 bool pooled) {
  require_distinct(scores, side);
  std::stable_sort(scores.begin(), scores.end(), [](const auto& x, const auto& y) {
    return place_of(x.metric) < place_of(y.metric);
  });
  Arranged out;
  for (const auto& score : scores) {
    if (side.kind != "metric" && !wanted(score)) continue;
    std::string row = side.kind == "metric" ? "" : score.metric;
    std::string partner;
    for (const std::string& part : shared_by(side.kind)) {
      const std::string& name = part == "dataset" ? score.dataset
                                : part == "model" ? score.model
                                                  : score.explainer;
      (pooled ? partner : row) += pooled ? part + " " + name + ", " : kBetween + name;
    }
    if (score.control != "none") partner += "control " + score.control + ", ";
    partner += "seed " + std::to_string(score.seed);
    out.directions[row] = score.direction;
    out.numbers.push_back({std::move(row), std::move(partner), score.value, score.dataset});
  }
  return out;
}

results::ComparisonOptions comparison_options(const Options& options) {
  results::ComparisonOptions out;
  if (options.has("leakage-criterion"))
    for (const char* other : {"metric", "pooled", "unpaired"})
      if (options.has(other))
        throw UsageError(std::string("--leakage-criterion does not go with --") + other);
  out.paired = !options.has("unpaired");
  out.over_datasets = options.has("pooled");
  out.resampled = options.get<double>("resampled");
  if (!(out.resampled >= 0 && out.resampled < 1e6))
    throw UsageError("--resampled: test rows over training rows, as 0.25");
  out.alpha = options.get<double>("alpha");
  out.power = options.get<double>("power");
  if (!(out.alpha > 0 && out.alpha < 1)) throw UsageError("--alpha must be between 0 and 1");
  if (!(out.power > out.alpha && out.power < 1))
    throw UsageError("--power must be between --alpha and 1");
  const auto test = options.get<std::string>("test");
  if (test == "wilcoxon")
    out.test = results::PairTest::kWilcoxon;
  else if (test == "bootstrap")
    out.test = results::PairTest::kBootstrap;
  else if (test != "t")
    throw UsageError("--test " + test + ": it is t, wilcoxon or bootstrap");
  if (out.resampled > 0 && (test != "t" || !out.paired || out.over_datasets))
    throw UsageError("--resampled corrects the paired t test of one dataset's seeds only");
  if (!out.paired && test != "t") throw UsageError("--unpaired has Welch's t test only");
  const auto correction = options.get<std::string>("correction");
  if (correction == "bh")
    out.correction = results::Correction::kBenjaminiHochberg;
  else if (correction == "none")
    out.correction = results::Correction::kNone;
  else if (correction != "holm")
    throw UsageError("--correction " + correction + ": it is holm, bh or none");
  return out;
}

results::Field optional_field(const std::optional<double>& value) {
  return value ? results::Field(*value) : results::Field();
}

results::Table table_of(const results::Comparison& comparison, const Arranged& a, const Arranged& b,
                        const std::string& metric_pair, const std::vector<std::string>& shared,
                        bool paired, const std::string& correction) {
  using results::ColumnType;
  results::Table table;
  table.columns = {{"metric"}};
  for (const std::string& part : shared) table.columns.push_back({part});
  table.columns.push_back({"better"});
  if (paired)
    table.columns.push_back({"pairs", ColumnType::kInteger});
  else
    table.columns.insert(table.columns.end(),
                         {{"n_a", ColumnType::kInteger}, {"n_b", ColumnType::kInteger}});
  for (const char* name : {"a", "b", "difference", "low", "high", "p"})
    table.columns.push_back({name, ColumnType::kReal});
  if (correction != "none") table.columns.push_back({"p_" + correction, ColumnType::kReal});
  if (paired)
    table.columns.insert(table.columns.end(),
                         {{"detectable", ColumnType::kReal}, {"needed", ColumnType::kInteger}});
  table.columns.push_back({"verdict"});

  for (const auto& row : comparison.rows) {
    std::vector<results::Field> fields;
    for (std::size_t begin = 0, end = 0; end != row.row.npos; begin = end + 1) {
      end = row.row.find(kBetween, begin);
      const std::string part = row.row.substr(begin, end - begin);
      // No explainer where the model itself is judged.
      fields.push_back(part.empty() && begin > 0 ? results::Field() : results::Field(part));
    }
    if (!metric_pair.empty()) fields.front() = metric_pair;
    const std::string& direction_a = a.directions.at(row.row);
    const std::string direction = direction_a == b.directions.at(row.row) ? direction_a : "none";
    fields.emplace_back(direction);
    fields.emplace_back(row.n_a);
    if (!paired) fields.emplace_back(row.n_b);
    for (const double value : {row.mean_a, row.mean_b, row.difference}) fields.emplace_back(value);
    for (const auto& value : {row.low, row.high, row.p}) fields.push_back(optional_field(value));
    if (correction != "none") fields.push_back(optional_field(row.p_corrected));
    if (paired) {
      fields.push_back(optional_field(row.detectable));
      fields.push_back(row.needed ? results::Field(*row.needed) : results::Field());
    }
    fields.emplace_back(verdict(row, direction, paired));
    table.add(std::move(fields));
  }
  return table;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  Options options(
      "compare A B [options]",
      "Is there a difference between A and B, and is it significant? They are two explainers,\n"
      "runs, store files, models, datasets or metrics: a name, or kind:name where a name\n"
      "has several meanings (run:quick, explainer:svd, store:old.db). One test for each\n"
      "metric, dataset, model and explainer, but for what differs, on pairs of one seed:\n"
      "both means, the mean difference A - B with its interval, the p-value, corrected\n"
      "over all rows, the smallest difference that so many pairs can show, and how many\n"
      "pairs the difference that was seen would take. --pooled: one test for each metric,\n"
      "on the means over datasets (Demsar 2006).\n"
      "--leakage-criterion: which side leaks more, by ctl and icl together (Parisini et al.\n"
      "2025): more where one is significantly larger (Welch) and the other not smaller.\n"
      "Exit code 6: a difference was found; 0: none was, which does not mean that there\n"
      "is none.",
      {"conoscope compare svd kmeans", "conoscope compare svd kmeans --metric surf --pooled",
       "conoscope compare svd kmeans -m surf_emd --plot difference.svg",
       "conoscope compare run:quick run:full --metric surf_mae",
       "conoscope compare last-month.db conoscope.db --test wilcoxon",
       "conoscope compare metric:surf_mae metric:surf_mae_spatial_mean --format json"});
  options.positional("sides", 2);
  options.with_store();
  options.with_verify();
  options.add()("metric,m", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
                "a metric or a group of them; may be repeated (default: all that rank)");
  options.add()("leakage-criterion", "the Leakage Criterion instead of a test for each metric");
  options.add()("pooled", "one row for each metric; n counts datasets");
  options.add()("resampled", po::value<double>()->default_value(0, "0")->value_name("R"),
                "the seeds are splits of one sample, R = test rows / training rows: Nadeau and "
                "Bengio's corrected variance");
  options.add()("run", po::value<std::string>()->default_value("")->value_name("RUN"),
                "only what this run asks for");
  options.with_component_filters();
  options.add()("control", po::value<std::string>()->default_value("none")->value_name("NAME"),
                "of this control");
  options.add()("test", po::value<std::string>()->default_value("t")->value_name("T"),
                "t, wilcoxon or bootstrap");
  options.add()("unpaired", "Welch's test of two groups instead of pairs");
  options.add()("correction", po::value<std::string>()->default_value("holm")->value_name("C"),
                "over the rows: holm, bh (Benjamini-Hochberg) or none");
  options.add()("alpha", po::value<double>()->default_value(0.05, "0.05")->value_name("P"),
                "largest corrected p that counts as a difference; intervals are of 1 - P");
  options.add()("power", po::value<double>()->default_value(0.8, "0.8")->value_name("P"),
                "probability to see a detectable difference");
  add_plot(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto statistics = comparison_options(options);
  const auto correction = options.get<std::string>("correction");
  const bool pooled = statistics.over_datasets;
  const auto words = options.list("sides");
  if (words.size() != 2) throw UsageError("compare: which two? `conoscope compare A B`");

  // Two store files need no third one.
  const auto names_a_file = [](const std::string& word) {
    return word.starts_with("store:") || std::filesystem::is_regular_file(word);
  };
  std::optional<results::Store> store;
  if (!names_a_file(words[0]) || !names_a_file(words[1])) store = open_store(options);
  results::Store* const shared = store ? &*store : nullptr;
  std::string run = options.get<std::string>("run");
  if (!run.empty() && shared != nullptr) run = shared->find_run(run);
  const Side side_a = side_of(shared, run, words[0]), side_b = side_of(shared, run, words[1]);
  if (side_a.kind != side_b.kind && !(whole(side_a) && whole(side_b)))
    throw UsageError("compare: " + words[0] + " is of the kind " + side_a.kind + ", " + words[1] +
                     " of the kind " + side_b.kind);
  if (pooled && side_a.kind == "dataset")
    throw UsageError("compare: --pooled does not go with two datasets");
  auto metric_options = options.list("metric");
  if (side_a.kind == "metric" && !metric_options.empty())
    throw UsageError("compare: --metric does not go with two metrics");
  const bool criterion = options.has("leakage-criterion");
  if (criterion && side_a.kind == "metric")
    throw UsageError("compare: --leakage-criterion does not go with two metrics");
  if (criterion) metric_options = {"ctl", "icl"};

  results::ScoreFilter filter;
  if (!run.empty() && whole(side_a))
    throw UsageError("compare: --run does not go with runs and stores");
  filter.run = run;
  Kept kept;
  for (const auto& [kind, lines] : {std::pair("dataset", &filter.dataset),
                                    {"model", &filter.model},
                                    {"explainer", &filter.explainer}})
    if (options.has(kind)) {
      kept[kind] = options.list(kind);
      if (kind == side_a.kind)
        throw UsageError(std::string("compare: --") + kind + " does not go with two of that kind");
      if (shared != nullptr) *lines = component_filter(*shared, filter.run, kind, kept[kind]);
    }
  filter.control = options.get<std::string>("control");
  const Wanted wanted(metric_options);
  auto scores_a = scores_of(options, side_a, shared, filter, kept);
  auto scores_b = scores_of(options, side_b, shared, filter, kept);
  call_alike(scores_a, scores_b);
  const Arranged a = arrange(std::move(scores_a), side_a, wanted, pooled);
  const Arranged b = arrange(std::move(scores_b), side_b, wanted, pooled);
  if (criterion) {
    const auto found =
        leakage_criterion_rows(a.numbers, b.numbers, shared_by(side_a.kind), statistics.alpha);
    if (found.table.rows.empty())
      throw UsageError(
          "compare: no dataset and model under which both sides have ctl and icl of "
          "two seeds or more");
    std::cerr << "A is " << side_a.kind << ' ' << side_a.name << ", B is " << side_b.kind << ' '
              << side_b.name << '\n';
    std::cout << results::to_text(found.table, format);
    return found.different ? kDifferent : kOk;
  }
  const auto comparison = results::compare(a.numbers, b.numbers, statistics);
  if (comparison.rows.empty())
    throw UsageError("compare: nothing to compare: " + std::to_string(a.numbers.size()) +
                     " scores of " + words[0] + " and " + std::to_string(b.numbers.size()) +
                     " of " + words[1] + ", and no two of them belong together");

  std::cerr << "A is " << side_a.kind << ' ' << side_a.name << ", B is " << side_b.kind << ' '
            << side_b.name << "; differences are A - B\n";
  if (comparison.alone_a + comparison.alone_b > 0)
    std::cerr << comparison.alone_a << " scores of A and " << comparison.alone_b
              << " of B have no partner and are left out\n";
  const std::string metric_pair =
      side_a.kind == "metric" ? side_a.name + " - " + side_b.name : std::string();
  const results::Table table = table_of(
      comparison, a, b, metric_pair, pooled ? std::vector<std::string>() : shared_by(side_a.kind),
      statistics.paired, correction);
  std::cout << results::to_text(table, format);
  write_plot(options, table,
             (metric_pair.empty() ? metric_options.empty() ? "" : metric_options[0] + ": "
                                  : metric_pair + ": ") +
                 side_a.name + " - " + side_b.name);
  return comparison.different() ? kDifferent : kOk;
}

}  // namespace conoscope::app
