// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/contribution_change.h"

#include <stdexcept>

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Vector contribution_distance(const Vector& z, const Matrix& others) {
  return (others.rowwise() - z.transpose()).rowwise().norm();
}

Vector turned_over(const Vector& z, const Matrix& others) {
  detail::LogitRow row(z.size());
  Vector out(others.rows());
  for (Index i = 0; i < others.rows(); ++i)
    out(i) = 0.5 * (1.0 - row.spearman(z.data(), others.row(i).data()).value_or(1.0));
  return out;
}

std::string too_few_concepts(Index fewest) {
  return "no predicted class has " +
         (fewest == 1 ? "a concept" : "at least " + std::to_string(fewest) + " concepts");
}

Result times_noise(const AttackedSamples& found) {
  const double noise = found.by_noise.mean();
  if (!(noise > 0.0)) throw std::domain_error("noise changes no contribution");
  const Vector parts = found.by_attack / noise;
  return {.value = parts.mean(), .parts = {parts.begin(), parts.end()}, .caveat = found.caveat};
}

Result beyond_noise(const AttackedSamples& found) {
  return {.value = found.by_attack.mean() - found.by_noise.mean(),
          .parts = {found.by_attack.begin(), found.by_attack.end()},
          .caveat = found.caveat};
}

}  // namespace conoscope::metrics
