// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/score_over_seeds.h"

#include <stdexcept>
#include <string>

#include "conoscope/sdk/random.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/run/control.h"
#include "metrics/peer_metric.h"

namespace conoscope::core {

namespace {

/// concept_dimension, C x L, where concepts are subspaces: docs/plugins.md. Rows end in zeros.
std::vector<metrics::IndexVector> dimensions_in(const ArrayBag& explanation) {
  std::vector<metrics::IndexVector> out;
  const auto array = explanation.find("concept_dimension");
  if (!array) return out;
  const metrics::Matrix dimensions = to_matrix(*array, 1);
  for (metrics::Index c = 0; c < dimensions.rows(); ++c) {
    out.emplace_back();
    for (metrics::Index l = 0; l < dimensions.cols(); ++l)
      if (dimensions(c, l) != 0.0)
        out.back().push_back(static_cast<metrics::Index>(dimensions(c, l)));
  }
  return out;
}

metrics::CellExplanation found_in(const std::filesystem::path& model_folder,
                                  const std::filesystem::path& explanation_folder,
                                  const std::string& control, std::uint64_t control_seed) {
  const ArrayBag model = ArrayBag::open(model_folder);
  const ArrayBag explanation = ArrayBag::open(explanation_folder);
  metrics::CellExplanation out{to_matrix(model.get("head_weight"), 1),
                               to_matrix(model.get("head_bias"), 1).col(0),
                               make_explanation(explanation), dimensions_in(explanation)};
  apply_control(out.explanation, control, sdk::Seed(control_seed));
  return out;
}

}  // namespace

void score_over_seeds(const Job& job, const std::function<void(const metrics::Score&)>& take,
                      const std::function<void()>& ready) {
  metrics::Peers peers{
      found_in(job.model_folder, job.explanation, job.control, job.control_seed), {}, job.seed};
  for (const PeerInput& peer : job.peers) {
    peers.others.push_back(
        found_in(peer.model_folder, peer.explanation, job.control, peer.control_seed));
    peers.others.back().seed = peer.seed;
  }
  ready();
  for (const std::string& name : job.metrics) {
    const auto* metric = metrics::peer_metric(name);
    if (metric == nullptr) throw std::runtime_error("no metric over seeds " + name);
    take(metrics::score(*metric, peers));
  }
}

}  // namespace conoscope::core
