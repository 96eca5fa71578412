// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/matched_concepts.h"

#include <algorithm>

#include "metrics/peer_metric.h"
#include "metrics/stability/concept_matching.h"
#include "metrics/summaries/shown_items.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

constexpr std::size_t kMostConcepts = 24, kMostPeers = 2;

/// An explanation's concepts with their places in it.
class Concepts {
 public:
  explicit Concepts(const CellExplanation& found)
      : explanation_(found.explanation), sets_(concepts_of(found)) {}

  const std::vector<ConceptSubspaces>& sets() const { return sets_; }

  double row(std::size_t set, Index k) const {
    return static_cast<double>(explanation_.first_row(static_cast<Index>(set)) +
                               sets_[set].first[static_cast<std::size_t>(k)]);
  }
  double importance(std::size_t set, Index k) const {
    return sets_[set].importance.row(k).maxCoeff();
  }
  double output(std::size_t set, Index k) const {
    Index best = static_cast<Index>(set);
    if (explanation_.class_agnostic) sets_[set].importance.row(k).maxCoeff(&best);
    return static_cast<double>(best);
  }

 private:
  const Explanation& explanation_;
  std::vector<ConceptSubspaces> sets_;
};

struct Place {
  std::size_t set = 0;
  Index k = 0;
};

std::vector<Place> most_important(const Concepts& concepts, bool shared) {
  std::vector<Place> all;
  std::vector<double> importance;
  IndexVector output;
  for (std::size_t set = 0; set < concepts.sets().size(); ++set)
    for (Index k = 0; k < concepts.sets()[set].count(); ++k) {
      all.push_back({set, k});
      importance.push_back(concepts.importance(set, k));
      if (!shared) output.push_back(static_cast<Index>(set));
    }
  std::vector<Place> out;
  for (const Index j : most_important_first(numerics::to_vector(importance), output))
    out.push_back(all[static_cast<std::size_t>(j)]);
  return out;
}

SummaryTable matched(const Peers& peers) {
  const Concepts own(peers.own);
  std::vector<Place> shown = most_important(own, peers.own.explanation.class_agnostic);
  SummaryTable out;
  if (shown.size() > kMostConcepts) {
    out.caveat = "the " + std::to_string(kMostConcepts) + " of " + std::to_string(shown.size()) +
                 " most important concepts";
    shown.resize(kMostConcepts);
  }
  struct Other {
    double seed;
    Concepts concepts;
    std::vector<std::vector<Match>> matches;  ///< of each set
  };
  std::vector<Other> others;
  for (const CellExplanation& peer : peers.others) {
    if (others.size() == kMostPeers) break;
    require_comparable(peers.own, peer);
    Other& other = others.emplace_back(Other{static_cast<double>(peer.seed), Concepts(peer), {}});
    for (std::size_t set = 0; set < own.sets().size(); ++set)
      other.matches.push_back(
          match_concepts(concept_similarity(own.sets()[set], other.concepts.sets()[set])));
  }
  for (const Place& place : shown)
    for (const Other& other : others) {
      const auto& matches = other.matches[place.set];
      const auto match = std::ranges::find(matches, place.k, &Match::a);
      const bool found = match != matches.end();
      out.add({own.output(place.set, place.k), own.row(place.set, place.k),
               own.importance(place.set, place.k), other.seed,
               found ? other.concepts.row(place.set, match->b) : kNoNumber,
               found ? other.concepts.importance(place.set, match->b) : kNoNumber,
               found ? match->similarity : kNoNumber});
    }
  return out;
}

}  // namespace

Summary declare::matched_concepts() {
  return {.name = "matched_concepts",
          .question = "What does an explainer find with other seeds in place of each concept?",
          .source = "ours",
          .needs = {"head_view", "explanation", kOtherSeeds},
          .columns = {"output", "concept", "importance", "seed", "other", "other_importance",
                      "similarity"},
          .compare = matched,
          .of_metric = "stability"};
}

}  // namespace conoscope::metrics
