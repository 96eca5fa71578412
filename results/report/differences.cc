// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <sstream>

#include "results/analysis/audit.h"
#include "results/analysis/comparison.h"
#include "results/analysis/letters.h"
#include "results/boards/run_metrics.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

/// With more rows than this, differences are taken to the best method only.
constexpr std::size_t kMostRows = 20000;
/// Letters for more methods than this say nothing to anybody.
constexpr std::size_t kMostLettered = 40;

using Seeds = std::map<std::int64_t, double>;

struct Side {
  std::string method;
  Seeds seeds;
};

/// One contest's methods that have numbers, by rank.
struct Group {
  const ReportedRun* run;
  std::string dataset, model, metric, direction;
  bool paired, over_seeds;
  std::vector<Side> sides;
};

std::vector<ComparedNumber> measured(const Side& side, const std::string& row, bool over_seeds) {
  std::vector<ComparedNumber> out;
  for (const auto& [seed, value] : side.seeds)
    out.push_back({row, "seed " + std::to_string(seed), value, {}, {}, over_seeds});
  return out;
}

std::vector<Group> groups_of(const ReportContext& context) {
  std::vector<Group> out;
  for (const ReportedRun& run : context.runs)
    for (const std::string& metric : run.metrics) {
      const SeedScores seeds = seed_scores(context.store, run.key, metric);
      const std::string& direction = context.metric(metric).direction;
      const bool over_seeds = is_over_seeds(context.store, metric);
      for (const Contest& contest : contests(context.store, run.key, metric, direction)) {
        Group group{&run,      contest.dataset, contest.model, metric,
                    direction, contest.paired,  over_seeds,    {}};
        for (const Entrant& entrant : contest.entrants)
          if (const auto found = seeds.find({entrant.score.subject, "none"}); found != seeds.end())
            group.sides.push_back({entrant.method, found->second});
        if (group.sides.size() > 1) out.push_back(std::move(group));
      }
    }
  return out;
}

/// A verdict names its sides A and B; here they have names.
std::string with_names(std::string text, const std::string& a, const std::string& b) {
  for (const auto& [side, name] : {std::pair("A ", &a), std::pair("B ", &b)})
    if (text.starts_with(side)) return *name + text.substr(1);
  return text;
}

/// All pairs in one correction: the letters are read together.
std::vector<std::string> letters_of(const Group& group) {
  const std::size_t n = group.sides.size();
  if (n > kMostLettered) return std::vector<std::string>(n, "-");
  std::vector<ComparedNumber> a, b;
  const auto row = [](std::size_t i, std::size_t j) {
    return std::to_string(i) + "/" + std::to_string(j);
  };
  const auto append = [](std::vector<ComparedNumber>& to, const std::vector<ComparedNumber>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      append(a, measured(group.sides[i], row(i, j), group.over_seeds));
      append(b, measured(group.sides[j], row(i, j), group.over_seeds));
    }
  std::map<std::string, bool> different;
  ComparisonOptions options;
  options.paired = group.paired;
  options.plan = false;
  for (const auto& one : compare(a, b, options).rows) different[one.row] = one.different;
  auto out = shared_letters(n, [&](std::size_t i, std::size_t j) { return different[row(i, j)]; });
  if (out.empty()) out.assign(n, "-");  // too many groups
  return out;
}

std::string outcome(const ComparisonRow& row, const std::string& direction) {
  if (!row.different) return "not separable";
  if (direction == "none") return row.difference > 0 ? "higher" : "lower";
  return (row.difference > 0) == (direction == "higher") ? "better" : "worse";
}

/// Over the seeds of all methods of the contest, as `compare` has it; not of models on different datasets.
Noise noise_of(const Group& group) {
  std::vector<Scores> all;
  for (const Side& side : group.sides) {
    std::vector<double> values;
    for (const auto& [seed, value] : side.seeds) values.push_back(value);
    const Scores scores = scores_of(values);
    all.push_back(group.over_seeds ? as_independent(scores) : scores);
  }
  return pooled_noise(all);
}

void add_rows(PageTable& table, const Group& group, std::size_t reference,
              const std::vector<std::string>& letters) {
  const Side& base = group.sides[reference];
  std::vector<ComparedNumber> a, b;
  for (const Side& side : group.sides) {
    if (&side == &base) continue;
    for (const auto& one : measured(side, side.method, group.over_seeds)) a.push_back(one);
    for (const auto& one : measured(base, side.method, group.over_seeds)) b.push_back(one);
  }
  ComparisonOptions options;
  options.paired = group.paired;
  options.plan = false;
  std::map<std::string, ComparisonRow> found;
  for (const auto& row : compare(a, b, options).rows) found.emplace(row.row, row);
  const Noise noise = group.paired ? noise_of(group) : Noise();
  const auto text = [](const std::optional<double>& value) { return human_text(field_of(value)); };
  std::int64_t place = 0;
  for (std::size_t i = 0; i < group.sides.size(); ++i) {
    const std::string& method = group.sides[i].method;
    JsonObject data;
    data.add("method", method).add("place", ++place);
    if (i == reference) {
      table.add({method, letters[i], "-", "0", "-", "-", "-", "-", "the reference"},
                data.add("difference", 0.0).add("outcome", std::string("reference")));
      continue;
    }
    const auto it = found.find(method);
    if (it == found.end()) {  // no seed in common
      table.add({method, letters[i], "0", "-", "-", "-", "-", "-", "no seed in common"},
                data.add("outcome", std::string("not separable"))
                    .add("why", std::string("no seed in common")));
      continue;
    }
    ComparisonRow& row = it->second;
    if (noise.dof > 0 && !is_uneven(noise)) row.reliable = reliable_difference(noise, row.n_a);
    const std::string pairs = std::to_string(row.n_a);
    const std::string said =
        with_names(verdict(row, group.direction, group.paired), method, base.method);
    data.add("difference", row.difference)
        .add("low", field_of(row.low))
        .add("high", field_of(row.high))
        .add("p", field_of(row.p_corrected))
        .add("outcome", outcome(row, group.direction))
        .add("text", said);
    table.add({method, letters[i], pairs, text(row.difference), text(row.low), text(row.high),
               text(row.p), text(row.p_corrected), said},
              data);
  }
}

/// A row for each letter: the methods that share it, with their means.
void add_groups(PageTable& table, const Group& group, const std::vector<std::string>& letters) {
  struct Members {
    std::string names;
    std::vector<JsonObject> marks;
  };
  std::map<std::pair<std::size_t, std::string>, Members> shared;  // aa comes behind z
  for (std::size_t i = 0; i < group.sides.size(); ++i) {
    const Side& side = group.sides[i];
    double mean = 0.0;
    for (const auto& [seed, value] : side.seeds) mean += value;
    mean /= static_cast<double>(side.seeds.size());
    std::istringstream own(letters[i]);
    for (std::string letter; own >> letter;) {
      if (letter == "-") continue;
      Members& members = shared[{letter.size(), letter}];
      members.names += (members.names.empty() ? "" : ", ") + side.method;
      members.marks.push_back(JsonObject().add("member", side.method).add("mean", mean));
    }
  }
  for (const auto& [letter, members] : shared)
    table.add({letter.second, members.names},
              JsonObject().add("letter", letter.second).add("marks", members.marks));
}

}  // namespace

Section difference_section(const ReportContext& context) {
  const std::vector<Group> groups = groups_of(context);
  std::size_t rows = 0;
  for (const Group& group : groups) rows += group.sides.size() * group.sides.size();
  const bool every_reference = rows <= kMostRows;

  PageTable table("difference-table", "Differences of the methods to the reference",
                  {kMethodColumn, "letters", "pairs", PageColumn("difference", "difference"),
                   PageColumn("low", "low"), PageColumn("high", "high"), "p",
                   PageColumn("p_holm", "p"), "verdict"});
  PageTable shared("group-table", "Methods that could not be told apart share a letter",
                   {"letter", "methods"});
  for (const Group& group : groups) {
    const auto letters = letters_of(group);
    shared.group(context.keys(*group.run, group.dataset, group.model, group.metric));
    add_groups(shared, group, letters);
    for (std::size_t i = 0; i < (every_reference ? group.sides.size() : 1); ++i) {
      GroupKeys keys = context.keys(*group.run, group.dataset, group.model, group.metric);
      keys.emplace_back("reference", group.sides[i].method);
      table.group(keys);
      add_rows(table, group, i, letters);
    }
  }
  Section section{"difference", "Is the difference real?", ""};
  if (table.empty()) return section;
  section.html =
      "<p>The mean difference of each method to a reference, over the seeds that both have, with "
      "its 95 % "
      "interval and the t test's p, corrected over all rows by Holm's method, as <code>conoscope "
      "compare</code> does, which also says how many pairs it would take. Models of different "
      "datasets share no seeds: there Welch's test stands in. Both take seeds for independent "
      "samples; where seeds only split the same rows anew, p is too small (<code>compare "
      "--resampled</code>). Two methods that share a letter could not be told apart, with all "
      "pairs corrected together; a dash stands for more than " +
      std::to_string(kMostLettered) + " methods, or more than " + std::to_string(kMostLetters) +
      " groups.</p>\n";
  section.html += every_reference
                      ? "<p class=choice><label for=reference>Reference</label> "
                        "<select id=reference data-key=reference></select></p>\n"
                      : "<p>The reference is the best method: this report would be too long with "
                        "every other one.</p>\n";
  section.html += figure_html("difference", "difference-table") + table.folded_html();
  if (!shared.empty())
    section.html +=
        "<div class=part><h3>Who cannot be told apart?</h3>\n<p>A line for each letter, "
        "over the means of the methods that share it.</p>\n" +
        figure_html("groups", shared.id()) + shared.folded_html() + "</div>\n";
  return section;
}

}  // namespace conoscope::results
