// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/concept_information.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "numerics/digamma.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Matrix normals(Index n, Index d, std::uint64_t seed) {
  return testing::normals(n, d, Random(seed));
}

TEST_CASE("is_whole_valued: the reference's one-sided rule") {
  CHECK(is_whole_valued(Matrix::Constant(1, 1, 1.0 + 1e-9)));
  CHECK_FALSE(is_whole_valued(Matrix::Constant(1, 1, 1.0 - 1e-9)));
  CHECK_FALSE(is_whole_valued(Matrix::Constant(1, 1, -1e-9)));
  CHECK(is_whole_valued(Matrix::Constant(1, 1, -3.0)));
  // Beyond 2^53 every double is whole, and means nothing by it.
  CHECK(is_whole_valued(Matrix::Constant(1, 1, 9007199254740992.0)));
  CHECK_FALSE(is_whole_valued(Matrix::Constant(1, 1, 1e16)));
  CHECK_FALSE(is_whole_valued(Matrix::Constant(1, 1, -1e300)));
  Matrix mixed = Matrix::Zero(2, 2);
  mixed(1, 1) = 0.5;
  CHECK_FALSE(is_whole_valued(mixed));
}

TEST_CASE("mi_interconcept: which estimator, and the order of pairs") {
  Matrix hard(8, 3);
  hard << 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1;
  hard.col(2) = hard.col(0);
  const InterconceptInformation plain = mi_interconcept(hard);
  REQUIRE(plain.pair.size() == 3);
  CHECK(plain.pair[0] == 0.0);
  CHECK(plain.pair[1] == doctest::Approx(std::log(2.0)));
  CHECK(plain.normalised[1] == doctest::Approx(1.0));
  CHECK(plain.self[0] == doctest::Approx(std::log(2.0)));

  const Matrix soft = normals(300, 2, 1);
  const auto psi = digamma_table(300);
  CHECK(mi_interconcept(soft).self[0] == doctest::Approx(psi[299] - psi[2]));
  // Noise on both arguments takes 1/k from what a concept knows of itself.
  CHECK(mi_interconcept(soft.array() + 3.0, {.neighbours = 3, .noise = normal_draws(1)}).self[0] ==
        doctest::Approx(psi[299] - psi[3]));
  CHECK(mi_interconcept(normals(50, 1, 2)).pair.empty());
  CHECK(mi_interconcept(normals(50, 6, 2), {}, 3).pair.size() == 1);
}

TEST_CASE("mi_interconcept: noise of mean 0 is none") {
  Matrix x = normals(40, 1, 3);
  x = x.array() - x.mean();
  x(0, 0) -= x.sum();
  CHECK((with_noise(Matrix::Zero(4, 2), normal_draws(1)).array() == 0.0).all());
  CHECK((with_noise(Matrix::Ones(4, 2), normal_draws(1)).array() != 1.0).all());
}

TEST_CASE("mi_interconcept: what it refuses") {
  Matrix constant = normals(30, 2, 1);
  constant.col(1).setConstant(0.5);
  CHECK_NOTHROW(mi_interconcept(constant));
  for (const Index k : {3, 5})  // what rounding leaves of 0 would be divided by 1e-10
    for (Index n = 30; n < 400; n += 25) {
      Matrix columns = normals(n, 2, static_cast<std::uint64_t>(n));
      columns.col(1).setConstant(0.5);
      CHECK(mi_interconcept(columns, {.neighbours = k, .noise = {}}).normalised[0] == 0.0);
    }
  CHECK_THROWS_SAYING(mi_interconcept(constant, {.neighbours = 3, .noise = normal_draws(1)}),
                      std::domain_error, "concept 1 is constant");
  CHECK_THROWS_SAYING(mi_interconcept(Matrix(0, 2)), std::invalid_argument, "0 x 2");
  CHECK_THROWS_SAYING(mi_interconcept(normals(9, 3, 1), {}, 2), std::invalid_argument, "width is 2",
                      "3 columns");
  CHECK_THROWS_SAYING(mi_interconcept(Matrix::Zero(9, 4), {}, 2), std::invalid_argument,
                      "vectors of whole numbers");
  CHECK_THROWS_SAYING(mi_interconcept(normals(3, 2, 1)), std::invalid_argument, "at least 4");
  constant(2, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(mi_interconcept(constant), std::invalid_argument, "concepts is nan at row 2");
}

TEST_CASE("mi_concepts_task: plug-in or neighbours; what it refuses") {
  const IndexVector labels{0, 0, 0, 0, 1, 1, 1, 1};
  Matrix c(8, 2);
  c << 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0;
  const ConceptsTaskInformation found = mi_concepts_task(c, labels);
  CHECK(found.normalised[0] == doctest::Approx(1.0));
  CHECK(found.normalised[1] == 0.0);
  CHECK(found.label_entropy == doctest::Approx(std::log(2.0)));
  CHECK_THROWS_SAYING(mi_concepts_task(c, IndexVector(8, 3)), std::domain_error,
                      "labels holds one class only");
  CHECK_THROWS_SAYING(mi_concepts_task(c, IndexVector{0, 1}), std::invalid_argument, "labels 2");
  CHECK_THROWS_SAYING(mi_concepts_task(Matrix(8, 0), labels), std::invalid_argument, "8 x 0");
}

TEST_CASE("concept information: one concept, a class of one, a constant soft concept, NaN") {
  Matrix soft = normals(12, 1, 4);
  const InterconceptInformation alone = mi_interconcept(soft);
  CHECK(alone.pair.empty());
  CHECK(alone.normalised.empty());
  CHECK(alone.self.size() == 1);
  IndexVector labels;
  for (Index i = 0; i < 12; ++i) labels.push_back(i % 2);
  CHECK(mi_concepts_task(soft, labels).mi.size() == 1);
  // mi_ross leaves the class of one out; H(y) does not.
  IndexVector rare(12, 0);
  rare[5] = 1;
  CHECK(std::abs(mi_concepts_task(soft, rare).mi[0]) < 1e-12);
  CHECK(mi_concepts_task(Matrix::Constant(12, 1, 0.5), labels).mi[0] == 0.0);
  IndexVector all_different;
  for (Index i = 0; i < 12; ++i) all_different.push_back(i);
  CHECK_THROWS_SAYING(mi_concepts_task(soft, all_different), std::domain_error,
                      "labels occurs once");
  soft(2, 0) = std::nan("");
  CHECK_THROWS_SAYING(mi_concepts_task(soft, labels), std::invalid_argument,
                      "concepts is nan at row 2");
}

}  // namespace

}  // namespace conoscope::tests
