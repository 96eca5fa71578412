// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/factors/equal_width_bins.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Two binary factors on a grid; code 0 is factor 0, code 1 is factor 1, code 2 is constant.
Matrix grid() { return (Matrix(4, 2) << 0, 0, 0, 1, 1, 0, 1, 1).finished(); }
Matrix codes() {
  Matrix out(4, 3);
  out << 5.0 * grid(), Vector::Constant(4, 0.1);
  return out;
}

TEST_CASE("equal_width_bins: open to the right, closed at the end, constants in one bin") {
  const Matrix x = (Matrix(5, 2) << 0, 7, 1, 7, 1.9, 7, 2, 7, 4, 7).finished();
  const IndexMatrix bins = equal_width_bins(x, 4);
  CHECK(bins.col(0) == (Eigen::Matrix<Index, 5, 1>() << 0, 1, 1, 2, 3).finished());
  CHECK((bins.col(1).array() == bins(0, 1)).all());
  CHECK(equal_width_bins(x, 1).isZero());
  CHECK_THROWS_SAYING(equal_width_bins(x, 0), std::invalid_argument, "bins is 0");
  CHECK_THROWS_SAYING(equal_width_bins(Matrix(0, 2), 3), std::invalid_argument, "no rows");
  CHECK_THROWS_SAYING(equal_width_bins(Matrix::Constant(1, 1, kNaN), 3), std::invalid_argument,
                      "values is nan");
}

TEST_CASE("code_information: by hand") {
  const CodeInformation information = code_information({codes(), grid()});
  const double bit = std::log(2.0);
  const Matrix expected = (Matrix(3, 2) << bit, 0, 0, bit, 0, 0).finished();
  CHECK((information.mutual_information - expected).cwiseAbs().maxCoeff() < 1e-15);
  CHECK(information.factor_entropy[1] == doctest::Approx(bit));
  CHECK(code_information({codes(), Matrix(0.3 * grid().array())}, {20, 20})
            .mutual_information.isApprox(information.mutual_information));
  CHECK_THROWS_SAYING(code_information({codes(), grid().topRows(3)}), std::invalid_argument,
                      "codes is 4 x 3", "factors 3 x 2");
  CHECK_THROWS_SAYING(code_information({codes(), grid()}, {20, -1}), std::invalid_argument,
                      "factor_bins is -1");
  CHECK_THROWS_SAYING(code_information({codes(), grid()}, {0, 0}), std::invalid_argument,
                      "bins is 0");
  CHECK_THROWS_SAYING(code_information({Matrix::Constant(4, 1, kNaN), grid()}),
                      std::invalid_argument, "codes is nan");
}

TEST_CASE("mig: by hand; a second code of the same factor closes the gap") {
  CHECK(mig(code_information({codes(), grid()})).value == doctest::Approx(1.0));
  Matrix twice = codes();
  twice.col(2) = -twice.col(0);
  const Mig result = mig(code_information({twice, grid()}));
  CHECK(result.by_factor[0] == doctest::Approx(0.0));
  CHECK(result.by_factor[1] == doctest::Approx(1.0));
  CHECK(result.value == doctest::Approx(0.5));
}

TEST_CASE("mig: one-valued factors are dropped, one code has no gap") {
  Matrix factors(4, 3);
  factors << grid(), Vector::Ones(4);
  const Mig result = mig(code_information({codes(), factors}));
  CHECK(result.dropped == IndexVector{2});
  CHECK(result.value == doctest::Approx(1.0));
  CHECK_THROWS_SAYING(mig(code_information({codes(), factors.rightCols(1)})), std::domain_error,
                      "every factor has a single value");
  CHECK_THROWS_SAYING(mig(code_information({codes().leftCols(1), factors})), std::invalid_argument,
                      "codes has 1 columns");
  CHECK_THROWS_SAYING(mig({Matrix::Ones(2, 2), Vector::Ones(3)}), std::invalid_argument,
                      "factor_entropy has 3 entries");
}

TEST_CASE("code_information: factors that are NaN, one value of all codes, a value seen once") {
  Matrix factors = grid();
  factors(0, 0) = 7.0;
  CHECK(mig(code_information({codes(), factors})).value >= 0.0);
  CHECK(mig(code_information({Matrix::Ones(4, 2), grid()})).value == 0.0);
  factors(1, 1) = kNaN;
  CHECK_THROWS_SAYING(code_information({codes(), factors}), std::invalid_argument,
                      "factors is nan");
}

TEST_CASE("modularity: by hand") {
  const Matrix mutual = (Matrix(3, 3) << 2, 0, 0, 1, 0.5, 0, 0, 0, 0).finished();
  const Modularity result = modularity(mutual);
  CHECK(result.by_code == std::vector<double>{1.0, 1.0 - 0.25 / 2.0, 0.0});
  CHECK(result.value == doctest::Approx(1.875 / 3.0));
  CHECK(modularity(Matrix(1e-200 * mutual)).value == doctest::Approx(result.value));
  // A code counts by its importance.
  CHECK(modularity_weighted(mutual, Matrix::Ones(mutual.rows(), mutual.cols())) ==
        doctest::Approx(result.value));
  Matrix first = Matrix::Zero(mutual.rows(), mutual.cols());
  first(0, 1) = 2.0;
  CHECK(modularity_weighted(mutual, first) == doctest::Approx(result.by_code[0]));
  CHECK_THROWS_SAYING(modularity_weighted(mutual, first.topRows(1)), std::invalid_argument,
                      "needs one shape");
  CHECK_THROWS_SAYING(modularity_weighted(mutual, Matrix(-first)), std::invalid_argument, "-2");
  CHECK_THROWS_SAYING(modularity_weighted(mutual, Matrix(kNaN * first)), std::invalid_argument,
                      "importance is nan");
  CHECK_THROWS_SAYING(modularity_weighted(mutual, Matrix(0.0 * first)), std::domain_error,
                      "no code has an importance");
  CHECK_THROWS_SAYING(modularity(Matrix::Ones(3, 1)), std::invalid_argument,
                      "mutual_information is 3 x 1");
  CHECK_THROWS_SAYING(modularity(Matrix::Constant(2, 2, -1.0)), std::invalid_argument, "-1");
  CHECK_THROWS_SAYING(modularity(Matrix::Constant(2, 2, kNaN)), std::invalid_argument, "nan");
}

}  // namespace

}  // namespace conoscope::tests
