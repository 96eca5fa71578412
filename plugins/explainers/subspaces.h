// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the explainers whose concepts are subspaces share: several CAVs per concept, psi by the
// pseudo-inverse, and arrays that say how large each concept is and how much it matters.

#include <cstdint>
#include <string>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/subspace.h"
#include "plugins/explainers/cav_projection.h"

namespace conoscope::explainers {

/// psi of a row: its coefficients in all basis vectors of the output's concepts together, which
/// need not be orthogonal; what lies outside their span is left out.
class SubspaceProjection : public CavProjection {
 protected:
  sdk::Matrix psi(const sdk::Matrix& rows, const sdk::Matrix& bases) const final {
    return numerics::subspace_coefficients(rows, bases);
  }
};

/// The bases of one output's concepts, one below the other.
struct Subspaces {
  numerics::Matrix bases;
  std::vector<Eigen::Index> dimensions;

  void add(const numerics::Matrix& basis) {
    const Eigen::Index before = bases.rows();
    bases.conservativeResize(before + basis.rows(), basis.cols());
    bases.bottomRows(basis.rows()) = basis;
    dimensions.push_back(basis.rows());
  }
};

/// Rows of x whose label is l.
inline numerics::Matrix rows_with_label(const numerics::Matrix& x,
                                        const std::vector<Eigen::Index>& labels, Eigen::Index l) {
  std::vector<Eigen::Index> mine;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == l) mine.push_back(static_cast<Eigen::Index>(i));
  return x(mine, Eigen::all);
}

/// Beside the CAVs of an explanation:
///   dimension          text: the number of CAVs by output, "47 49 of 64"
///   concept_dimension  C x L, I64: how many CAVs belong to each concept, in the order of the CAVs
///   global_relevance   C x (L + 1): |w^l| / |w|, the last for the complement; with `squared`, its
///                      square. 0 where the output has no concepts or no weight
///   completeness       C: |P w| / |w|; 0 where the output has no concepts or no weight
/// L is the largest number of concepts of an output; shorter rows end in zeros before the
/// complement's entry.
inline void write_subspaces(const std::vector<Subspaces>& found, const sdk::Matrix& weight,
                            bool squared, sdk::ExplanationOut& out) {
  std::size_t most = 0;
  std::string text;
  for (const Subspaces& one : found) {
    most = std::max(most, one.dimensions.size());
    text += std::to_string(one.bases.rows()) + " ";
  }
  out.text("dimension", text + "of " + std::to_string(weight.cols()));
  const auto outputs = static_cast<std::int64_t>(found.size());
  const auto concepts = static_cast<std::int64_t>(most);
  auto dimension = out.create<std::int64_t>("concept_dimension", {outputs, concepts});
  auto global = out.create<double>("global_relevance", {outputs, concepts + 1});
  auto completeness = out.create<double>("completeness", {outputs});
  std::fill(dimension.begin(), dimension.end(), 0);
  std::fill(global.begin(), global.end(), 0.0);
  std::fill(completeness.begin(), completeness.end(), 0.0);
  for (std::size_t c = 0; c < found.size(); ++c) {
    const Subspaces& one = found[c];
    const Eigen::VectorXd w = weight.row(static_cast<Eigen::Index>(c)).transpose();
    std::copy(one.dimensions.begin(), one.dimensions.end(),
              dimension.begin() + static_cast<std::ptrdiff_t>(c * most));
    if (one.bases.rows() == 0 || w.isZero(0.0)) continue;
    const auto relevance =
        numerics::subspace_relevance(w.transpose(), w, one.bases, one.dimensions);
    const auto share = [&](Eigen::Index l) {
      return squared ? relevance.global[l] * relevance.global[l] : relevance.global[l];
    };
    const auto own = static_cast<Eigen::Index>(one.dimensions.size());
    for (Eigen::Index l = 0; l < own; ++l)
      global[c * (most + 1) + static_cast<std::size_t>(l)] = share(l);
    global[c * (most + 1) + most] = share(own);
    completeness[c] = relevance.completeness;
  }
}

}  // namespace conoscope::explainers
