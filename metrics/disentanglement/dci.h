#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// What an importance matrix says about disentanglement and completeness.
struct Dci {
  Vector by_code;                     ///< D_i
  Vector by_factor;                   ///< C_j
  double disentanglement = 0.0;       ///< sum_i rho_i D_i
  double completeness = 0.0;          ///< sum_j C_j (column sum / total)
  double disentanglement_mean = 0.0;  ///< unweighted: unused codes count as entangled
};

/// Does each code serve one factor only (disentanglement), and is each factor served by one code
/// only (completeness)?
///
///   P_i. = R_i. / its sum,  D_i = 1 - H(P_i.) / ln K     D = sum_i rho_i D_i, rho_i = row sum /
///   total Q_.j = R_.j / its sum,  C_j = 1 - H(Q_.j) / ln K'    C = sum_j C_j (column sum / total)
///
/// importance  R, K' x K: rows are codes, columns factors. Finite, >= 0; K', K >= 2.
/// returns  all in [0, 1]. A row of zeros has D_i = 0 and weighs nothing; an all-zero matrix weighs
///          uniformly and gives 0, as in disentanglement_lib, which adds 1e-11 to every entry
///          before the entropies, as is done here.
/// throws   std::invalid_argument: fewer than two codes or factors, an entry negative or not finite
///
/// Source: Eastwood and Williams, ICLR 2018. Suter et al., ICML 2019, use the weighted mean in
/// appendix D and call it a simple one in Sec. 6.1: both are given.
Dci dci_from_importance(const MatrixRef& importance);

}  // namespace conoscope::metrics
