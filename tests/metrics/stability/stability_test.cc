// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/stability.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "metrics/catalogue.h"
#include "tests/metrics/stability/found.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Sums of a few products of unit vectors.
constexpr double kRounding = 1e-12;

const Vector kThree = (Vector(3) << 1, 2, 4).finished();

/// Two outputs, two concepts and one, in the plane.
CellExplanation hand_made() {
  Matrix cavs(3, 2);
  cavs << 1, 0,  //
      0, 1,      //
      1, 0;
  return found(cavs, kThree, {2, 1});
}

/// The same in another order, one of them turned: by 30 degrees, of output 1 by 60.
CellExplanation hand_made_again() {
  Matrix cavs(3, 2);
  cavs << std::sin(std::numbers::pi / 6), std::cos(std::numbers::pi / 6),  //
      -1, 0,                                                               //
      std::cos(std::numbers::pi / 3), std::sin(std::numbers::pi / 3);
  return found(cavs, (Vector(3) << 1, 3, 4).finished(), {2, 1});
}

}  // namespace

TEST_CASE("matched_concepts: each concept beside what it is matched with") {
  Peers peers{hand_made(), {hand_made_again(), hand_made(), hand_made()}, 1};
  peers.others[0].seed = 7;
  peers.others[1].seed = 9;
  const Score found = score(*peer_metric("matched_concepts"), peers);
  // Two seeds of the three; the most important concept of each output, then the second of output 0.
  REQUIRE(found.parts.size() == 6U * 7U);
  const double thirty = std::cos(std::numbers::pi / 6);
  const std::vector<std::vector<double>> expected = {
      {1, 2, 4, 7, 2, 4, 0.5}, {1, 2, 4, 9, 2, 4, 1.0}, {0, 1, 2, 7, 0, 1, thirty},
      {0, 1, 2, 9, 1, 2, 1.0}, {0, 0, 1, 7, 1, 3, 1.0}, {0, 0, 1, 9, 0, 1, 1.0}};
  for (std::size_t row = 0; row < expected.size(); ++row)
    for (std::size_t column = 0; column < 7; ++column) {
      CAPTURE(row);
      CAPTURE(column);
      CHECK(found.parts[row * 7 + column] ==
            doctest::Approx(expected[row][column]).epsilon(kRounding));
    }

  // One concept fewer in the other seed: the least similar is left without one.
  Matrix fewer(2, 2);
  fewer << 1, 0, 1, 0;
  peers.others = {tests::found(fewer, Vector::Ones(2), {1, 1})};
  const Score left = score(*peer_metric("matched_concepts"), peers);
  REQUIRE(left.parts.size() == 3U * 7U);
  CHECK(std::isnan(left.parts[7 + 4]));
  CHECK(std::isnan(left.parts[7 + 6]));
  CHECK(left.parts[14 + 6] == doctest::Approx(1.0));

  peers.others[0].bias[0] += 1.0;
  CHECK(score(*peer_metric("matched_concepts"), peers).reason == "not_applicable");
}

TEST_CASE("stability: by hand") {
  const Peers peers{hand_made(), {hand_made_again()}, 1};
  const double thirty = std::cos(std::numbers::pi / 6);
  // Output 0: (1,0) is the second, (0,1) the first turned by 30 degrees; output 1 turned by 60.
  CHECK(stability(peers).value == doctest::Approx((1.0 + thirty + 0.5) / 3.0).epsilon(kRounding));
  CHECK(stability_reappearing(peers).value == doctest::Approx(2.0 / 3.0).epsilon(kRounding));
  // Importances of the pairs: (1, 3), (2, 1), (4, 4): ranks 1 2 3 and 2 1 3.
  CHECK(stability_importance(peers).value == doctest::Approx(0.5).epsilon(kRounding));
  // Shares: 1/7 2/7 4/7 and 3/8 1/8 4/8, of which the smaller ones count.
  CHECK(stability_overlap(peers).value ==
        doctest::Approx(1.0 / 7 + thirty / 8 + 0.5 * 0.5).epsilon(kRounding));
  // Output 0 against output 1's one concept: (1,0) has cosine 0.5, (0,1) cos 30, which is taken;
  // output 1 against output 0's two: (1,0) is one of them.
  CHECK(stability_other_output(peers).value ==
        doctest::Approx((thirty + 1.0) / 4.0).epsilon(kRounding));
}

TEST_CASE("stability: the mean over the peers, whose comparisons are the parts") {
  const Result both = stability({hand_made(), {hand_made(), hand_made_again()}, 1});
  REQUIRE(both.parts.size() == 2);
  CHECK(both.parts[0] == doctest::Approx(1.0).epsilon(kRounding));
  CHECK(both.parts[1] == stability({hand_made(), {hand_made_again()}, 1}).value);
  CHECK(both.value == doctest::Approx((both.parts[0] + both.parts[1]) / 2).epsilon(kRounding));
}

TEST_CASE("stability: the order, the length and the sign of concepts say nothing") {
  const Matrix cavs = normal_matrix(6, 9, 3);
  const Vector importance = normal_matrix(6, 1, 4).col(0);
  const Peers same{found(cavs, importance, {3, 3}), {found(cavs, importance, {3, 3})}, 1};
  const Eigen::VectorXi order = (Eigen::VectorXi(6) << 2, 0, 1, 5, 4, 3).finished();
  Matrix other = cavs(order, Eigen::all);
  Vector its = importance(order);
  other.row(1) *= -3.0;
  its[1] *= -1.0;  // a sign goes from the one to the other
  const Peers turned{same.own, {found(other, its, {3, 3})}, 1};
  for (const auto& measure :
       {stability, stability_reappearing, stability_importance, stability_overlap}) {
    CHECK(measure(same).value == doctest::Approx(1.0).epsilon(kRounding));
    CHECK(measure(turned).value == doctest::Approx(1.0).epsilon(kRounding));
  }
  CHECK(stability({turned.others[0], {same.own}, 1}).value ==
        doctest::Approx(1.0).epsilon(kRounding));
}

TEST_CASE("stability: concepts without a partner count as 0, from either side") {
  const Matrix three = Matrix::Identity(3, 4), one = Matrix::Identity(1, 4);
  const CellExplanation many = found(three, Vector::Ones(3), {3}),
                        few = found(one, Vector::Ones(1), {1});
  for (const auto& peers : {Peers{many, {few}, 1}, Peers{few, {many}, 1}}) {
    CHECK(stability(peers).value == doctest::Approx(1.0 / 3.0).epsilon(kRounding));
    CHECK(stability_reappearing(peers).value == doctest::Approx(1.0 / 3.0).epsilon(kRounding));
    CHECK(stability_overlap(peers).value == doctest::Approx(1.0 / 3.0).epsilon(kRounding));
  }
}

TEST_CASE("stability: shared concepts are matched once, with an importance for every output") {
  Matrix importance(2, 2), other(2, 2);
  importance << 1, 2, 3, 4;
  other << 2, 1, 4, 3;
  Matrix swapped(2, 3);
  swapped << 0, 1, 0, 1, 0, 0;
  const Peers peers{shared(Matrix::Identity(2, 3), importance), {shared(swapped, other)}, 1};
  CHECK(stability(peers).value == doctest::Approx(1.0).epsilon(kRounding));
  CHECK(stability_importance(peers).value == doctest::Approx(1.0).epsilon(kRounding));
  CHECK(stability_overlap(peers).value == doctest::Approx(1.0).epsilon(kRounding));
  CHECK_THROWS_SAYING(stability_other_output(peers), NotApplicable, "share their concepts");
}

TEST_CASE("stability_null: one random direction has a known mean, and random concepts are at it") {
  // E|cos| of a random direction with a fixed one: Gamma(D/2) / (sqrt(pi) Gamma((D+1)/2)).
  constexpr Index kWidth = 8;
  const double expected = std::exp(std::lgamma(kWidth / 2.0) - std::lgamma((kWidth + 1) / 2.0)) /
                          std::sqrt(std::numbers::pi);
  const IndexVector ones(200, 1);
  const Peers peers{found(normal_matrix(200, kWidth, 1), Vector::Ones(200), ones),
                    {found(normal_matrix(200, kWidth, 2), Vector::Ones(200), ones)},
                    7};
  // 2000 draws with a standard deviation of some 0.2; four standard errors.
  CHECK(std::abs(stability_null(peers).value - expected) < 4 * 0.2 / std::sqrt(2000.0));
  CHECK(std::abs(stability(peers).value - expected) < 4 * 0.2 / std::sqrt(200.0));
  CHECK(stability_null(peers).value == stability_null(peers).value);
  Peers other = peers;
  other.seed = 8;
  CHECK(stability_null(peers).value != stability_null(other).value);
  // More to choose from: the best of several random directions is nearer.
  const Peers many{found(normal_matrix(6, kWidth, 1), Vector::Ones(6), {6}),
                   {found(normal_matrix(6, kWidth, 2), Vector::Ones(6), {6})},
                   7};
  CHECK(stability_null(many).value > expected + 0.1);
  // As many dimensions as there are: every subspace is the whole.
  Peers whole{found(Matrix::Identity(3, 3), Vector::Ones(3), {3}),
              {found(Matrix::Identity(3, 3), Vector::Ones(3), {3})},
              7};
  whole.own.dimensions = whole.others[0].dimensions = {{3}};
  CHECK(stability_null(whole).value == doctest::Approx(1.0).epsilon(kRounding));
}

TEST_CASE("stability: the ladder from the same to the random explanation") {
  const Matrix cavs = normal_matrix(20, 16, 1);
  const Vector importance = normal_matrix(20, 1, 2).col(0).cwiseAbs();
  const IndexVector counts{5, 5, 5, 5};
  const CellExplanation own = found(cavs, importance, counts);
  const auto of = [&](const CellExplanation& other) {
    return stability_overlap({own, {other}, 1}).value;
  };
  const CellExplanation shuffled = found(cavs, normal_matrix(20, 1, 3).col(0).cwiseAbs(), counts);
  const CellExplanation random =
      found(normal_matrix(20, 16, 4), normal_matrix(20, 1, 3).col(0).cwiseAbs(), counts);
  CHECK(of(own) > of(shuffled) + 0.1);
  CHECK(of(shuffled) > of(random) + 0.1);
  CHECK(stability({own, {random}, 1}).value < 0.6);
  CHECK(std::abs(stability_importance({own, {shuffled}, 1}).value) < 0.6);
}

TEST_CASE("stability: what cannot be compared") {
  const CellExplanation own = hand_made();
  CHECK_THROWS_SAYING(stability({own, {}, 1}), std::invalid_argument, "there is no peer");
  CellExplanation trained = own;
  trained.weight(0, 0) += 1e-9;
  CHECK_THROWS_SAYING(stability({own, {trained}, 1}), NotApplicable, "differs from seed to seed");
  trained = own;
  trained.bias[1] = 1.0;
  CHECK_THROWS_SAYING(stability({own, {trained}, 1}), NotApplicable, "differs from seed to seed");
  // Outputs or features may differ as well: classes that the training rows of one seed lack.
  for (const auto& [outputs, features] : {std::pair<Index, Index>(5, 2), {2, 7}}) {
    trained = own;
    trained.weight = Matrix::Ones(outputs, features);
    trained.bias = Vector::Zero(outputs);
    CHECK_THROWS_SAYING(stability({own, {trained}, 1}), NotApplicable, "differs from seed to seed");
  }
  CellExplanation agnostic = shared(Matrix::Identity(2, 2), Matrix::Ones(2, 2));
  CHECK_THROWS_SAYING(stability({own, {agnostic}, 1}), std::invalid_argument, "different shape");
  CellExplanation nothing = own;
  nothing.explanation.cavs.setZero();
  CHECK_THROWS_SAYING(stability({own, {nothing}, 1}), std::domain_error, "has no concept");
  const CellExplanation one = found(Matrix::Identity(1, 2), Vector::Ones(1), {1});
  CHECK_THROWS_SAYING(stability_other_output({one, {one}, 1}), NotApplicable, "one output");
  CHECK_THROWS_SAYING(stability_importance({one, {one}, 1}), std::domain_error, "1 pairs");
  const CellExplanation alike = found(Matrix::Identity(3, 3), Vector::Ones(3), {3});
  CHECK_THROWS_SAYING(stability_importance({alike, {alike}, 1}), std::domain_error, "are equal");
  const CellExplanation idle = found(Matrix::Identity(3, 3), Vector::Zero(3), {3});
  CHECK_THROWS_SAYING(stability_overlap({idle, {alike}, 1}), std::domain_error,
                      "every importance is 0");
}

TEST_CASE("stability: scores over seeds are metrics of the catalogue that no single subject has") {
  for (const Metric* one : catalogue().select("over_seeds")) {
    CAPTURE(one->name);
    CHECK(peer_metric(one->name) == one);
    CHECK(score(*one, Subject(Views{})).reason == "not_applicable");
  }
  CHECK(peer_metric("surf_mae") == nullptr);
  const Score good = score(*peer_metric("stability"), {hand_made(), {hand_made()}, 1});
  CHECK(good.reason.empty());
  CHECK(good.value == doctest::Approx(1.0).epsilon(kRounding));
  CellExplanation trained = hand_made();
  trained.weight(0, 0) = 2.0;
  CHECK(score(*peer_metric("stability"), {hand_made(), {trained}, 1}).reason == "not_applicable");
  CellExplanation nothing = hand_made();
  nothing.explanation.cavs.setZero();
  CHECK(score(*peer_metric("stability"), {hand_made(), {nothing}, 1}).reason == "undefined");
}

}  // namespace conoscope::tests
