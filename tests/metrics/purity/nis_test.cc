// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/nis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "metrics/purity/nicher.h"
#include "tests/metrics/purity/hand_made.h"
#include "tests/support/throws.h"

using namespace conoscope::metrics;
using conoscope::tests::HandMade;

namespace {

/// Output j is the sigmoid of 10 relu(relu(x_j)) - 5.
NicheNetwork diagonal_network(Index k) {
  NicheNetwork network;
  for (int layer = 0; layer < 3; ++layer) {
    network.weight[layer] = Matrix::Identity(k, k) * (layer == 2 ? 10.0 : 1.0);
    network.bias[layer] = Vector::Constant(k, layer == 2 ? -5.0 : 0.0);
  }
  return network;
}

}  // namespace

TEST_CASE("concept_nicher by hand") {
  Matrix scores(4, 3), concepts(4, 2);
  scores << 1, 4, 7,  //
      3, 3, 7,        //
      2, 2, 7,        //
      4, 1, 7;
  concepts << 1, 0,  //
      2, 0,          //
      3, 1,          //
      4, 1;
  const Matrix nicher = concept_nicher(scores, 1, concepts);
  CHECK(nicher(0, 0) == doctest::Approx(0.8));
  CHECK(nicher(1, 0) == doctest::Approx(1.0));
  CHECK(nicher(2, 0) == 0.0);  // constant: in no niche
  CHECK(nicher(2, 1) == 0.0);
  CHECK(concept_nicher(scores, 1, concepts, true)(1, 0) == doctest::Approx(-1.0));
  const auto niches = concept_niches(nicher, 0.9);
  CHECK_FALSE(niches(0, 0));
  CHECK(niches(1, 0));
  CHECK_FALSE(concept_niches(nicher, 0.0)(2, 0));
  // The better of the two features of one representation.
  CHECK(concept_nicher(scores.leftCols(2), 2, concepts)(0, 0) == doctest::Approx(1.0));
  CHECK(concept_nicher(scores.leftCols(2), 2, concepts, true)(0, 0) == doctest::Approx(0.8));
  // A constant whose mean is not itself.
  CHECK(concept_nicher(Matrix::Constant(4, 1, 0.1), 1, concepts)(0, 0) == 0.0);
}

TEST_CASE("niche_impurity by hand") {
  Matrix concepts(4, 2);
  concepts << 0, 0,  //
      0, 1,          //
      1, 0,          //
      1, 1;
  // Every representation is its concept: the niche gone, nothing is left.
  const Matrix own = Matrix::Identity(2, 2) * 0.97;
  const auto pure = niche_impurity(diagonal_network(2), own, concepts, 1, concepts);
  // 0.97 lies outside of the niche at the last threshold, 1, alone.
  CHECK(pure.beta.size() == 21);
  CHECK(pure.beta(20) == doctest::Approx(1.0));
  CHECK(pure.by_beta.head(20).isConstant(0.5));
  CHECK(pure.by_beta(20) == 1.0);
  CHECK(pure.score == doctest::Approx(0.475));
  CHECK(pure.full == doctest::Approx(0.475 + 0.05 * 0.75));
  const auto perfect =
      niche_impurity(diagonal_network(2), Matrix::Identity(2, 2), concepts, 1, concepts);
  CHECK(perfect.by_beta(20) == 1.0);  // no correlation is above 1
  // The port keeps the niche alone, which knows all.
  CHECK(niche_impurity(diagonal_network(2), own, concepts, 1, concepts, NicheVariant::kComplement)
            .score == doctest::Approx(0.95));
  // A nicher of 0.42 ends at that threshold: from 0.45 on everything is there.
  const auto half =
      niche_impurity(diagonal_network(2), Matrix::Identity(2, 2) * 0.42, concepts, 1, concepts);
  CHECK(half.by_beta(8) == 0.5);
  CHECK(half.by_beta(9) == 1.0);
  CHECK(half.score == doctest::Approx(0.05 * (8 * 0.5 + 0.75 + 10 * 1.0)));
  // Two features each.
  Matrix features(4, 4);
  features << concepts.col(0), concepts.col(0), concepts.col(1), concepts.col(1);
  NicheNetwork wide = diagonal_network(2);
  wide.weight[0] = Matrix::Zero(4, 2);
  wide.weight[0](1, 0) = wide.weight[0](3, 1) = 1.0;
  CHECK(niche_impurity(wide, own, features, 2, concepts).score == doctest::Approx(0.475));
  CHECK(niche_impurity(wide, Matrix::Zero(2, 2), features, 2, concepts).score ==
        doctest::Approx(0.95));
  // A constant concept is left out and counted.
  Matrix constant = concepts;
  constant.col(1).setOnes();
  const auto left = niche_impurity(diagonal_network(2), Matrix::Zero(2, 2), concepts, 1, constant);
  CHECK(left.skipped == 1);
  CHECK(left.score == doctest::Approx(0.95));
}

TEST_CASE("nis of hand-made representations") {
  const HandMade data(1000, 4);
  const NicheScores pure = nis(data.pure, 1, data.concepts);
  CHECK(pure.masked.score == doctest::Approx(0.475).epsilon(0.1));
  CHECK(pure.complement.score > 0.9);
  CHECK(nis(data.pure, 1, data.concepts).softmax.score == pure.softmax.score);
  CHECK(nis(data.pure, 1, data.concepts, 1).softmax.score != pure.softmax.score);
  // (a, a xor b) for (a, b): neither goes along with b, so b's niche is empty, but together they
  // know it. Of a, nothing is left.
  Matrix hidden = data.concepts.leftCols(2);
  for (Index i = 0; i < 1000; ++i) hidden(i, 1) = hidden(i, 0) != hidden(i, 1) ? 1.0 : 0.0;
  CHECK(nis(hidden, 1, data.concepts.leftCols(2)).masked.score > 0.65);
}

TEST_CASE("train_niche_network learns, and stops") {
  const HandMade data(600, 3);
  const NicheNetwork network = train_niche_network(data.pure, data.concepts);
  const Matrix p = network.probabilities(data.pure);
  CHECK(((p.array() > 0.5) == (data.concepts.array() == 1.0)).all());
  NicheTraining one;
  one.most_epochs = 1;
  const Matrix early = train_niche_network(data.pure, data.concepts, one).probabilities(data.pure);
  CHECK((early - data.concepts).norm() > 2 * (p - data.concepts).norm());
  one.random_state = 2;
  CHECK(train_niche_network(data.pure, data.concepts, one).weight[0] != network.weight[0]);
}

TEST_CASE("nis: what is refused") {
  const HandMade data(50, 2);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Matrix broken = data.pure;
  broken(1, 1) = kNan;
  CHECK_THROWS_SAYING(nis(broken, 1, data.concepts), std::invalid_argument, "c_hat is nan");
  CHECK_THROWS_SAYING(nis(data.pure.topRows(3), 1, data.concepts), std::invalid_argument,
                      "c_hat is 3 x 2");
  CHECK_THROWS_SAYING(nis(data.pure, 1, data.concepts.leftCols(1)), std::invalid_argument,
                      "two or more");
  CHECK_THROWS_SAYING(nis(data.pure, 1, 2 * data.concepts), std::invalid_argument,
                      "neither 0 nor 1");
  CHECK_THROWS_SAYING(nis(data.pure, 1, Matrix::Ones(50, 2)), std::domain_error,
                      "concept 0 is constant");
  CHECK_THROWS_SAYING(concept_nicher(broken, 1, data.concepts), std::invalid_argument,
                      "c_hat is nan");
  CHECK_THROWS_SAYING(concept_nicher(data.pure, 1, broken), std::invalid_argument,
                      "concepts is nan");
  CHECK_THROWS_SAYING(concept_nicher(data.pure, 2, data.concepts.topRows(9)), std::invalid_argument,
                      "for 9 samples");
  CHECK_THROWS_SAYING(concept_nicher(data.pure.topRows(1), 1, data.concepts.topRows(1)),
                      std::invalid_argument, "n >= 2");
  const NicheNetwork network = diagonal_network(2);
  const Matrix nicher = Matrix::Identity(2, 2);
  CHECK_THROWS_SAYING(niche_impurity(network, Matrix::Ones(3, 2), data.pure, 1, data.concepts),
                      std::invalid_argument, "nicher is 3 x 2");
  CHECK_THROWS_SAYING(niche_impurity(diagonal_network(3), nicher, data.pure, 1, data.concepts),
                      std::invalid_argument, "the network 3 -> 3");
  CHECK_THROWS_SAYING(niche_impurity(network, nicher * kNan, data.pure, 1, data.concepts),
                      std::invalid_argument, "nicher is nan");
  CHECK_THROWS_SAYING(niche_impurity(network, nicher, data.pure, 1, 3 * data.concepts),
                      std::invalid_argument, "neither 0 nor 1");
  CHECK_THROWS_SAYING(niche_impurity(network, nicher, data.pure, 1, Matrix::Zero(50, 2)),
                      std::domain_error, "every concept is constant");
  CHECK_THROWS_SAYING(train_niche_network(data.pure, data.concepts.topRows(2)),
                      std::invalid_argument, "x is 50 x 2 and y 2 x 2");
  CHECK_THROWS_SAYING(train_niche_network(broken, data.concepts), std::invalid_argument,
                      "x is nan");
  CHECK_THROWS_SAYING(train_niche_network(data.pure, data.pure), std::invalid_argument,
                      "y has an entry");
  NicheTraining options;
  options.batch = 0;
  CHECK_THROWS_SAYING(train_niche_network(data.pure, data.concepts, options), std::invalid_argument,
                      "batch is 0");
}

TEST_CASE("nis: one sample, one constant concept, a class of one") {
  const HandMade data(50, 2);
  CHECK_THROWS_SAYING(nis(data.pure.topRows(1), 1, data.concepts.topRows(1)), std::domain_error,
                      "concept 0 is constant");
  Matrix concepts = data.concepts;
  concepts.col(1).setOnes();
  CHECK_THROWS_SAYING(nis(data.pure, 1, concepts), std::domain_error, "concept 1 is constant");
  concepts(9, 1) = 0;  // in one part or the other
  const NicheScores rare = nis(data.pure, 1, concepts);
  CHECK(rare.masked.skipped <= 1);
  CHECK(std::isfinite(rare.masked.score));
  CHECK_THROWS_SAYING(nis(data.pure, 1, std::nan("") * concepts), std::invalid_argument,
                      "concepts is nan");
}
