#include "harness/core/run/kept_artifacts.h"

#include <optional>
#include <vector>

#include "harness/core/artifacts/cache.h"
#include "harness/core/plan/plan.h"
#include "results/boards/makings.h"

namespace conoscope::core {

namespace {

/// Whether a plugin draws random numbers stands in its metadata, which the store has not: both keys
/// are tried.
std::string kept_key(const std::filesystem::path& cache, Stage stage, const results::Making& made,
                     const std::vector<std::string>& inputs, std::int64_t seed) {
  for (const auto& drawn : {std::optional(seed), std::optional<std::int64_t>()}) {
    auto key = artifact_key(stage, made.key, made.sha256, inputs, drawn);
    if (Cache::has(cache, key)) return key;
  }
  return "";
}

}  // namespace

KeptArtifacts kept_artifacts(results::Store& store, const std::string& cell,
                             const std::filesystem::path& cache) {
  KeptArtifacts best;
  for (const results::Makings& made : results::makings(store, cell)) {
    KeptArtifacts kept;
    const auto data = kept_key(cache, Stage::kDataset, made.dataset, {}, made.seed);
    if (data.empty()) continue;
    kept.dataset = Cache::path_of(cache, data);
    const auto model = kept_key(cache, Stage::kModel, made.model, {data}, made.seed);
    if (!model.empty()) kept.model = Cache::path_of(cache, model);
    const bool explained = !made.explainer.key.empty();
    if (!model.empty() && explained) {
      std::vector<std::string> inputs = {data, model};
      if (explains_anew(made.control))
        inputs.push_back(explained_input(
            made.control,
            explained_seed(made.control, made.seed, made.dataset.key, made.model.key)));
      if (const auto key = kept_key(cache, Stage::kExplain, made.explainer, inputs, made.seed);
          !key.empty())
        kept.explanation = Cache::path_of(cache, key);
    }
    if (!(explained ? kept.explanation : kept.model).empty()) return kept;
    if (best.model.empty()) best = kept;
  }
  return best;
}

}  // namespace conoscope::core
