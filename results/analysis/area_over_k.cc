// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/area_over_k.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace conoscope::results {

double area_over_k(std::span<const double> k, std::span<const double> score) {
  if (k.size() < 2)
    throw std::invalid_argument("area_over_k: k has " + std::to_string(k.size()) +
                                " entries, at least 2 are needed");
  if (score.size() != k.size())
    throw std::invalid_argument("area_over_k: " + std::to_string(score.size()) + " scores for " +
                                std::to_string(k.size()) + " numbers of concepts");
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (!std::isfinite(score[i]))
      throw std::invalid_argument("area_over_k: score " + std::to_string(i) + " is not finite");
    if (i > 0 && !(k[i] > k[i - 1]))
      throw std::invalid_argument("area_over_k: k is not ascending at entry " + std::to_string(i));
  }
  const double range = k.back() - k.front();
  double area = 0;
  for (std::size_t i = 0; i + 1 < k.size(); ++i)
    area += (k[i + 1] - k[i]) / range * (0.5 * score[i] + 0.5 * score[i + 1]);
  return area;
}

}  // namespace conoscope::results
