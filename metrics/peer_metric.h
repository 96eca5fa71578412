// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// The need of every metric over several seeds: no single subject offers it.
inline constexpr std::string_view kOtherSeeds = "other_seeds";
/// The need of a metric of controls that move the training samples: the explanation of the samples as
/// they are.
inline constexpr std::string_view kCleanExplanation = "clean_explanation";

/// What one cell's explainer found, and the head that it explains.
struct CellExplanation {
  Matrix weight;  ///< W of the head
  Vector bias;    ///< b
  Explanation explanation;
  /// How many neighbouring CAVs span each concept, output by output, where concepts are subspaces;
  /// empty: every CAV is a concept.
  std::vector<IndexVector> dimensions = {};
  std::int64_t seed = 0;  ///< of the run, for people; a cell's own is not told
};

/// A cell and its peers: cells of the same dataset, model, explainer and control that have other
/// seeds, so another split and other draws of the explainer. Or a control and what it controls.
struct Peers {
  CellExplanation own;
  std::vector<CellExplanation> others;  ///< one at least, by seed
  std::uint64_t seed = 0;               ///< what a metric draws from
};

/// A metric that needs several explanations of one configuration: kOtherSeeds or kCleanExplanation. It
/// is a score of a cell like any other, and compares that cell with its peers; over seeds, parts are
/// one number for each peer, by seed. Null: there is none of that name, or it is a metric of one cell.
const Metric* peer_metric(std::string_view name);
/// One that compares with other seeds, which are there only when their cells have ended.
bool is_over_seeds(std::string_view name);

/// As score() of a metric of one cell.
Score score(const Metric& metric, const Peers& peers);

}  // namespace conoscope::metrics
