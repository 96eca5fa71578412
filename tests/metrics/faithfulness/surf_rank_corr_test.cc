// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_rank_corr.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_rank_corr: by hand") {
  // ranks 1 2 3 4 against 2 1 4 3: 1 - 6 * 4 / (4 * 15)
  CHECK(surf_rank_corr(Matrix{{1.0, 2.0, 3.0, 4.0}}, Matrix{{20.0, 10.0, 40.0, 30.0}}).value ==
        doctest::Approx(0.6).epsilon(1e-15));
  // ranks 1 2.5 2.5 against 1 2 3: 1.5 / sqrt(1.5 * 2)
  CHECK(surf_rank_corr(Matrix{{0.0, 5.0, 5.0}}, Matrix{{1.0, 2.0, 3.0}}).value ==
        doctest::Approx(1.5 / std::sqrt(3.0)).epsilon(1e-15));
  CHECK(surf_rank_corr(Matrix{{0.0, 1.0, 2.0}}, Matrix{{2.0, 1.0, 0.0}}).value == -1.0);
}

TEST_CASE("surf_rank_corr: a constant row counts 0 and is reported") {
  const Matrix y{{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {4.0, 4.0, 4.0}};
  const Matrix s{{1.0, 2.0, 3.0}, {7.0, 7.0, 7.0}, {1.0, 2.0, 3.0}};
  const Result result = surf_rank_corr(y, s);
  CHECK(result.value == doctest::Approx(1.0 / 3.0).epsilon(1e-15));
  CHECK(result.parts == std::vector<double>{1.0, 0.0, 0.0});
  CHECK(result.caveat == "2 samples with a constant row counted 0");
  CHECK(surf_rank_corr_undefined(y, s).value == 2.0);
  CHECK(surf_rank_corr(y.topRows(1), s.topRows(1)).caveat.empty());
  const Matrix one{{1.0}, {2.0}};
  CHECK(surf_rank_corr_undefined(one, one).value == 2.0);
  CHECK_THROWS_SAYING(surf_rank_corr(one, one), std::domain_error, "one output cannot be ranked");
}

// Average ranks by their definition, and Pearson's correlation of them.
double spearman_by_definition(const Matrix& y, const Matrix& s) {
  const auto ranks = [](const Matrix& x) {
    Vector out(x.cols());
    for (Index i = 0; i < x.cols(); ++i) {
      double less = 0.0, equal = 0.0;
      for (Index j = 0; j < x.cols(); ++j) {
        less += x(0, j) < x(0, i);
        equal += x(0, j) == x(0, i);
      }
      out(i) = less + (equal + 1.0) / 2.0;
    }
    return Vector(out.array() - out.mean());
  };
  const Vector a = ranks(y), b = ranks(s);
  return a.dot(b) / (a.norm() * b.norm());
}

TEST_CASE("surf_rank_corr: the definition, for few and many outputs, with and without ties") {
  for (const Index outputs : {2, 3, 15, 16, 17, 100, 255, 256, 257, 1000}) {
    Matrix y = normal_matrix(1, outputs, 1), s = normal_matrix(1, outputs, 2);
    CHECK(surf_rank_corr(y, s).value ==
          doctest::Approx(spearman_by_definition(y, s)).epsilon(1e-12));
    if (outputs < 15) continue;  // rounding might leave a constant row
    y = (4.0 * y).array().round();
    s = (2.0 * s).array().round();
    CHECK(surf_rank_corr(y, s).value ==
          doctest::Approx(spearman_by_definition(y, s)).epsilon(1e-12));
    CHECK(surf_rank_corr(y, y).value == 1.0);
    CHECK(surf_rank_corr(y, -y).value == -1.0);
  }
}

TEST_CASE("surf_rank_corr: differences that float32 cannot hold are differences") {
  const Matrix y{{1.0, 1.0 + 1e-15, 1.0 + 2e-15, 5.0}}, s{{1e300, 2e300, 3e300, 4e300}};
  CHECK(surf_rank_corr(y, s).value == 1.0);
  CHECK(surf_rank_corr(y, -s).value == -1.0);
}

TEST_CASE("surf_rank_corr: increasing maps and the order of samples and outputs do not matter") {
  const Matrix y = normal_matrix(40, 30, 1), s = normal_matrix(40, 30, 2);
  const double value = surf_rank_corr(y, s).value;
  CHECK(surf_rank_corr(y.array().exp().matrix(), s).value == value);
  CHECK(surf_rank_corr(reversed_rows(y), reversed_rows(s)).value ==
        doctest::Approx(value).epsilon(1e-14));
  const Matrix other_y = y.rowwise().reverse(), other_s = s.rowwise().reverse();
  CHECK(surf_rank_corr(other_y, other_s).value == value);
}

TEST_CASE("surf_rank_corr: 0.0 and -0.0 are one value") {
  CHECK(surf_rank_corr_undefined(Matrix{{0.0, -0.0}}, Matrix{{1.0, 2.0}}).value == 1.0);
}

TEST_CASE("surf_rank_corr: throws") {
  check_refuses_bad_pairs(surf_rank_corr, "surf_rank_corr");
  check_refuses_bad_pairs(surf_rank_corr_undefined, "surf_rank_corr_undefined");
}

}  // namespace

}  // namespace conoscope::tests
