// SPDX-License-Identifier: Apache-2.0
#include "numerics/adam.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace conoscope::numerics;

namespace {

/// Two steps with the gradients 2 and -1 at rate 0.1, from 1, by the formula.
double by_hand(double epsilon, bool epsilon_first) {
  double p = 1.0, m = 0.0, v = 0.0;
  for (int t = 1; t <= 2; ++t) {
    const double g = t == 1 ? 2.0 : -1.0;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double mean = m / (1 - std::pow(0.9, t)), square = 1 - std::pow(0.999, t);
    p -= epsilon_first ? 0.1 * mean * std::sqrt(square) / (std::sqrt(v) + epsilon)
                       : 0.1 * mean / (std::sqrt(v / square) + epsilon);
  }
  return p;
}

double by_adam(const AdamOptions& options) {
  Adam<double> adam(1, options);
  double p = 1.0;
  for (const double g : {2.0, -1.0}) adam.step(&p, &g, 0.1);
  return p;
}

}  // namespace

TEST_CASE("adam: both places of epsilon, by hand") {
  CHECK(by_adam({}) == doctest::Approx(by_hand(1e-8, false)).epsilon(1e-14));
  CHECK(by_adam({.epsilon = 0.5}) == doctest::Approx(by_hand(0.5, false)).epsilon(1e-14));
  CHECK(by_adam({.epsilon = 0.5, .epsilon_first = true}) ==
        doctest::Approx(by_hand(0.5, true)).epsilon(1e-14));
  CHECK(std::abs(by_hand(0.5, true) - by_hand(0.5, false)) > 0.01);
}

TEST_CASE("adam: scale multiplies the gradient") {
  Adam<float> scaled(2), plain(2);
  float a[2] = {1, 2}, b[2] = {1, 2};
  const float g[2] = {4, -8}, half[2] = {2, -4};
  scaled.step(a, g, 0.01, 0.5F);
  plain.step(b, half, 0.01);
  CHECK(a[0] == b[0]);
  CHECK(a[1] == b[1]);
}

TEST_CASE("adam: other betas, by hand; it goes on from another's moments") {
  Adam<double> sign(1, {.beta1 = 0.0, .beta2 = 0.0});  // moves by the rate, whatever the gradient
  double p = 1.0;
  for (const double g : {2.0, -3.0, -5.0}) sign.step(&p, &g, 0.25);
  CHECK(p == doctest::Approx(1.25).epsilon(1e-7));

  Adam<double> whole(1), second(1);
  double a = 1.0, b = 1.0;
  const double one = 2.0, two = -1.0;
  whole.step(&a, &one, 0.1);
  b = a;
  const double mean = 0.1 * one, square = (1.0 - 0.999) * one * one;
  second.resume(&mean, &square, 1);
  whole.step(&a, &two, 0.1);
  second.step(&b, &two, 0.1);
  CHECK(a == doctest::Approx(b).epsilon(1e-14));
}
