#pragma once

#include <stdexcept>
#include <string>

#include "conoscope/sdk/eigen.h"

namespace conoscope::explainers {

/// An output's weight vector as a sum of k vectors that the head itself holds: what tells it from each of the
/// next k - 1 outputs, and what it shares with them.
///
///   a_j = (w_c - w_{c+j}) / k,  j = 1 ... k - 1,   a_k = (w_c + sum_j w_{c+j}) / k,   outputs counted in a circle
///
/// With k = 1 w_c itself. No part changes unless a logit does.
///
/// weight   C x D
/// returns  k x D
/// throws   std::invalid_argument: k above C
inline sdk::Matrix perfect_parts(const char* explainer, const sdk::Matrix& weight, Eigen::Index c,
                                 Eigen::Index k) {
  if (k > weight.rows())
    throw std::invalid_argument(std::string(explainer) + ": k = " + std::to_string(k) +
                                ", and there are " + std::to_string(weight.rows()) + " outputs");
  sdk::Matrix parts(k, weight.cols());
  parts.row(k - 1) = weight.row(c);
  for (Eigen::Index j = 1; j < k; ++j) {
    const Eigen::Index other = (c + j) % weight.rows();
    parts.row(j - 1) = weight.row(c) - weight.row(other);
    parts.row(k - 1) += weight.row(other);
  }
  return parts / static_cast<double>(k);
}

}  // namespace conoscope::explainers
