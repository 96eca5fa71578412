// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct Modularity {
  double value = 0.0;
  std::vector<double> by_code;
};

/// Does each code tell of one factor only?
///
///   code j:  1 - (sum_k m_jk^2 - max_k m_jk^2) / (max_k m_jk^2 (K - 1)),   m = I(j, k)
///
/// mutual_information  K' x K, K >= 2, see code_information.
/// returns  the mean over codes, [0, 1]; 1: modular. A code that tells nothing counts 0. A dead
///          code with a little noise has a little information on everything and scores anything.
/// throws   std::invalid_argument: K < 2, K' < 1, an entry negative or not finite
///
/// Source: Ridgeway and Mozer, NeurIPS 2018; the 0 is disentanglement_lib's.
Modularity modularity(const MatrixRef& mutual_information);

/// The same, each code counted by how much it matters for all factors together.
///
///   sum_i rho_i (modularity of code i),   rho_i = sum_j R_ij / sum_ij R_ij
///
/// importance  R, K' x K, see dci_disentanglement.   returns, throws  as modularity, as well as
///          std::invalid_argument: another shape; std::domain_error: R is all zero
///
/// Source: Suter et al., ICML 2019, Sec. 6.1; their appendix D takes the mean.
double modularity_weighted(const MatrixRef& mutual_information, const MatrixRef& importance);

namespace declare {
/// modularity; modularity_weighted, by the importances of dci_forest
std::vector<Metric> modularity();
}  // namespace declare

}  // namespace conoscope::metrics
