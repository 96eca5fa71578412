// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/seed_agreement.h"

#include <set>
#include <vector>

#include "numerics/checks.h"
#include "numerics/statistics/correlation.h"
#include "numerics/statistics/moments.h"

namespace conoscope::results {

SeedAgreement seed_agreement(const numerics::MatrixRef& scores) {
  using numerics::Index;
  numerics::require_filled("seed_agreement", "scores", scores);
  SeedAgreement out;
  std::set<Index> winners;
  bool varied = scores.rows() >= 3;
  for (Index s = 0; s < scores.cols(); ++s) {
    Index best = 0;
    const double highest = scores.col(s).maxCoeff(&best);
    winners.insert(best);
    varied = varied && scores.col(s).minCoeff() < highest;
  }
  out.winners = static_cast<std::int64_t>(winners.size());
  if (!varied || scores.cols() < 2) return out;
  std::vector<double> all;
  for (Index s = 1; s < scores.cols(); ++s)
    for (Index other = 0; other < s; ++other) {
      const numerics::Vector a = scores.col(s), b = scores.col(other);
      all.push_back(numerics::spearman(a, b).r);
    }
  out.rho = numerics::mean(all);
  return out;
}

}  // namespace conoscope::results
