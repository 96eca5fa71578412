// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "numerics/svd.h"
#include "plugins/explainers/class_rows.h"

namespace conoscope::explainers {

/// The k directions in which an output's rows vary most, and how much: a centred SVD. A direction
/// without variance is any that completes a basis, and yet <h, v> is not 0 there: a concept made of
/// it would mean nothing and weigh something, so it is refused.
///
/// throws  std::invalid_argument: fewer rows or features than k
///         std::domain_error: the rows vary in fewer than k directions
inline numerics::TruncatedSvd principal_directions(const std::string& method, Eigen::Index output,
                                                   const sdk::Matrix& rows, std::int64_t k) {
  need_rows(method, output, rows.rows(), k);
  need_features(method, rows.cols(), k);
  Eigen::Index found = 0;
  if (rows.rows() > 1) {
    auto svd = numerics::truncated_svd(rows, k, true);
    const double noise = std::numeric_limits<double>::epsilon() *
                         static_cast<double>(std::max(rows.rows(), rows.cols())) * rows.norm();
    found = (svd.singular_values.array() > noise).count();
    if (found == k) return svd;
  }
  throw std::domain_error(method + ": the rows of output " + std::to_string(output) + " vary in " +
                          std::to_string(found) +
                          " directions, fewer than k = " + std::to_string(k) + " concepts");
}

}  // namespace conoscope::explainers
