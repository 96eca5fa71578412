// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/calibration.h"

#include <doctest/doctest.h>

#include <numeric>

#include "metrics/information/mi_noise.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("calibration: by hand") {
  // Two bins: 0.1 and 0.3 with one of two there (0.3 off), 0.5 and 1 with both (0.25 off).
  const Vector p = (Vector(4) << 0.1, 0.3, 0.5, 1.0).finished();
  const Vector there = (Vector(4) << 0, 1, 1, 1).finished();
  const Calibration found = calibration(p, there, 2);
  CHECK(found.counts == IndexVector{2, 2});
  CHECK(found.ece == doctest::Approx(0.5 * 0.3 + 0.5 * 0.25));
  CHECK(found.rms == doctest::Approx(std::sqrt(0.5 * 0.09 + 0.5 * 0.0625)));
  CHECK(found.max == doctest::Approx(0.3));
  CHECK(calibration(there, there).ece == 0.0);
  CHECK(calibration(Vector(1.0 - there.array()), there).ece == 1.0);
  CHECK(brier(p, there) == doctest::Approx((0.01 + 0.49 + 0.25) / 4));
  Matrix two(4, 2);
  two << 1.0 - p.array(), p;
  CHECK(brier(two, IndexVector{0, 1, 1, 1}) == doctest::Approx(2 * brier(p, there)));
}

TEST_CASE("calibration: what is refused") {
  const Vector p = Vector::Constant(3, 0.5);
  CHECK_THROWS_SAYING(calibration(p, Vector::Zero(2)), std::invalid_argument, "right 2");
  CHECK_THROWS_SAYING(calibration(p, Vector::Zero(3), 0), std::invalid_argument, "bins = 0");
  CHECK_THROWS_SAYING(calibration(3.0 * p, Vector::Zero(3)), std::invalid_argument, "outside 0");
  CHECK_THROWS_SAYING(brier(p, Vector::Zero(2)), std::invalid_argument, "present 2");
  CHECK_THROWS_SAYING(brier(Matrix::Constant(2, 2, 0.5), IndexVector{0, 2}), std::invalid_argument,
                      "2");
}

/// One concept with its probability, sharpened, and a label that is the concept.
struct Sharpened {
  ConceptView view;
  Annotations annotations;
  explicit Sharpened(double sharpness) {
    const Index n = 4000;
    const Draws draw = normal_draws(3);
    view.scores = Matrix(n, 1);
    annotations.concepts = Matrix(n, 1);
    view.outputs = Matrix::Zero(n, 2);
    for (Index i = 0; i < n; ++i) {
      const double logit = draw(), p = 1 / (1 + std::exp(-logit));
      const double uniform = 0.5 * std::erfc(-draw() / std::sqrt(2.0));
      annotations.concepts(i, 0) = uniform < p;
      annotations.labels.push_back(static_cast<Index>(uniform < p));
      view.scores(i, 0) = 1 / (1 + std::exp(-sharpness * logit));
      view.outputs(i, 1) = sharpness * logit;
    }
    view.probabilities = view.scores;
  }
  Score score(const char* name) const {
    Views views{.concepts = &view, .annotations = &annotations};
    return score_group(views, "calibration").at(name);
  }
};

TEST_CASE("calibration: right probabilities are at the null, sharper ones are not") {
  const Sharpened right(1.0), twice(2.0), much(4.0);
  for (const std::string of : {"concept", "task"}) {
    const auto ece = of + "_ece", null = of + "_ece_null", brier_score = of + "_brier";
    CHECK(right.score(ece.c_str()).value < 2 * right.score(null.c_str()).value);
    CHECK(twice.score(ece.c_str()).value > 3 * twice.score(null.c_str()).value);
    CHECK(much.score(ece.c_str()).value > twice.score(ece.c_str()).value);
    CHECK(right.score(brier_score.c_str()).value < twice.score(brier_score.c_str()).value);
  }
  CHECK(right.score("concept_ece").parts.size() == 1);
}

TEST_CASE("calibration: what a subject lacks") {
  Sharpened subject(1.0);
  subject.annotations.concepts(0, 0) = 2.0;
  CHECK(subject.score("concept_ece").message == "the annotated concepts are not binary");
  subject.view.probabilities = Matrix();
  CHECK(subject.score("concept_brier").message == "the model gives no probabilities of concepts");
  subject.annotations.concepts = Matrix();
  CHECK(subject.score("task_ece").reason.empty());
  subject.view.outputs = Matrix();
  CHECK(subject.score("task_ece").message == "the model has no task outputs");
}

}  // namespace

}  // namespace conoscope::tests
