// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/store/store.h"
#include "tests/support/scratch.h"

// Small rows to build stores from. Keys are readable where real ones are hashes: the store does not
// care.
namespace sample {

namespace results = conoscope::results;
using conoscope::testing::Scratch;

/// 2026-01-01T00:00:00.000Z and so many seconds.
inline std::string at(int seconds) {
  return results::utc_text(std::chrono::system_clock::from_time_t(1767225600 + seconds));
}

inline const results::EnvironmentRow kHere = results::environment_row("a machine");

inline results::ComponentRow component(const std::string& kind, const std::string& key,
                                       const std::string& version = "1.0.0") {
  return {key, kind, key, version, "{\"of\": \"" + key + "\"}", "", key};
}

inline results::MetricKeyRow metric(const std::string& name,
                                    const std::string& direction = "higher") {
  return {name, "test", direction, 0.0, 1.0, "", "a citation", "a question?"};
}

inline std::string key_of(const std::string& dataset, const std::string& model,
                          const std::string& explainer, std::int64_t seed,
                          const std::string& control = "none") {
  return dataset + "/" + model + "/" + explainer + "/" + std::to_string(seed) + "/" + control;
}

inline results::CellRow cell(const std::string& dataset, const std::string& model,
                             const std::string& explainer, std::int64_t seed,
                             const std::string& control = "none") {
  return {
      key_of(dataset, model, explainer, seed, control), dataset, model, explainer, seed, control};
}

inline results::AttemptRow attempt(const std::string& id, const std::string& cell_key,
                                   int seconds = 0, results::Status status = results::Status::ok,
                                   const std::string& run = "run") {
  results::AttemptRow row;
  row.id = id;
  row.cell = cell_key;
  row.run = run;
  row.environment = kHere.key;
  row.status = status;
  row.stage = status == results::Status::ok ? "done" : "fit";
  row.started_at = at(seconds);
  row.seconds = 1.5;
  return row;
}

/// One dataset d, one model m, explainers and seeds 1..; metrics "a" (higher) and "b" (lower).
struct Plan {
  std::string run = "run";
  std::vector<std::string> explainers = {"e"};
  std::vector<std::string> controls = {"none"};
  int seeds = 3;
  std::vector<results::MetricKeyRow> metrics = {metric("a"), metric("b", "lower")};
  int created = 0;
};

inline void ask(results::Store& store, const Plan& plan = {}) {
  std::vector<results::ComponentRow> components = {component("dataset", "d"),
                                                   component("model", "m")};
  std::vector<results::CellRow> cells;
  for (const std::string& explainer : plan.explainers) {
    components.push_back(component("explainer", explainer));
    for (const std::string& control : plan.controls)
      for (int seed = 1; seed <= plan.seeds; ++seed)
        cells.push_back(cell("d", "m", explainer, seed, control));
  }
  store.add_environment(kHere);
  store.register_run({plan.run, "name of " + plan.run, "[run]", at(plan.created)}, components,
                     cells, plan.metrics);
}

/// A store of its own for the plan.
inline results::Store memory(const Plan& plan = {}) {
  results::Store store = results::Store::open(":memory:", results::Mode::kReadWrite);
  ask(store, plan);
  return store;
}

/// The problem that a call reports ("none"), and its message.
template <class Call>
std::string problem_of(Call call, std::string* message = nullptr) {
  try {
    call();
  } catch (const results::StoreError& error) {
    if (message != nullptr) *message = error.what();
    return std::string(results::to_text(error.problem()));
  }
  return "none";
}

}  // namespace sample
