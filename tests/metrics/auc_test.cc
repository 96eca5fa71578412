// SPDX-License-Identifier: Apache-2.0
#include "metrics/auc.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "numerics/random.h"
#include "tests/support/throws.h"

using namespace conoscope::metrics;
using namespace conoscope::numerics;

TEST_CASE("auc by hand") {
  const Eigen::Vector4d scores(0.1, 0.4, 0.35, 0.8);
  CHECK(auc(IndexVector{0, 0, 1, 1}, scores) == 0.75);
  CHECK(auc(IndexVector{1, 1, 0, 0}, scores) == 0.25);
  CHECK(auc(IndexVector{1, 0, 1, 0}, Eigen::Vector4d(1, 1, 1, 1)) == 0.5);
  // One pair of four is a tie.
  CHECK(auc(IndexVector{0, 0, 1, 1}, Eigen::Vector4d(1, 2, 2, 3)) == 0.875);
}

TEST_CASE("auc: the definition, pair by pair, and monotone changes") {
  Random random(1);
  Vector scores(60);
  IndexVector positive;
  for (double& s : scores) {
    s = static_cast<double>(random.below(12));  // many ties
    positive.push_back(random.below(3) == 0 ? 1 : 0);
  }
  double won = 0, pairs = 0;
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j)
      if (positive[static_cast<size_t>(i)] == 1 && positive[static_cast<size_t>(j)] == 0) {
        won += scores(i) > scores(j) ? 1.0 : scores(i) == scores(j) ? 0.5 : 0.0;
        pairs += 1;
      }
  CHECK(auc(positive, scores) == doctest::Approx(won / pairs).epsilon(1e-14));
  const Vector turned = (-scores).array().cube();
  CHECK(auc(positive, turned) == doctest::Approx(1 - won / pairs));
}

TEST_CASE("auc_one_vs_rest leaves out labels that are not there") {
  Matrix scores(4, 3);
  scores << 0.9, 5, 0.1,  //
      0.2, 5, 0.7,        //
      0.8, 5, 0.6,        //
      0.1, 5, 0.9;
  CHECK(auc_one_vs_rest(IndexVector{0, 2, 0, 2}, scores) == 1.0);
  CHECK(auc_one_vs_rest(IndexVector{2, 0, 2, 0}, scores) == 0.0);
}

TEST_CASE("AUC: what is undefined") {
  CHECK_THROWS_SAYING(auc(IndexVector{1, 1}, Eigen::Vector2d(1, 2)), std::domain_error,
                      "one class only");
  CHECK_THROWS_SAYING(auc(IndexVector{0, 0}, Eigen::Vector2d(1, 2)), std::domain_error, "class");
  CHECK_THROWS_SAYING(auc_one_vs_rest(IndexVector{1, 1}, Matrix::Ones(2, 2)), std::domain_error,
                      "class");
}
