#include "results/analysis/student_t.h"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace conoscope::results {

namespace {

// A(t | nu) as a function of theta; all terms are positive, nothing cancels.
double probability_within(double theta, std::int64_t nu) {
  const double sine = std::sin(theta), cosine = std::cos(theta);
  const bool odd = nu % 2 == 1;
  if (nu == 1) return 2 * theta / std::numbers::pi;
  double term = odd ? cosine : 1.0, sum = term;
  for (std::int64_t i = odd ? 3 : 2; i < nu; i += 2) {
    const double j = static_cast<double>(i);
    term *= cosine * cosine * (j - 1) / j;
    const double before = sum;
    sum += term;
    if (sum == before) break;
  }
  return odd ? 2 / std::numbers::pi * (theta + sine * sum) : sine * sum;
}

}  // namespace

double two_sided_t(double level, std::int64_t nu) {
  if (!(level > 0 && level < 1))
    throw std::invalid_argument("two_sided_t: level " + std::to_string(level) +
                                " is not between 0 and 1");
  if (nu < 1)
    throw std::invalid_argument("two_sided_t: nu " + std::to_string(nu) + " is less than 1");
  double low = 0, high = std::numbers::pi / 2;
  // Halving the interval until it holds no further double: A grows with theta.
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (probability_within(middle, nu) < level ? low : high) = middle;
  }
  return std::sqrt(static_cast<double>(nu)) * std::tan(low + (high - low) / 2);
}

}  // namespace conoscope::results
