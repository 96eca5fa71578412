// SPDX-License-Identifier: Apache-2.0
#include "numerics/linear_svm.h"

#include <cmath>
#include <string>

#include "numerics/checks.h"

namespace conoscope::numerics {

namespace {

struct Point {
  double w = 0.0, b = 0.0;
};

/// Newton's method on a convex, piecewise quadratic function of two variables: once the set of
/// samples within the margin stops changing, the step is exact.
Point solve(const VectorRef& x, const IndexVector& labels, Index positive, double cost_positive,
            double cost_negative) {
  struct Sums {
    double value, gw, gb, hww, hwb, hbb;
  };
  const auto evaluate = [&](const Point& at) {
    Sums s{0.5 * (at.w * at.w + at.b * at.b), at.w, at.b, 1.0, 0.0, 1.0};
    for (Index i = 0; i < x.size(); ++i) {
      const bool yes = labels[static_cast<std::size_t>(i)] == positive;
      const double y = yes ? 1.0 : -1.0, c = yes ? cost_positive : cost_negative;
      const double slack = 1.0 - y * (at.w * x[i] + at.b);
      if (slack <= 0.0) continue;
      s.value += c * slack * slack;
      const double g = -2.0 * c * y * slack, h = 2.0 * c;
      s.gw += g * x[i];
      s.gb += g;
      s.hww += h * x[i] * x[i];
      s.hwb += h * x[i];
      s.hbb += h;
    }
    return s;
  };
  Point at;
  Sums here = evaluate(at);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double det = here.hww * here.hbb - here.hwb * here.hwb;
    const double dw = -(here.hbb * here.gw - here.hwb * here.gb) / det;
    const double db = -(here.hww * here.gb - here.hwb * here.gw) / det;
    const double slope = here.gw * dw + here.gb * db;
    if (-slope <= 1e-24 * (1.0 + here.value)) break;
    if (-slope <= 1e-15 * (1.0 + here.value)) {
      // What is left to gain is below the rounding of `value`: no line search could see it, and one
      // exact step takes it.
      at = {at.w + dw, at.b + db};
      break;
    }
    double step = 1.0;
    for (;; step *= 0.5) {
      const Point next{at.w + step * dw, at.b + step * db};
      const Sums there = evaluate(next);
      if (there.value <= here.value + 1e-4 * step * slope || step < 1e-12) {
        at = next;
        here = there;
        break;
      }
    }
    if (step < 1e-12) break;  // rounding is all that is left
  }
  return at;
}

}  // namespace

Index LinearSvm::predict(double x) const {
  if (slope.size() == 1) return slope[0] * x + intercept[0] > 0.0 ? 1 : 0;
  std::size_t best = 0;
  for (std::size_t c = 1; c < slope.size(); ++c)
    if (slope[c] * x + intercept[c] > slope[best] * x + intercept[best]) best = c;
  return static_cast<Index>(best);
}

LinearSvm linear_svm(const VectorRef& x, const IndexVector& labels, Index classes, double cost) {
  constexpr const char* kName = "linear_svm";
  require_labels(kName, labels, x.size(), classes);
  require_finite_vector(kName, "x", x);
  if (classes < 2) refuse(kName, "classes is " + std::to_string(classes) + "; needs at least 2");
  if (!(cost > 0.0)) refuse(kName, "cost is " + std::to_string(cost) + "; needs to be > 0");
  std::vector<double> weight(static_cast<std::size_t>(classes));
  for (const Index label : labels) weight[static_cast<std::size_t>(label)] += 1.0;
  for (std::size_t c = 0; c < weight.size(); ++c) {
    if (weight[c] == 0.0) refuse(kName, "labels has no sample of class " + std::to_string(c));
    weight[c] = static_cast<double>(x.size()) / (static_cast<double>(classes) * weight[c]);
  }
  LinearSvm out;
  if (classes == 2) {
    const Point best = solve(x, labels, 1, cost * weight[1], cost * weight[0]);
    out.slope = {best.w};
    out.intercept = {best.b};
    return out;
  }
  for (Index c = 0; c < classes; ++c) {
    const Point best = solve(x, labels, c, cost * weight[static_cast<std::size_t>(c)], cost);
    out.slope.push_back(best.w);
    out.intercept.push_back(best.b);
  }
  return out;
}

}  // namespace conoscope::numerics
