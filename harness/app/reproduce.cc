// SPDX-License-Identifier: Apache-2.0
// A paper's tables and figures, claim by claim. What is claimed and by which rule it is judged stands
// in harness/papers; here the studies are run, and the rules are applied to their scores.

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/ledger.h"
#include "harness/app/options.h"
#include "harness/app/store_options.h"
#include "harness/app/taking.h"
#include "harness/core/names.h"
#include "harness/core/run/registration.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/t_test.h"
#include "results/analysis/correlation.h"
#include "results/analysis/sweep.h"
#include "results/boards/component_words.h"
#include "results/boards/estimate.h"
#include "results/boards/kinds.h"
#include "results/boards/scores.h"
#include "results/formats/named_parameters.h"
#include "results/formats/numbers.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

constexpr int kDigits = 3;

fs::path find_ledger(const std::string& paper) {
  std::error_code error;
  std::vector<std::string> shipped;
  for (const auto& entry : fs::directory_iterator(share_folder() / "papers", error))
    if (entry.path().extension() == ".toml") shipped.push_back(entry.path().stem().string());
  std::sort(shipped.begin(), shipped.end());
  if (core::contains(shipped, paper)) return share_folder() / "papers" / (paper + ".toml");
  throw UsageError("reproduce: no paper " + paper + core::did_you_mean(paper, shipped));
}

/// A study in the profile that was asked for; one that has no such profile, in the item's.
struct Study {
  fs::path file;
  std::string profile;  ///< empty: its first, or it has none
  core::Plan plan;
};

bool has_profile(const fs::path& file, const std::string& profile) {
  if (profile.empty()) return false;
  core::Diagnostics ignored(file.string());
  if (core::parse_run_file(file, ignored).profile.empty()) return false;
  try {
    core::parse_run_file(file, ignored, profile);
  } catch (const core::RunFileError&) {
    return false;
  }
  return true;
}

/// The studies of a ledger. Says which of them lack the profile that was asked for, if another one has
/// it.
/// throws  core::RunFileError: none has
std::map<LedgerRun, Study> load_studies(const Ledger& ledger, const Options& options) {
  const auto asked = options.get<std::string>("profile");
  std::map<LedgerRun, Study> out;
  std::vector<const Study*> without;
  bool there = asked.empty();
  for (const LedgerRun& run : ledger.runs()) {
    const fs::path file = find_run_file(run.file);
    const bool has = has_profile(file, asked);
    const std::string& profile = has ? asked : run.profile;
    const Study& study =
        out.emplace(run, Study{file, profile, load_plan(file, options, profile)}).first->second;
    there = there || has;
    if (!asked.empty() && !has && !study.plan.run_file.profile.empty()) without.push_back(&study);
  }
  if (!there && !without.empty()) load_plan(without[0]->file, options, asked);  // throws
  for (const Study* study : without)
    std::cerr << study->file.stem().string() << " has no profile " << asked << ": judged in "
              << study->plan.run_file.profile << '\n';
  return out;
}

struct StudyComponents {
  const core::Component *dataset = nullptr, *model = nullptr, *explainer = nullptr;
  auto operator<=>(const StudyComponents&) const = default;
};

/// id(parameter=value,...): has the component these values, whatever its others are?
bool has_parameters(const core::Component& component, const std::string& wanted) {
  const auto name = results::parse_named_parameters(wanted);
  if (!name || component.id != name->id) return false;
  const auto params = results::read_params(component.params);
  return params && std::ranges::all_of(name->parameters, [&](const std::string& item) {
           const auto equals = std::min(item.find('='), item.size() - 1);
           const std::string key = item.substr(0, equals), value = item.substr(equals + 1);
           return std::ranges::any_of(*params, [&](const auto& param) {
             return param.first == key &&
                    (param.second == value || param.second == '"' + value + '"');
           });
         });
}

/// The components that a ledger means by a name: those of that name, else of that id, else those
/// that has_parameters() fits. Empty: all of them, and none, for models are judged without an
/// explainer.
std::set<const core::Component*> meant(const std::vector<core::Component>& all,
                                       const std::string& name) {
  std::set<const core::Component*> named, others;
  if (name.empty()) others.insert(nullptr);
  for (const auto& component : all) {
    if (component.name == name) named.insert(&component);
    if (name.empty() || component.id == name || has_parameters(component, name))
      others.insert(&component);
  }
  return named.empty() ? others : named;
}

/// throws  UsageError: none, or several, of the plan fit
StudyComponents find_subject(const LedgerSubject& subject, const Study& study,
                             const std::string& claim) {
  const core::Plan& plan = study.plan;
  const auto datasets = meant(plan.datasets, subject.dataset);
  const auto models = meant(plan.models, subject.model);
  const auto explainers = meant(plan.explainers, subject.explainer);
  std::set<StudyComponents> found;
  for (const auto& cell : plan.cells)
    if (cell.control == "none" && datasets.contains(cell.dataset) && models.contains(cell.model) &&
        explainers.contains(cell.explainer))
      found.insert({cell.dataset, cell.model, cell.explainer});
  const std::string who = "\"" + claim + "\", " + plan.run_file.name + ": ";
  if (found.size() != 1)
    throw UsageError(who + std::to_string(found.size()) + " subjects fit dataset \"" +
                     subject.dataset + "\", model \"" + subject.model + "\", explainer \"" +
                     subject.explainer + "\"; expected one");
  if (!core::contains(plan.metrics, subject.metric))
    throw UsageError(who + "the run does not ask for " + subject.metric);
  return *found.begin();
}

/// Are the data of one of its subjects not here? A study leaves out what is optional.
bool lacks_data(const LedgerClaim& claim, const Study& study) {
  const core::Plan& plan = study.plan;
  if (plan.cells.empty()) return true;
  return std::ranges::any_of(claim.subjects, [&](const LedgerSubject& subject) {
    return std::ranges::any_of(plan.run_file.datasets, [&](const core::ComponentRequest& asked) {
      return asked.optional && asked.name == subject.dataset &&
             std::ranges::find(plan.datasets, asked.name, &core::Component::name) ==
                 plan.datasets.end();
    });
  });
}

/// What tells the subjects of a claim apart.
std::string label_of(const LedgerSubject& subject, const LedgerClaim& claim) {
  std::string out;
  for (const auto part : {&LedgerSubject::dataset, &LedgerSubject::model, &LedgerSubject::explainer,
                          &LedgerSubject::metric}) {
    const bool differs =
        std::any_of(claim.subjects.begin(), claim.subjects.end(),
                    [&](const auto& other) { return other.*part != subject.*part; });
    if (differs && !(subject.*part).empty()) out += (out.empty() ? "" : ", ") + subject.*part;
  }
  return out;
}

/// "; Welch's p 0.003" of the difference between two groups.
std::string welch_text(const numerics::Moments& a, const numerics::Moments& b) {
  const auto test = numerics::welch_t_test_of_moments(a, b);
  return "; Welch's p " + results::digits_text(test.p, kDigits);
}

std::string published(const LedgerClaim& claim) {
  std::vector<std::string> parts;
  std::vector<numerics::Moments> groups;
  for (std::size_t i = 0; i < claim.theirs.size(); ++i) {
    parts.push_back(results::shortest_text(claim.theirs[i]));
    if (!claim.theirs_sd.empty()) {
      parts.back() += " (sd " + results::shortest_text(claim.theirs_sd[i]) + ")";
      const auto n = static_cast<double>(claim.theirs_seeds);
      groups.push_back(
          {claim.theirs[i], claim.theirs_sd[i] * std::sqrt(n / (n - 1.0)), claim.theirs_seeds});
    } else if (!claim.theirs_half_width.empty()) {
      parts.back() += " ± " + results::shortest_text(claim.theirs_half_width[i]);
    }
  }
  if (groups.size() == 2) parts.back() += welch_text(groups[0], groups[1]);
  return boost::algorithm::join(parts, "; ");
}

/// What shows the numbers behind a claim.
std::string command_of(const LedgerClaim& claim, const std::string& run) {
  std::string out = "conoscope board ";
  const bool correlates = claim.rule == results::Rule::kCorrelates;
  if (correlates)
    out += "correlation ";
  else if (results::parse_board_kind(run))  // which a run's name alone would be taken for
    out += std::string(results::board_kinds().front().name) + " ";
  out += run;
  if (correlates) out += " --with " + claim.with;
  std::vector<std::string> metrics;
  for (const auto& subject : claim.subjects)
    if (!core::contains(metrics, subject.metric)) metrics.push_back(subject.metric);
  for (const auto& metric : metrics) out += " -m " + metric;
  return out;
}

/// A claim with its scores, and these in words.
struct ScoredClaim {
  results::Claim claim;
  std::string ours;
  std::string coefficient = {};  ///< of a correlation: how it lies to the published one
  bool is_here = true;           ///< false: neither are its data, nor scores of them
};

/// Has the study run to its end on the claim's dataset, with a number at each cell?
bool is_whole(const LedgerClaim& claim, const Study& study, const std::string& metric,
              results::Store& store) {
  results::ScoreFilter wanted;
  wanted.run = study.plan.run_key;
  wanted.dataset = claim.subjects[0].dataset;
  wanted.metric = metric;
  std::set<std::tuple<std::string, std::string, std::string, std::int64_t>> scored;
  for (const auto& score : results::current_scores(store, wanted))
    scored.emplace(score.dataset_key, score.model_key, score.explainer_key, score.seed);
  const auto datasets = meant(study.plan.datasets, claim.subjects[0].dataset);
  return std::all_of(study.plan.cells.begin(), study.plan.cells.end(), [&](const core::Cell& cell) {
    return cell.control != "none" || !datasets.contains(cell.dataset) ||
           scored.contains({cell.dataset->key, cell.model->key,
                            cell.explainer ? cell.explainer->key : "", cell.seed});
  });
}

ScoredClaim scored_correlation(const LedgerClaim& claim, const Study& study,
                               results::Store& store) {
  ScoredClaim out;
  out.claim.rule = claim.rule;
  const auto asked = store.run_metrics(study.plan.run_key);
  if (!core::contains(asked, claim.with)) return out;  // the run is not in this store
  results::BoardOptions options;
  options.run = study.plan.run_key;
  options.metrics = {claim.subjects[0].metric};
  options.dataset = claim.subjects[0].dataset;
  for (const auto& [dataset, metric, subjects, found, message] :
       results::correlations(store, options, claim.with)) {
    if (!found) {
      out.ours = "no r: " + message;
      continue;
    }
    out.claim.r = found->r;
    out.claim.p = found->p;
    const auto text = [](double value) { return results::digits_text(value, kDigits); };
    out.ours = "r " + text(found->r) + " (" + text(found->low) + " to " + text(found->high) +
               "), p " + text(found->p);
    if (!claim.theirs.empty())
      out.coefficient = found->low > claim.theirs[0]    ? ", r larger"
                        : found->high < claim.theirs[0] ? ", r smaller"
                                                        : ", r not told apart";
  }
  for (const auto& metric : {claim.subjects[0].metric, claim.with})
    if (!is_whole(claim, study, metric, store)) {  // some subjects are no verdict
      out.claim.r = out.claim.p = std::nullopt;
      out.coefficient = "";
    }
  return out;
}

/// Adds a subject's numbers, of which some seeds alone are no verdict.
/// returns  their mean and interval
std::string add_numbers(ScoredClaim& to, std::map<std::int64_t, double> by_seed,
                        std::size_t seeds) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  if (by_seed.size() < seeds) by_seed.clear();
  to.claim.subjects.push_back(std::move(by_seed));
  if (values.empty()) return "-";
  return results::estimate_text(
      results::estimate_of(values, static_cast<std::int64_t>(seeds), to.claim.resampled), kDigits);
}

numerics::Moments moments_of(const std::map<std::int64_t, double>& by_seed) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  return {numerics::mean(values), numerics::sample_sd(values),
          static_cast<numerics::Index>(values.size())};
}

/// rho over the parts of all subjects, seed by seed.
ScoredClaim scored_part_correlation(const LedgerClaim& claim, double resampled, const Study& study,
                                    results::Store& store) {
  ScoredClaim out;
  out.claim.rule = claim.rule;
  out.claim.resampled = resampled;
  if (lacks_data(claim, study)) {
    out.claim.subjects.emplace_back();
    out.is_here = false;
    return out;
  }
  std::vector<results::BoardSubject> subjects;
  for (const auto& subject : claim.subjects) {
    const StudyComponents found = find_subject(subject, study, claim.says);
    subjects.emplace_back(found.dataset->key, found.model->key,
                          found.explainer ? found.explainer->key : "");
  }
  out.ours = "rho " + add_numbers(out,
                                  results::part_correlations(store, study.plan.run_key, subjects,
                                                             claim.subjects[0].metric, claim.with),
                                  study.plan.run_file.seeds.size());
  return out;
}

std::vector<results::CurrentScore> scores_of(const StudyComponents& subject,
                                             const std::string& metric, results::Store& store) {
  auto out =
      results::current_scores(store, {.run = "",
                                      .dataset = subject.dataset->key,
                                      .model = subject.model->key,
                                      .explainer = subject.explainer ? subject.explainer->key : "",
                                      .metric = metric});
  std::erase_if(out, [&subject](const results::CurrentScore& score) {
    return score.explainer.empty() != (subject.explainer == nullptr);
  });
  return out;
}

/// A component's key is made of its data. Where these are not here: the scores of the one subject that has
/// the ledger's names in the newest run of the study.
std::vector<results::CurrentScore> scores_by_name(const LedgerSubject& subject, const Study& study,
                                                  results::Store& store) {
  results::ScoreFilter wanted;
  wanted.metric = subject.metric;
  for (const auto& run : store.runs())
    if (run.name == study.plan.run_file.name) wanted.run = run.key;
  if (wanted.run.empty()) return {};
  for (const auto& [kind, name, kept] : {std::tuple("dataset", &subject.dataset, &wanted.dataset),
                                         {"model", &subject.model, &wanted.model},
                                         {"explainer", &subject.explainer, &wanted.explainer}}) {
    const auto found = results::component_filter(store, wanted.run, kind, *name);
    if (!found) return {};
    *kept = *found;
  }
  const auto out = results::current_scores(store, wanted);
  const bool one = std::ranges::all_of(out, [&](const results::CurrentScore& score) {
    return score.explainer.empty() == subject.explainer.empty() &&
           score.dataset_key == out[0].dataset_key && score.model_key == out[0].model_key &&
           score.explainer_key == out[0].explainer_key;
  });
  return one ? out : std::vector<results::CurrentScore>();
}

ScoredClaim scored_claim(const LedgerClaim& claim, double resampled, const Study& study,
                         results::Store& store) {
  ScoredClaim out;
  out.claim.rule = claim.rule;
  out.claim.bound = claim.bound;
  out.claim.theirs = claim.theirs;
  out.claim.theirs_half_width = claim.theirs_half_width;
  out.claim.resampled = resampled;
  const auto& seeds = study.plan.run_file.seeds;
  const bool by_name = lacks_data(claim, study);
  out.is_here = !by_name;
  std::vector<std::string> ours;
  for (const auto& subject : claim.subjects) {
    std::map<std::int64_t, double> by_seed;
    for (const auto& score :
         by_name ? scores_by_name(subject, study, store)
                 : scores_of(find_subject(subject, study, claim.says), subject.metric, store))
      if (std::ranges::find(seeds, score.seed) != seeds.end()) by_seed[score.seed] = score.value;
    out.is_here = out.is_here || !by_seed.empty();
    const std::string label = label_of(subject, claim);
    ours.push_back((label.empty() ? "" : label + " ") +
                   add_numbers(out, std::move(by_seed), seeds.size()));
  }
  out.ours = boost::algorithm::join(ours, "; ");
  std::vector<numerics::Moments> groups;
  for (const auto& of : out.claim.subjects)
    if (of.size() > 1) groups.push_back(moments_of(of));
  if (!claim.theirs_sd.empty() && groups.size() == 2) out.ours += welch_text(groups[0], groups[1]);
  return out;
}

/// What would decide an open claim.
std::string why_open(const results::Claim& claim, const LedgerItem& item) {
  if (!item.size.empty()) return "size";
  if (claim.rule == results::Rule::kCorrelates) return "models, r is not significant over these";
  const std::size_t tests = std::ranges::count_if(
      item.claims, [](const LedgerClaim& one) { return one.rule != results::Rule::kEqual; });
  if (const auto seeds = results::seeds_to_decide(claim, tests))
    return "seeds, " + std::to_string(*seeds) + " at this spread";
  return "no number of seeds decides";
}

std::string verdict_text(const ScoredClaim& scored, results::Verdict verdict,
                         const LedgerItem& item, const LedgerClaim& claim) {
  std::string out(results::to_string(verdict));
  if (!scored.is_here) return "not here, its data are missing";
  if (verdict == results::Verdict::kNoData) return out;
  if (verdict != results::Verdict::kReproduced && !claim.undecidable.empty())
    return "not decidable here: " + claim.undecidable;
  if (verdict == results::Verdict::kOpen) out += ": " + why_open(scored.claim, item);
  return out + scored.coefficient;
}

/// How many claims have each verdict, as "12 reproduced, 3 open: seeds".
std::string counts_text(const results::Table& ledger) {
  std::map<std::string, int> counts;
  for (const auto& row : ledger.rows) {
    const std::string verdict = results::text_of(row.back());
    // "open: seeds, 12 ...", "reproduced, r larger", "not decidable here: why"
    const bool undecidable = verdict.starts_with("not decidable here");
    ++counts[verdict.substr(0, verdict.find(undecidable ? ':' : ','))];
  }
  counts.erase("see below");
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts)
    parts.push_back(std::to_string(count) + " " + verdict);
  return boost::algorithm::join(parts, ", ");
}

results::Table ledger_table(const Ledger& ledger, const std::map<LedgerRun, Study>& studies,
                            results::Store& store) {
  results::Table table{
      {{"item"}, {"claim"}, {"run file"}, {"command"}, {"ours"}, {"theirs"}, {"verdict"}}, {}};
  for (const auto& item : ledger.items) {
    const std::string what = item.name + ": " + item.about;
    const std::string decides =
        item.size.empty() ? "" : "what is open here would take " + item.size;
    const std::string note =
        item.note + (item.note.empty() || decides.empty() ? "" : "; ") + decides;
    if (!note.empty())
      table.add({what,
                 note,
                 item.run.file.empty() ? results::Field() : results::Field(item.run.file),
                 {},
                 {},
                 {},
                 std::string(item.claims.empty() ? "not judged" : "see below")});
    if (item.claims.empty()) continue;
    const Study& study = studies.at(item.run);
    std::vector<ScoredClaim> scored;
    std::vector<results::Claim> claims;
    for (const auto& claim : item.claims) {
      scored.push_back(claim.with.empty() ? scored_claim(claim, item.resampled, study, store)
                       : claim.rule == results::Rule::kCorrelates
                           ? scored_correlation(claim, study, store)
                           : scored_part_correlation(claim, item.resampled, study, store));
      claims.push_back(scored.back().claim);
    }
    const std::vector<results::Verdict> verdicts = results::judge_together(claims);
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const LedgerClaim& claim = item.claims[i];
      const std::string& ours = scored[i].ours;
      table.add({what, claim.says, item.run.file, command_of(claim, study.plan.run_file.name),
                 ours.empty() ? results::Field() : results::Field(ours),
                 claim.theirs.empty() ? results::Field() : results::Field(published(claim)),
                 verdict_text(scored[i], verdicts[i], item, claim)});
    }
  }
  return table;
}

int run_study(const Study& study, const Options& options) {
  Arguments arguments = {study.file.string(),
                         "--no-board",
                         "--store",
                         options.store().string(),
                         "--cache",
                         options.cache().string(),
                         "--jobs",
                         std::to_string(options.jobs())};
  for (const auto& folder : options.plugin_path())
    arguments.insert(arguments.end(), {"--plugin-path", folder.string()});
  if (!study.profile.empty()) arguments.insert(arguments.end(), {"--profile", study.profile});
  return run_command(arguments);
}

/// Where the cells of a study come from.
struct StudyCells {
  std::string name;
  std::size_t all = 0, before = 0, taken = 0, computed = 0;
};

/// "sanity: 90 cells: 12 were there, 60 taken from published, 18 computed"
std::string origin_text(const StudyCells& cells, const std::string& from) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::size_t count, const std::string& what) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + what);
  };
  add(cells.before, "were there");
  add(cells.taken, "taken from " + from);
  add(cells.computed, "computed");
  add(cells.all - cells.before - cells.taken - cells.computed, "not there");
  return cells.name + ": " + std::to_string(cells.all) +
         " cells: " + boost::algorithm::join(parts, ", ");
}

/// Takes what --from has of a study, then computes the rest, unless --no-run.
///
/// from  nullptr: nothing to take from
/// cells how many of its cells came from where; without `from` not filled in
/// returns  the exit code of the run
int take_and_run(const Study& study, const Options& options, results::Store* from,
                 StudyCells& cells) {
  if (from != nullptr) {
    auto store = results::Store::open(options.store(), results::Mode::kReadWrite);
    core::register_run(study.plan, store);
    cells = {study.plan.run_file.name, study.plan.cells.size(),
             core::finished_cells(study.plan, store).size()};
    cells.taken = take_from(study.plan, store, *from, options.get<std::string>("from")).cells;
  }
  if (options.has("no-run")) return kOk;
  const int ended = run_study(study, options);
  if (from != nullptr) {
    auto store = open_or_empty(options.store());
    const std::size_t after = core::finished_cells(study.plan, store).size();
    cells.computed = after - cells.before - cells.taken;
  }
  return ended;
}

}  // namespace

int reproduce_command(const Arguments& arguments) {
  Options options(
      "reproduce PAPER [options]",
      "Runs the studies of a paper, surf, leakage, purity or irs, and prints its ledger: each\n"
      "table and figure, what is claimed, our numbers, the published ones, and what a stated\n"
      "rule says of them. docs/reproduction.md explains the rules. What is done is not run again.\n"
      "With --from, at the end also how many cells of each study were taken, and how many "
      "computed.",
      {"conoscope reproduce surf -j 2", "conoscope reproduce purity --profile paper",
       "conoscope reproduce irs --no-run --format md",
       "conoscope reproduce surf --from published -j 2"});
  options.positional("paper", 1);
  options.with_store();
  options.with_from();
  options.with_plugins();
  options.with_profile();
  options.with_jobs();
  options.flag("no-run", "judge what the store holds, with what --from has; compute nothing");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  options.jobs();
  if (!options.has("paper"))
    throw UsageError("reproduce: name a paper: surf, leakage, purity, irs");
  const auto ledger = read_ledger(find_ledger(options.list("paper")[0]));

  const std::map<LedgerRun, Study> studies = load_studies(ledger, options);
  for (const auto& item : ledger.items)  // a mistake must not come out after hours
    for (const auto& claim : item.claims)
      for (const auto& subject : claim.subjects)
        if (claim.rule != results::Rule::kCorrelates && !lacks_data(claim, studies.at(item.run)))
          find_subject(subject, studies.at(item.run), claim.says);

  int code = kOk;
  auto from = open_from(options);
  std::vector<std::string> origins;
  if (from || !options.has("no-run"))
    for (const auto& run : ledger.runs()) {
      if (studies.at(run).plan.cells.empty()) continue;  // its data are not here
      StudyCells cells;
      const int ended = take_and_run(studies.at(run), options, from ? &*from : nullptr, cells);
      if (from) origins.push_back(origin_text(cells, options.get<std::string>("from")));
      if (ended != kOk && ended != kSomeFailed) return ended;
      code = std::max(code, ended);
    }
  auto store = open_or_empty(options.store());
  std::cerr << ledger.paper << '\n';
  const results::Table table = ledger_table(ledger, studies, store);
  std::cout << results::to_text(table, format);
  std::cerr << counts_text(table) << '\n';
  for (const std::string& line : origins) std::cerr << line << '\n';
  return code;
}

}  // namespace conoscope::app
