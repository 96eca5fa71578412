#include "metrics/faithfulness/surf_surrogate_from_scores.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_surrogate_from_scores: by hand, with an output that has no concept") {
  const Matrix scores{{1.0, 2.0, 3.0}, {0.0, -1.0, 4.0}};
  const Matrix s = surf_surrogate_from_scores(scores, Vector{{2.0, -1.0, 0.5}}, {0, 2, 2, 3},
                                              Vector{{10.0, 20.0, 30.0}});
  CHECK(s == Matrix{{10.0, 20.0, 31.5}, {11.0, 20.0, 32.0}});
}

TEST_CASE("surf_surrogate_from_scores: throws") {
  const Matrix scores = Matrix::Ones(2, 3);
  const Vector alpha = Vector::Ones(3), b = Vector::Ones(2);
  const auto call = [](const Matrix& x, const Vector& a, const IndexVector& o, const Vector& bias) {
    return surf_surrogate_from_scores(x, a, o, bias);
  };
  CHECK_THROWS_SAYING(call(Matrix(0, 3), alpha, {0, 1, 3}, b), std::invalid_argument, "no sample");
  CHECK_THROWS_SAYING(call(scores, alpha, {0}, Vector()), std::invalid_argument, "no output");
  CHECK_THROWS_SAYING(call(scores, alpha, {0, 3}, b), std::invalid_argument, "2 offsets");
  CHECK_THROWS_SAYING(call(scores, alpha, {1, 1, 3}, b), std::invalid_argument, "do not fit");
  CHECK_THROWS_SAYING(call(scores, alpha, {0, 1, 2}, b), std::invalid_argument, "do not fit");
  CHECK_THROWS_SAYING(call(scores, alpha, {0, 4, 3}, b), std::invalid_argument,
                      "descends at output 1");
  CHECK_THROWS_SAYING(call(scores, Vector::Ones(2), {0, 1, 3}, b), std::invalid_argument,
                      "2 importances");
  Matrix bad = scores;
  bad(1, 2) = std::nan("");
  CHECK_THROWS_SAYING(call(bad, alpha, {0, 1, 3}, b), std::invalid_argument, "scores is nan",
                      "row 1", "column 2");
  CHECK_THROWS_SAYING(call(scores, Vector{{1.0, std::nan(""), 1.0}}, {0, 1, 3}, b),
                      std::invalid_argument, "importance is nan at entry 1");
  CHECK_THROWS_SAYING(call(scores, alpha, {0, 1, 3}, Vector{{1.0, std::nan("")}}),
                      std::invalid_argument, "bias is nan at entry 1");
}

}  // namespace

}  // namespace conoscope::tests
