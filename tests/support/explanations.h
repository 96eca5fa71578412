// SPDX-License-Identifier: Apache-2.0
#pragma once

// Explanations of known quality, for sanity checks: Kumar and Ahuja, arXiv 2504.10833, Table 3,
// App. B.1.

#include "conoscope/sdk/random.h"
#include "metrics/views.h"

namespace conoscope::tests {

/// K = 1: cav_c = w_c / |w_c|, alpha_c = |w_c|; both 0 where w_c is 0. Not for flatten heads.
inline metrics::Explanation perfect_explanation(const metrics::HeadView& head) {
  metrics::Explanation explanation;
  explanation.cavs = head.weight;
  explanation.importance = head.weight.rowwise().norm();
  explanation.offset = {0};
  for (metrics::Index c = 0; c < head.outputs(); ++c) {
    if (explanation.importance(c) > 0.0) explanation.cavs.row(c) /= explanation.importance(c);
    explanation.offset.push_back(c + 1);
  }
  return explanation;
}

/// Perfect CAVs, importances uniform in [0, 1).
inline metrics::Explanation half_random_explanation(const metrics::HeadView& head, sdk::Seed seed) {
  metrics::Explanation explanation = perfect_explanation(head);
  sdk::Random random = sdk::Random(seed.child("importance"));
  for (double& alpha : explanation.importance) alpha = random.uniform();
  return explanation;
}

/// In addition CAVs of independent normal entries, scaled to norm 1.
inline metrics::Explanation random_explanation(const metrics::HeadView& head, sdk::Seed seed) {
  metrics::Explanation explanation = half_random_explanation(head, seed);
  sdk::Random random = sdk::Random(seed.child("cavs"));
  for (metrics::Index i = 0; i < explanation.cavs.size(); ++i)
    explanation.cavs.data()[i] = random.normal();
  explanation.cavs.rowwise().normalize();
  return explanation;
}

}  // namespace conoscope::tests
