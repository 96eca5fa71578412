// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/snapshots.h"

#include <Eigen/QR>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::results {

namespace {

using numerics::Index;
using numerics::Vector;
using numerics::VectorRef;

int order_of(double a, double b) { return (a > b) - (a < b); }

}  // namespace

SignalToNoise snapshot_signal_to_noise(const numerics::MatrixRef& scores, const VectorRef& times) {
  constexpr const char* kName = "snapshot_signal_to_noise";
  numerics::require_filled(kName, "scores", scores);
  numerics::require_at_least(kName, "variants", scores.rows(), 2);
  numerics::require_sample(kName, "times", times, 4);
  if (scores.cols() != times.size())
    numerics::refuse(kName, "scores has " + std::to_string(scores.cols()) +
                                " snapshots and times " + std::to_string(times.size()));
  // Centred and scaled, so that steps in the thousands do not spoil the fit.
  const Vector centred = (times.array() - times.mean()).matrix();
  const double scale = centred.cwiseAbs().maxCoeff();
  const Vector unit = scale > 0.0 ? Vector(centred / scale) : centred;
  Eigen::MatrixXd parabola(times.size(), 3);
  parabola << Vector::Ones(times.size()), unit, unit.cwiseProduct(unit);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> fit(parabola);
  if (fit.rank() < 3) numerics::refuse(kName, "times has fewer than three different values");
  std::vector<double> means;
  double squares = 0.0;
  for (Index v = 0; v < scores.rows(); ++v) {
    const Vector row = scores.row(v);
    means.push_back(numerics::mean(numerics::as_span(row)));
    squares += (row - parabola * fit.solve(row)).squaredNorm();
  }
  const auto dof = static_cast<double>(scores.rows() * (scores.cols() - 3));
  if (squares == 0.0) throw std::domain_error(std::string(kName) + ": there is no noise");
  const double signal = numerics::sample_sd(means), noise = std::sqrt(squares / dof);
  return {signal / noise, signal, noise};
}

double training_slope(const VectorRef& times, const VectorRef& scores) {
  constexpr const char* kName = "training_slope";
  numerics::require_pairs(kName, times, scores, 2);
  const Vector centred = (times.array() - numerics::mean(numerics::as_span(times))).matrix();
  if (centred.isZero(0.0)) throw std::domain_error(std::string(kName) + ": all times are equal");
  const double mean = numerics::mean(numerics::as_span(scores));
  return centred.dot((scores.array() - mean).matrix()) / centred.squaredNorm();
}

double decision_accuracy(const VectorRef& single, const VectorRef& target) {
  numerics::require_pairs("decision_accuracy", single, target, 2);
  Index pairs = 0, alike = 0;
  for (Index i = 1; i < single.size(); ++i)
    for (Index j = 0; j < i; ++j) {
      ++pairs;
      if (order_of(single(i), single(j)) == order_of(target(i), target(j))) ++alike;
    }
  return static_cast<double>(alike) / static_cast<double>(pairs);
}

}  // namespace conoscope::results
