// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/ctl_weighted.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "metrics/information/mi_noise.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

Vector vector_of(std::initializer_list<double> values) {
  Vector out(static_cast<Index>(values.size()));
  std::ranges::copy(values, out.begin());
  return out;
}

TEST_CASE("ctl_weighted: by hand, and what it refuses") {
  CHECK(ctl_weighted(vector_of({0.2, 0.6}), vector_of({1, 3})) == doctest::Approx(0.5));
  CHECK(ctl_weighted(vector_of({0.2, 0.6}), vector_of({2, 2})) == doctest::Approx(0.4));
  CHECK(ctl_weighted(vector_of({0.2, 0.6}), vector_of({2, 0})) == 0.2);
  CHECK_THROWS_SAYING(ctl_weighted(vector_of({0.2}), vector_of({1, 3})), std::invalid_argument,
                      "1 concepts and 2 weights");
  CHECK_THROWS_SAYING(ctl_weighted(Vector(), Vector()), std::invalid_argument, "k >= 1");
  CHECK_THROWS_SAYING(ctl_weighted(vector_of({0.2}), vector_of({-1})), std::invalid_argument,
                      "below 0");
  CHECK_THROWS_SAYING(ctl_weighted(vector_of({0.2}), vector_of({NAN})), std::invalid_argument,
                      "weights");
  CHECK_THROWS_SAYING(ctl_weighted(vector_of({NAN}), vector_of({1})), std::invalid_argument,
                      "concepts");
  CHECK_THROWS_SAYING(ctl_weighted(vector_of({0.2, 0.6}), vector_of({0, 0})), std::domain_error,
                      "all weights are 0");
}

TEST_CASE(
    "ctl_weighted: leakage into a concept that the label does not depend on counts for little") {
  ConceptView view;
  Annotations known;
  const Draws draw = normal_draws(3);
  view.scores.resize(600, 2);
  known.concepts.resize(600, 2);
  for (Index i = 0; i < 600; ++i) {  // the label is c1; c2 is told it
    known.concepts.row(i) << (draw() > 0.0), (draw() > 0.0);
    known.labels.push_back(known.concepts(i, 0) > 0.5);
    view.scores.row(i) << 3.0 * known.concepts(i, 0) + draw(), 6.0 * known.concepts(i, 0) + draw();
  }
  const Matrix p = 1.0 / (1.0 + (-view.scores.array()).exp());
  view.probabilities = p;
  const auto scores = score_group({.concepts = &view, .annotations = &known}, "leakage");
  CHECK(scores.at("ctl").value > 0.4);
  CHECK(scores.at("ctl_weighted").value < 0.02);
  CHECK(scores.at("ctl_weighted").parts.size() == 2);
}

}  // namespace

}  // namespace conoscope::tests
