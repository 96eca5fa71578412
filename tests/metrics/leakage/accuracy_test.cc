// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/accuracy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/auc.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("auc: by hand, ties count one half") {
  const IndexVector labels{0, 0, 1, 1};
  CHECK(auc(labels, (Vector(4) << 1, 2, 3, 4).finished()) == 1.0);
  CHECK(auc(labels, (Vector(4) << 4, 3, 2, 1).finished()) == 0.0);
  CHECK(auc(labels, Vector::Zero(4)) == 0.5);
  CHECK(auc(labels, (Vector(4) << 1, 2, 2, 3).finished()) == 0.875);
  CHECK(auc(labels, (Vector(4) << -1e300, 0, 1e-300, 1e300).finished()) == 1.0);
}

TEST_CASE("auc: what it refuses") {
  CHECK_THROWS_SAYING(auc(IndexVector{1, 1}, Vector::Zero(2)), std::domain_error,
                      "labels holds one class only");
  CHECK_THROWS_SAYING(auc(IndexVector{0, 2}, Vector::Zero(2)), std::invalid_argument, "label 2");
  CHECK_THROWS_SAYING(auc(IndexVector{0, 1}, Vector::Zero(3)), std::invalid_argument, "2 labels");
  CHECK_THROWS_SAYING(
      auc(IndexVector{0, 1}, Vector::Constant(2, std::numeric_limits<double>::quiet_NaN())),
      std::invalid_argument, "scores is");
}

TEST_CASE("auc_one_vs_rest, auc_one_vs_one: by hand; a class without samples is left out") {
  Matrix scores(3, 3);
  scores << 0.9, 0.0, 0.1, 0.2, 0.0, 0.8, 0.3, 0.0, 0.7;
  CHECK(auc_one_vs_rest(IndexVector{0, 2, 2}, scores) == 1.0);
  CHECK(auc_one_vs_one(IndexVector{0, 2, 2}, scores) == 1.0);
  // class 0 below one of the two by its own column, and likewise by the other's
  CHECK(auc_one_vs_one(IndexVector{2, 0, 2}, scores) == 0.0);
  CHECK(auc_one_vs_one(IndexVector{2, 2, 0}, scores) == 0.5);
  CHECK_THROWS_SAYING(auc_one_vs_one(IndexVector{1, 1, 1}, scores), std::domain_error, "one class");
  CHECK_THROWS_SAYING(auc_one_vs_rest(IndexVector{1, 1, 1}, scores), std::domain_error,
                      "one class");
  CHECK_THROWS_SAYING(auc_one_vs_rest(IndexVector{1, 1, 3}, scores), std::invalid_argument,
                      "label 3");
}

TEST_CASE("accuracy and F1: by hand") {
  const IndexVector labels{0, 0, 1, 1, 2}, predictions{0, 1, 1, 1, 0};
  CHECK(accuracy(labels, predictions) == doctest::Approx(0.6));
  CHECK(f1_macro(labels, predictions) == doctest::Approx((0.5 + 0.8 + 0.0) / 3.0));
  CHECK_THROWS_SAYING(accuracy(labels, IndexVector{0}), std::invalid_argument, "5 labels and 1");
  CHECK_THROWS_SAYING(f1_macro(IndexVector{}, IndexVector{}), std::invalid_argument, "n >= 1");
}

TEST_CASE("concept_accuracy: one half counts as present, unless strict; a constant concept") {
  const Matrix p = (Matrix(4, 2) << 0.5, 0.1, 0.9, 0.9, 0.2, 0.2, 0.4, 0.3).finished();
  const Matrix truth = (Matrix(4, 2) << 1, 0, 1, 0, 0, 0, 0, 0).finished();
  const ConceptAccuracy found = concept_accuracy(p, truth);
  CHECK(found.accuracy[0] == 1.0);
  CHECK(concept_accuracy(p, truth, true).accuracy[0] == 0.75);
  CHECK(found.auc[0] == 1.0);
  CHECK(std::isnan(found.auc[1]));
  CHECK(found.accuracy[1] == 0.75);
  CHECK(found.auc_thresholded[1] == 0.75);
  CHECK_THROWS_SAYING(concept_accuracy(p, truth * 2.0), std::invalid_argument, "truth is 2.0");
  CHECK_THROWS_SAYING(concept_accuracy(p.leftCols(1), truth), std::invalid_argument,
                      "probabilities is 4 x 1");
}

TEST_CASE("predicted_classes: the first of equals; one column above one half") {
  CHECK(predicted_classes((Matrix(2, 3) << 1, 1, 0, 0, 2, 2).finished()) == IndexVector{0, 1});
  CHECK(predicted_classes((Matrix(2, 1) << 0.5, 0.6).finished()) == IndexVector{0, 1});
}

}  // namespace

}  // namespace conoscope::tests
