// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/robustness/factor_cells.h"
#include "metrics/robustness/irs.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// The dependency matrix and the score made from it. Rows are latents, columns factors.
struct IrsMatrix {
  Matrix irs;              ///< R; rows of constant latents are not defined and hold 0
  Matrix empida;           ///< EMPIDA({l} | {i}, all others)
  Vector normaliser;       ///< m_l, the worst deviation of a cell from the mean; 0: constant latent
  Vector disentanglement;  ///< D_l; not defined and 0 where parent is -1
  IndexVector parent;      ///< i*(l), the first of equals; -1: constant latent
  Index active = 0;        ///< number of latents that are not constant
  double score = 0.0;      ///< 0 if all latents are constant
  double coverage = 1.0;   ///< the least of all means that were used, see mean_do

  bool defined(Index latent) const { return parent[static_cast<std::size_t>(latent)] >= 0; }
};

/// Does each latent depend on one factor only, so that no intervention on the others moves it?
///
///   R_li  = IRS({l} | {i}, all other factors)       D_l = max_i R_li,  i*(l) where it is reached
///   score = sum_l m_l D_l / sum_l m_l               m_l = EMPIDA({l} | {}, all factors)
///
/// codes    Z, n x K': mean codes.   factors  G, n x K, K >= 2, as factor_cells.
/// returns  score in [-1, 1], 1: disentangled. All latents constant: 0, as disentanglement_lib has
///          it. A latent counts by how far it moves at all, so nearly dead ones hardly count.
/// throws   std::invalid_argument: as factor_cells; fewer than two factors
///
/// Rows that are a full grid, every combination once with the last factor changing fastest, are
/// done in one pass over the codes (appendix A.1): the largest |z - m| of a group follows from its
/// smallest and its largest code.
///
/// Source: Suter et al., ICML 2019, Sec. 4 (disentanglement as special case), Algorithm 1, A.1.
IrsMatrix irs_matrix(const MatrixRef& codes, const MatrixRef& factors,
                     const IrsOptions& options = {});

/// From cells that are there already; never the one-pass way.
IrsMatrix irs_matrix(const FactorCells& cells, const IrsOptions& options = {});

/// disentanglement_lib's version of the score. It differs from the paper's: factors are brought
/// into bins even if they are integers, deviations are those of samples instead of means of cells,
/// groups are conditioned on instead of re-weighted, their largest deviation is a quantile, and all
/// values of a factor weigh alike.
struct IrsQuantileOptions {
  double quantile = 0.99;  ///< of |z - group mean|, interpolated linearly; 1: the maximum
  Index bins = 20;         ///< equal-width bins for every factor; 0: the values as they are
};

/// codes, factors  as irs_matrix, K >= 1.
/// returns  as irs_matrix: empida holds the averaged deviations, normaliser max |z - mean|,
///          coverage is 1. A single sample in a group deviates by 0.
/// throws   std::invalid_argument: as factor_cells; quantile outside [0, 1], bins < 0
///
/// Source: google-research/disentanglement_lib, irs. Constant latents are told by max == min; the
/// library asks for a positive variance, which rounding gives to a constant too.
IrsMatrix irs_quantile(const MatrixRef& codes, const MatrixRef& factors,
                       const IrsQuantileOptions& options = {});

namespace declare {
/// irs_score, irs_coverage, irs_quantile, irs_domain_shift (the least domain_shift_robustness of all
/// codes, any one factor being the domain; undefined where the least domain_coverage, which is
/// irs_domain_shift_coverage, is below 0.9) and irs_active_latents. Where irs_coverage is below 0.9, a
/// caveat of the scores says how many combinations were seen. Unlike the functions, which give
/// disentanglement_lib's 0, a score of constant latents alone is undefined.
std::vector<Metric> irs_matrix();
}  // namespace declare

}  // namespace conoscope::metrics
