// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "numerics/svd.h"
#include "plugins/explainers/class_rows.h"

namespace conoscope::explainers {

/// All right singular vectors of an output's pooled embeddings, as rows.
/// throws  std::invalid_argument: fewer rows, or features, than k
inline sdk::Matrix singular_candidates(const std::string& method, Eigen::Index output,
                                       const sdk::Matrix& rows, std::int64_t k) {
  need_rows(method, output, rows.rows(), k);
  need_features(method, rows.cols(), k);
  const Eigen::Index candidates = std::min(rows.rows(), rows.cols());
  // The weakest candidates count too: X^T X would blur them, so it is for wide layers only.
  constexpr Eigen::Index kWide = 512;
  const auto svd =
      candidates > kWide ? numerics::SvdMethod::kAutomatic : numerics::SvdMethod::kExact;
  return numerics::truncated_svd(rows, candidates, false, svd).components;
}

/// The k candidates of largest |alpha|, the earlier of equals first, each with its sign.
inline OutputConcepts largest(const sdk::Matrix& candidates, const Eigen::VectorXd& alpha,
                              std::int64_t k) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(alpha.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&alpha](Eigen::Index a, Eigen::Index b) {
    return std::abs(alpha[a]) > std::abs(alpha[b]);
  });
  order.resize(static_cast<std::size_t>(k));
  return {candidates(order, Eigen::all), alpha(order)};
}

}  // namespace conoscope::explainers
