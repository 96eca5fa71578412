// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_norm_l1.h"

#include <doctest/doctest.h>

#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_norm_l1: by hand") {
  const Matrix y{{2.0, 9.0}, {9.0, -4.0}}, s{{1.0, 0.0}, {0.0, -5.0}};
  const Result result = surf_norm_l1(y, s, {0, 1});
  CHECK(result.value == (0.5 + 0.25) / 2.0);
  CHECK(result.caveat.empty());
}

TEST_CASE("surf_norm_l1: a logit of exactly 0 is left out and counted; a tiny one is not") {
  const Matrix y{{2.0, 9.0}, {0.0, 1.0}}, s{{1.0, 0.0}, {3.0, 1.0}};
  const Result result = surf_norm_l1(y, s, {0, 0});
  CHECK(result.value == 0.5);
  CHECK(result.caveat.find("1 sample left out") == 0);
  CHECK(surf_norm_l1(Matrix{{1e-12}}, Matrix{{2e-12}}, {0}).value == doctest::Approx(1.0));
}

TEST_CASE("surf_norm_l1: scale and the order of samples do not matter") {
  const Matrix y = normal_matrix(20, 4, 1), s = normal_matrix(20, 4, 2);
  IndexVector labels, reversed;
  for (Index i = 0; i < 20; ++i) labels.push_back(i % 4);
  reversed.assign(labels.rbegin(), labels.rend());
  const double value = surf_norm_l1(y, s, labels).value;
  CHECK(surf_norm_l1(8.0 * y, 8.0 * s, labels).value == value);
  CHECK(surf_norm_l1(reversed_rows(y), reversed_rows(s), reversed).value ==
        doctest::Approx(value).epsilon(1e-13));
}

TEST_CASE("surf_norm_l1: throws") {
  check_refuses_bad_pairs(
      [](const Matrix& y, const Matrix& s) {
        return surf_norm_l1(y, s, IndexVector(static_cast<size_t>(y.rows()), 0));
      },
      "surf_norm_l1");
  const Matrix y = Matrix::Ones(2, 2);
  CHECK_THROWS_SAYING(surf_norm_l1(y, y, {0}), std::invalid_argument, "1 labels for 2 samples");
  CHECK_THROWS_SAYING(surf_norm_l1(y, y, {0, 2}), std::invalid_argument, "label 2 of sample 1");
  CHECK_THROWS_SAYING(surf_norm_l1(y, y, {-1, 0}), std::invalid_argument, "label -1 of sample 0");
  CHECK_THROWS_SAYING(surf_norm_l1(Matrix::Zero(2, 2), y, {0, 1}), std::domain_error,
                      "surf_norm_l1", "0 in every sample");
}

}  // namespace

}  // namespace conoscope::tests
