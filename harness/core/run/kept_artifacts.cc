// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/kept_artifacts.h"

#include <optional>
#include <vector>

#include "harness/core/artifacts/cache.h"
#include "harness/core/border/provenance.h"
#include "harness/core/plan/plan.h"
#include "results/boards/provenance.h"

namespace conoscope::core {

namespace {

struct Kept {
  std::string identity, key;
};

/// The first n plugins of an attempt.
std::string first_plugins(const std::string& binaries, int n) {
  std::size_t end = 0;
  for (; n > 0 && end != binaries.npos; --n) end = binaries.find("; ", end == 0 ? 0 : end + 1);
  return binaries.substr(0, end);
}

/// Whether a plugin draws random numbers stands in its metadata, which the store has not: both keys
/// are tried. Where it is not recorded what makes an artifact, its name is its identity.
Kept kept_artifact(const std::filesystem::path& cache, Stage stage,
                   const results::UsedComponent& made, const std::vector<std::string>& inputs,
                   const results::Provenance& attempt) {
  const int plugins = stage == Stage::kDataset ? 1 : stage == Stage::kModel ? 2 : 3;
  const std::string making =
      making_of(made_by_text(attempt.environment, first_plugins(attempt.binaries, plugins)));
  for (const auto& drawn : {std::optional(attempt.seed), std::optional<std::int64_t>()}) {
    const auto identity = artifact_key(stage, made.key, made.sha256, inputs, drawn);
    for (const std::string& key : {cache_key(identity, making), identity})
      if (Cache::has(cache, key)) return {identity, key};
  }
  return {};
}

}  // namespace

KeptArtifacts kept_artifacts(results::Store& store, const std::string& cell,
                             const std::filesystem::path& cache) {
  KeptArtifacts best;
  for (const results::Provenance& made : results::provenances(store, cell)) {
    KeptArtifacts kept;
    const Kept data = kept_artifact(cache, Stage::kDataset, made.dataset, {}, made);
    if (data.key.empty()) continue;
    kept.dataset = Cache::path_of(cache, data.key);
    const Kept model = kept_artifact(cache, Stage::kModel, made.model, {data.identity}, made);
    if (!model.key.empty()) kept.model = Cache::path_of(cache, model.key);
    const bool explained = !made.explainer.key.empty();
    if (!model.key.empty() && explained) {
      std::vector<std::string> inputs = {data.identity, model.identity};
      if (const Control* control = find_control(made.control); control && control->explains_anew())
        inputs.push_back(explained_input(
            *control, explained_seed(*control, made.seed, made.dataset.key, made.model.key)));
      if (const auto found = kept_artifact(cache, Stage::kExplain, made.explainer, inputs, made);
          !found.key.empty())
        kept.explanation = Cache::path_of(cache, found.key);
    }
    if (!(explained ? kept.explanation : kept.model).empty()) return kept;
    if (best.model.empty()) best = kept;
  }
  return best;
}

}  // namespace conoscope::core
