// SPDX-License-Identifier: Apache-2.0
#include "metrics/readability/monosemanticity.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "metrics/catalogue.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Sums of n products, subtracted from each other.
constexpr double kRounding = 1e-10;

Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  return testing::normals(rows, cols, numerics::Random(seed));
}

/// The definition, pair by pair, of strengths a.
double over_pairs(const Matrix& embeddings, const Vector& a) {
  double sum = 0.0, weight = 0.0;
  for (Index i = 0; i < a.size(); ++i)
    for (Index j = i + 1; j < a.size(); ++j) {
      sum += a[i] * a[j] * embeddings.row(i).dot(embeddings.row(j)) /
             (embeddings.row(i).norm() * embeddings.row(j).norm());
      weight += a[i] * a[j];
    }
  return sum / weight;
}

double by_pairs(const Matrix& embeddings, const Vector& scores) {
  const double low = scores.minCoeff();
  return over_pairs(embeddings, (scores.array() - low) / (scores.maxCoeff() - low));
}

}  // namespace

TEST_CASE("monosemanticity: by hand") {
  Matrix embeddings(3, 2);
  embeddings << 2, 0,  //
      0, 5,            //
      1, 1;
  Matrix scores(3, 1);
  scores << 3, 2, 1;  // a = 1, 1/2, 0: the one pair with a weight is at right angles
  CHECK(monosemanticity(embeddings, scores).value == doctest::Approx(0.0).epsilon(kRounding));
  scores << 1, 2, 3;  // a = 0, 1/2, 1: at 45 degrees
  CHECK(monosemanticity(embeddings, scores).value ==
        doctest::Approx(std::sqrt(0.5)).epsilon(kRounding));
  Matrix four(4, 1);
  four << 0, 4, 2, 4;  // a = 0, 1, 1/2, 1
  Matrix more(4, 2);
  more << 1, 0, 1, 0, 0, 1, -1, 0;  // cosines of the last three: 0, -1, 0 with weights 1/2, 1, 1/2
  CHECK(monosemanticity(more, four).value == doctest::Approx(-0.5).epsilon(kRounding));
}

TEST_CASE("monosemanticity: without the pairs as with them") {
  const Matrix embeddings = normal_matrix(40, 6, 1), scores = normal_matrix(40, 5, 2);
  const Result result = monosemanticity(embeddings, scores);
  REQUIRE(result.parts.size() == 5);
  double sum = 0.0;
  for (Index k = 0; k < 5; ++k) {
    const double expected = by_pairs(embeddings, scores.col(k));
    CHECK(result.parts[static_cast<std::size_t>(k)] ==
          doctest::Approx(expected).epsilon(kRounding));
    sum += expected;
  }
  CHECK(result.value == doctest::Approx(sum / 5).epsilon(kRounding));
  CHECK(result.caveat.empty());
  CHECK(monosemanticity_null(embeddings) ==
        doctest::Approx(over_pairs(embeddings, Vector::Ones(40))).epsilon(kRounding));
}

TEST_CASE(
    "monosemanticity: scale and order of images say nothing, the scale of embeddings neither") {
  const Matrix embeddings = normal_matrix(30, 4, 3), scores = normal_matrix(30, 3, 4);
  const double value = monosemanticity(embeddings, scores).value;
  const Matrix shifted = 7.0 * scores.array() - 3.0;
  CHECK(monosemanticity(embeddings, shifted).value == doctest::Approx(value).epsilon(kRounding));
  CHECK(monosemanticity(embeddings.colwise().reverse(), scores.colwise().reverse()).value ==
        doctest::Approx(value).epsilon(kRounding));
  const Matrix scaled =
      (normal_matrix(30, 1, 5).col(0).cwiseAbs().array() + 0.1).matrix().asDiagonal() * embeddings;
  CHECK(monosemanticity(scaled, scores).value == doctest::Approx(value).epsilon(kRounding));
}

TEST_CASE("monosemanticity: the ladder from one kind of image to any") {
  // Two kinds of images, each about a direction of its own.
  constexpr Index kImages = 200;
  Matrix embeddings = 0.3 * normal_matrix(kImages, 8, 6);
  Matrix pure(kImages, 1), half(kImages, 1);
  for (Index i = 0; i < kImages; ++i) {
    embeddings(i, i % 2) += 1.0;
    pure(i, 0) = static_cast<double>(i % 2);
    half(i, 0) = i % 4 == 0 ? 1.0 : static_cast<double>(i % 2);
  }
  const double best = monosemanticity(embeddings, pure).value,
               middle = monosemanticity(embeddings, half).value,
               random = monosemanticity(embeddings, normal_matrix(kImages, 20, 7)).value,
               nobody = monosemanticity_null(embeddings);
  CHECK(best > middle + 0.1);
  CHECK(middle > random + 0.02);
  CHECK(std::abs(random - nobody) < 0.02);
}

TEST_CASE("monosemanticity: concepts without a pair are left out") {
  const Matrix embeddings = normal_matrix(5, 3, 8);
  Matrix scores(5, 3);
  scores << 1, 0, 2,  //
      2, 0, 2,        //
      3, 9, 2,        //
      4, 0, 2,        //
      5, 0, 2;
  const Result result = monosemanticity(embeddings, scores);
  CHECK(result.value == doctest::Approx(by_pairs(embeddings, scores.col(0))).epsilon(kRounding));
  CHECK(std::isnan(result.parts[1]));
  CHECK(std::isnan(result.parts[2]));
  CHECK(result.caveat == "2 concepts left out: not stronger in two images than in others");
  CHECK_THROWS_SAYING(monosemanticity(embeddings, scores.rightCols(2)), std::domain_error,
                      "no concept is stronger");
}

TEST_CASE("monosemanticity: an image without activations has cosine 0 with every other") {
  Matrix embeddings(3, 2);
  embeddings << 1, 0, 1, 0, 0, 0;
  CHECK(monosemanticity_null(embeddings) == doctest::Approx(1.0 / 3.0).epsilon(kRounding));
}

TEST_CASE("monosemanticity: what is refused") {
  const Matrix two = Matrix::Identity(2, 2);
  CHECK_THROWS_SAYING(monosemanticity(two.topRows(1), two.topRows(1)), std::invalid_argument,
                      "1 images make no pair");
  CHECK_THROWS_SAYING(monosemanticity(two, Matrix(2, 0)), std::invalid_argument, "2 x 0");
  CHECK_THROWS_SAYING(monosemanticity(two, Matrix::Ones(3, 1)), std::invalid_argument,
                      "3 x 1, of 2 images");
  Matrix nan = two;
  nan(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(monosemanticity(nan, two), std::invalid_argument, "embeddings");
  CHECK_THROWS_SAYING(monosemanticity(two, nan), std::invalid_argument, "scores");
}

TEST_CASE("monosemanticity: of a subject, with its own activations as embeddings") {
  HeadView head;
  const Matrix rows = normal_matrix(40, 3, 9);  // 20 samples, 2 positions each
  head.activations = RowSource(rows);
  head.positions = 2;
  head.pooling = Pooling::kMean;
  head.weight = Matrix::Ones(1, 3);
  head.bias = Vector::Zero(1);
  Matrix pooled(20, 3);
  for (Index i = 0; i < 20; ++i) pooled.row(i) = rows.middleRows(2 * i, 2).colwise().mean();
  ConceptView concepts;
  concepts.scores = normal_matrix(20, 2, 10);
  Views views{.head = &head, .concepts = &concepts};
  const Metric* metric = catalogue().metric("monosemanticity");
  REQUIRE(metric != nullptr);
  CHECK(score(*metric, Subject(views)).value ==
        doctest::Approx(monosemanticity(pooled, concepts.scores).value).epsilon(kRounding));
  CHECK(score(*catalogue().metric("monosemanticity_null"), Subject(views)).value ==
        doctest::Approx(monosemanticity_null(pooled)).epsilon(kRounding));
  // A linear explanation that says the same with the other signs.
  Explanation explanation;
  explanation.cavs = normal_matrix(2, 3, 12);
  explanation.class_agnostic = true;
  explanation.importance_by_output = (Matrix(2, 2) << 1.0, -0.5, -0.25, 0.25).finished();
  Views explained{.head = &head, .explanation = &explanation, .concepts = &concepts};
  Matrix oriented = concepts.scores;
  oriented.col(1) *= -1.0;
  const double given = score(*metric, Subject(explained)).value;
  CHECK(given == monosemanticity(pooled, oriented).value);
  concepts.scores.col(0) *= -1.0;
  explanation.importance_by_output.col(0) *= -1.0;
  CHECK(score(*metric, Subject(explained)).value == given);
  explanation.project = [](Index, const MatrixRef& rows_of) { return Matrix(rows_of); };
  CHECK(score(*metric, Subject(explained)).value ==
        monosemanticity(pooled, concepts.scores).value);  // a code that fires has no other sign
  concepts.width = 2;  // embeddings: their probabilities say how strong they are
  CHECK(score(*metric, Subject(views)).reason == "not_applicable");
  concepts.probabilities = normal_matrix(20, 1, 11);
  CHECK(score(*metric, Subject(views)).value ==
        doctest::Approx(monosemanticity(pooled, concepts.probabilities).value).epsilon(kRounding));
}

}  // namespace conoscope::tests
