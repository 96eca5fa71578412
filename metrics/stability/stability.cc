// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/stability.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/stability/concept_matching.h"
#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/statistics/correlation.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

using Sets = std::vector<ConceptSubspaces>;

Index count_of(const Sets& sets) {
  Index out = 0;
  for (const ConceptSubspaces& one : sets) out += one.count();
  return out;
}

Sets found_concepts(const CellExplanation& found) {
  Sets out = concepts_of(found);
  if (count_of(out) == 0) throw std::domain_error("stability: an explanation has no concept");
  return out;
}

/// The mean over the peers of what `compare` says of the cell and each of them.
Result over_peers(const Peers& peers,
                  const std::function<double(const Sets& own, const Sets& other)>& compare) {
  if (peers.others.empty()) numerics::refuse("stability", "there is no peer");
  const Sets own = found_concepts(peers.own);
  Result out;
  for (const CellExplanation& other : peers.others) {
    require_comparable(peers.own, other);
    out.parts.push_back(compare(own, found_concepts(other)));
    out.value += out.parts.back();
  }
  out.value /= static_cast<double>(out.parts.size());
  return out;
}

/// The sum of term(set, match) over all matched pairs.
template <typename Term>
double sum_over_matches(const Sets& a, const Sets& b, const Term& term) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c)
    for (const Match& match : match_concepts(concept_similarity(a[c], b[c]))) sum += term(c, match);
  return sum;
}

/// sum_c max(K_c, K'_c)
double places(const Sets& a, const Sets& b) {
  Index out = 0;
  for (std::size_t c = 0; c < a.size(); ++c) out += std::max(a[c].count(), b[c].count());
  return static_cast<double>(out);
}

double mean_similarity(const Sets& a, const Sets& b) {
  return sum_over_matches(a, b, [](std::size_t, const Match& match) { return match.similarity; }) /
         places(a, b);
}

Sets random_like(const Sets& shape, numerics::Random& random) {
  Sets out = shape;
  for (ConceptSubspaces& one : out)
    for (Matrix& basis : one.bases) {
      for (double& entry : basis.reshaped()) entry = random.normal();
      // Gram-Schmidt: a second pass takes away what rounding has left.
      for (Index i = 0; i < basis.rows(); ++i) {
        for (int pass = 0; pass < 2; ++pass)
          for (Index j = 0; j < i; ++j)
            basis.row(i) -= basis.row(i).dot(basis.row(j)) * basis.row(j);
        basis.row(i).normalize();
      }
    }
  return out;
}

double total_importance(const Sets& sets) {
  double sum = 0.0;
  for (const ConceptSubspaces& one : sets) sum += one.importance.sum();
  if (!(sum > 0.0)) throw std::domain_error("stability_overlap: every importance is 0");
  return sum;
}

Metric declared(std::string name, std::string question, Direction direction, double low,
                std::string_view source, Result (*compare)(const Peers&)) {
  return {.name = std::move(name),
          .group = "over_seeds",
          .question = std::move(question),
          .direction = direction,
          .low = low,
          .high = 1.0,
          .source = source,
          .needs = {"head_view", "explanation", kOtherSeeds},
          .on_request = true,
          .compare = compare};
}

}  // namespace

Result stability(const Peers& peers) { return over_peers(peers, mean_similarity); }

Result stability_null(const Peers& peers) {
  numerics::Random random(peers.seed);
  return over_peers(peers, [&](const Sets& own, const Sets& other) {
    double sum = 0.0;
    for (int draw = 0; draw < kNullDraws; ++draw)
      sum += mean_similarity(own, random_like(other, random));
    return sum / kNullDraws;
  });
}

Result stability_other_output(const Peers& peers) {
  if (peers.own.explanation.class_agnostic) throw NotApplicable("all outputs share their concepts");
  if (peers.own.explanation.outputs() < 2) throw NotApplicable("there is one output");
  return over_peers(peers, [](const Sets& own, const Sets& other) {
    Sets next = other;
    std::rotate(next.begin(), next.begin() + 1, next.end());
    return mean_similarity(own, next);
  });
}

Result stability_reappearing(const Peers& peers) {
  return over_peers(peers, [](const Sets& own, const Sets& other) {
    return sum_over_matches(
               own, other,
               [](std::size_t, const Match& match) { return match.similarity >= kReappears; }) /
           places(own, other);
  });
}

Result stability_importance(const Peers& peers) {
  return over_peers(peers, [](const Sets& own, const Sets& other) {
    std::vector<double> mine, theirs;
    sum_over_matches(own, other, [&](std::size_t c, const Match& match) {
      for (Index output = 0; output < own[c].importance.cols(); ++output) {
        mine.push_back(own[c].importance(match.a, output));
        theirs.push_back(other[c].importance(match.b, output));
      }
      return 0.0;
    });
    const auto pairs = static_cast<Index>(mine.size());
    if (pairs < 3)
      throw std::domain_error("stability_importance: " + std::to_string(pairs) +
                              " pairs have no rank correlation");
    return numerics::spearman(numerics::to_vector(mine), numerics::to_vector(theirs)).r;
  });
}

Result stability_overlap(const Peers& peers) {
  return over_peers(peers, [](const Sets& own, const Sets& other) {
    const double mine = total_importance(own), theirs = total_importance(other);
    return sum_over_matches(own, other, [&](std::size_t c, const Match& match) {
      return match.similarity * (own[c].importance.row(match.a) / mine)
                                    .cwiseMin(other[c].importance.row(match.b) / theirs)
                                    .sum();
    });
  });
}

std::vector<Metric> declare::stability() {
  constexpr std::string_view kIdea = "ours, after arXiv 2502.12892";
  return {
      declared("stability",
               "How similar are an explainer's concepts to those that it finds with other seeds?",
               Direction::kHigher, 0.0, kIdea, metrics::stability),
      declared("stability_null",
               "How similar would random directions be to an explainer's concepts?",
               Direction::kNone, 0.0, "ours", stability_null),
      declared("stability_other_output",
               "How similar are an output's concepts to those found for another output with other "
               "seeds?",
               Direction::kNone, 0.0, "ours", stability_other_output),
      declared("stability_reappearing",
               "What share of an explainer's concepts is found again with other seeds?",
               Direction::kHigher, 0.0, "ours, after arXiv 2501.16615", stability_reappearing),
      declared("stability_importance",
               "Do the importances of an explainer's concepts agree with those of other seeds?",
               Direction::kHigher, -1.0, "ours; Spearman's rank correlation", stability_importance),
      declared("stability_overlap",
               "What share of an explanation, by importance, is found again with other seeds?",
               Direction::kHigher, 0.0, "ours", stability_overlap)};
}

}  // namespace conoscope::metrics
