#include "metrics/faithfulness/total_variation.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

// float32 probabilities of a thousand classes sum to 1 within about 1e-6.
constexpr double kSumTolerance = 1e-6;

void require_distribution(const char* argument, const VectorRef& p) {
  numerics::require_finite_vector("total_variation", argument, p);
  std::ostringstream text;
  if (p.minCoeff() < 0.0) text << argument << " has an entry " << p.minCoeff() << " below 0";
  if (std::abs(p.sum() - 1.0) > kSumTolerance) text << argument << " sums to " << p.sum();
  if (!text.str().empty()) numerics::refuse("total_variation", text.str());
}

}  // namespace

double total_variation(const VectorRef& p, const VectorRef& q) {
  if (p.size() < 1 || p.size() != q.size()) {
    std::ostringstream text;
    text << "p has " << p.size() << " entries, q " << q.size();
    numerics::refuse("total_variation", text.str());
  }
  require_distribution("p", p);
  require_distribution("q", q);
  return std::min(1.0, 0.5 * (p - q).cwiseAbs().sum());
}

}  // namespace conoscope::metrics
