// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

struct DciScore {
  double value = 0.0;  ///< weighted by importance
  double mean = 0.0;   ///< of `each`, unweighted: unused codes count as entangled
  Vector each;         ///< D_i by code, or C_j by factor
};

/// Does each code serve one factor only? (the D of DCI)
///
///   P_ij = R_ij / sum_j R_ij           the share of code i's importance that factor j has
///   D_i  = 1 - H(P_i.) / ln K
///   D    = sum_i rho_i D_i,   rho_i = sum_j R_ij / sum_ij R_ij
///
/// importance  R, K' x K: rows are codes, columns factors. Finite, >= 0; K', K >= 2.
/// returns  all in [0, 1]. A row of zeros has D_i = 0 and weighs nothing; an all-zero matrix weighs
///          uniformly and gives 0, as in disentanglement_lib, which adds 1e-11 to every entry
///          before the entropies, as is done here.
/// throws   std::invalid_argument: fewer than two codes or factors, an entry negative or not finite
///
/// Source: Eastwood and Williams, ICLR 2018. Suter et al., ICML 2019, use the weighted mean in
/// appendix D and call it a simple one in Sec. 6.1: both are given.
DciScore dci_disentanglement(const MatrixRef& importance);

/// Is each factor served by one code only? (the C of DCI)
///
///   Q_ij = R_ij / sum_i R_ij           the share of factor j's importance that code i has
///   C_j  = 1 - H(Q_.j) / ln K'
///   C    = sum_j C_j sum_i R_ij / sum_ij R_ij
///
/// All else as dci_disentanglement.
DciScore dci_completeness(const MatrixRef& importance);

}  // namespace conoscope::metrics
