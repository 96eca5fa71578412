// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/ladder.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "results/analysis/sweep.h"
#include "results/boards/run_metrics.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

std::optional<std::size_t> place(const std::array<const char*, 3>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return i;
  return std::nullopt;
}

std::string without_quotes(const std::string& text) {
  return text.size() > 1 && text.front() == '"' && text.back() == '"'
             ? text.substr(1, text.size() - 2)
             : text;
}

struct SubjectAtStep {
  std::string subject;
  std::size_t step;
};

using Params = std::vector<std::pair<std::string, std::string>>;

std::string params_text(const Params& params) {
  std::string out;
  for (const auto& [name, value] : params)
    out += (out.empty() ? "" : ",") + name + "=" + without_quotes(value);
  return out;
}

/// ladder_codes and its parameters but `step`.
std::optional<SubjectAtStep> model_step(const std::string& plugin, const std::string& canonical) {
  auto params = read_params(canonical);
  if (!params) return std::nullopt;
  std::optional<std::size_t> step;
  for (const auto& [name, value] : *params)
    if (name == "step") step = place(kModelSteps, without_quotes(value));
  if (!step) return std::nullopt;
  std::erase_if(*params, [](const auto& param) { return param.first == "step"; });
  const std::string rest = params_text(*params);
  return SubjectAtStep{rest.empty() ? plugin : plugin + "(" + rest + ")", *step};
}

/// An explainer by the name that a run gives to any, or by its plugin, whose parameters are the same on
/// all steps of a ladder.
std::optional<SubjectAtStep> explainer_step(const std::string& model, const std::string& name,
                                            const std::string& plugin,
                                            const std::string& canonical) {
  if (const auto step = place(kExplainerSteps, name)) return SubjectAtStep{model, *step};
  const auto step = place(kExplainerSteps, plugin);
  if (!step) return std::nullopt;
  const std::string rest = params_text(read_params(canonical).value_or(Params()));
  return SubjectAtStep{rest.empty() ? model : model + ", " + rest, *step};
}

}  // namespace

std::vector<Ladder> ladders(Store& store, const std::string& run,
                            const std::vector<std::string>& metrics) {
  // dataset, subject, of_models, place of the metric
  std::map<std::tuple<std::string, std::string, bool, std::size_t>, Ladder> found;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    require_asked(store, run, metrics[i]);
    Statement& query = store.connection().kept(query_text("ladders"));
    query.bind_filter("metric", metrics[i]).bind_filter("run", run);
    while (query.step()) {
      const bool of_models = query.text(4).empty();
      const auto at =
          of_models ? model_step(query.text(2), query.text(3))
                    : explainer_step(query.text(1), query.text(4), query.text(5), query.text(10));
      if (!at) continue;
      Ladder& ladder = found[{query.text(0), at->subject, of_models, i}];
      ladder.dataset = query.text(0);
      ladder.subject = at->subject;
      ladder.of_models = of_models;
      ladder.metric = metrics[i];
      ladder.direction = query.text(8);
      ladder.unit = query.text(9);
      Ladder::Step& step = ladder.steps[at->step];
      step.asked = true;
      if (!query.is_null(7)) step.by_seed[query.integer(6)] = query.real(7);
    }
    query.reset();
  }
  std::vector<Ladder> out;
  for (auto& [ignored, ladder] : found) out.push_back(std::move(ladder));
  return out;
}

std::pair<std::string, std::vector<Ladder>> whole_ladders(
    Store& store, const std::vector<std::string>& runs, const std::vector<std::string>& with_ladder,
    const std::string& metric) {
  for (const std::string& run : runs) {
    const auto asked = store.run_metrics(run);
    if (std::ranges::find(with_ladder, run) == with_ladder.end() ||
        std::ranges::find(asked, metric) == asked.end())
      continue;
    auto found = ladders(store, run, {metric});
    std::erase_if(found, [](const Ladder& ladder) {
      return std::ranges::any_of(ladder.steps, [](const auto& step) { return !step.asked; }) ||
             std::ranges::all_of(ladder.steps, [](const auto& s) { return s.by_seed.empty(); });
    });
    if (!found.empty()) return {run, std::move(found)};
  }
  return {};
}

std::vector<std::string> ladder_runs(Store& store) {
  Statement query(store.connection(), query_text("ladder_runs"));
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.text(0));
  return out;
}

}  // namespace conoscope::results
