// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// Which non-negative mix of the rows of H comes closest to each row of X? (exact NNLS)
///
///   w_i = argmin_{w >= 0} |x_i - w H|^2 + ridge |w|^2
///
/// All rows share G = H H^T + ridge I. Each row's support is found by block principal pivoting on
/// G, and every answer is checked: w >= 0, and the gradient is >= 0 off the support to 1e-12 of
/// |X H^T|. Where G is close to singular (its Cholesky factor's diagonal spans more than 1e5), or a
/// row does not pass, that row is solved by Lawson-Hanson's active set on the triangular factor of
/// H^T, which does not square the condition number; a row of H that depends on those in use stays
/// out. The minimiser is then not unique (the residual is): one of them is returned.
///
/// x           N x D, finite, any sign
/// h           K x D, finite, any sign
/// ridge       >= 0
/// returns     N x K, >= 0; exact zeros off the support
/// throws      std::invalid_argument: x or h empty or not finite; widths differ; ridge negative or
///             not finite
///             std::domain_error: a row's active set did not settle in 30 K + 30 changes
///
/// Source: Lawson & Hanson, Solving Least Squares Problems, 1974, chapter 23; Kim & Park, SIAM J.
/// Sci. Comput. 33(6), 2011 (block principal pivoting).
Matrix nnls(const MatrixRef& x, const MatrixRef& h, double ridge = 0.0);

}  // namespace conoscope::numerics
