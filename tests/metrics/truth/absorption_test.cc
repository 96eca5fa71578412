// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/absorption.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "metrics/catalogue.h"
#include "metrics/truth/absorption_excess.h"
#include "tests/metrics/truth/small_world.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

constexpr double kRounding = 1e-12;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(kRounding); }

/// Atoms of cosine 1, 0.8 and 0 with the probe e_1.
struct ByHand {
  Matrix rows{{1.0, 0.0}}, atoms{{1.0, 0.0}, {0.8, 0.6}, {0.0, 1.0}};
  Vector probe{{1.0, 0.0}};
  IndexVector main{0};
  AbsorptionOptions options;

  Absorption of(double first, double second, double third) const {
    const Matrix codes{{first, second, third}};
    return absorption(rows, codes, atoms, probe, main, options);
  }
  double fraction(double first, double second, double third = 0.0) const {
    return of(first, second, third).fraction[0];
  }
  double full(double first, double second, double third = 0.0) const {
    return of(first, second, third).full[0];
  }
};

}  // namespace

TEST_CASE("absorption: by hand") {
  const ByHand hand;
  CHECK(hand.fraction(1.2, 1.0) == 0.0);  // the main latent does it all
  CHECK(hand.fraction(0.0, 1.0) == 1.0);  // it does nothing
  CHECK(hand.fraction(0.4, 0.4) == 0.0);  // 0.32 of 1 is no share of 0.4
  // S = 0.64 of what is missing, 0.7: 0.64 / (0.64 + 0.3).
  CHECK(hand.fraction(0.3, 0.8) == near(0.64 / 0.94));
  // S = 0.8, of which 0.4 is missing: 0.4 / (0.4 + 0.6).
  CHECK(hand.fraction(0.6, 1.0) == near(0.4));
  CHECK(hand.fraction(0.0, 0.0, 5.0) == 0.0);  // at right angles nobody absorbs
  CHECK(hand.full(0.0, 1.0) == 1.0);
  CHECK(hand.full(0.1, 1.0) == 0.0);  // the main latent fires
  CHECK(hand.full(0.0, 0.4) == 0.0);  // 0.32 of 1
  CHECK(hand.full(0.0, 0.5) == 1.0);
  CHECK(hand.full(0.0, 0.0, 5.0) == 0.0);
}

TEST_CASE("absorption: the probe's length says nothing") {
  ByHand hand;
  hand.probe *= 7.0;
  CHECK(hand.fraction(0.6, 1.0) == near(0.4));
  CHECK(hand.full(0.0, 0.5) == 1.0);
}

TEST_CASE("absorption: rows that lie against the probe hold nothing of it") {
  ByHand hand;
  hand.rows << -1.0, 0.0;
  CHECK(hand.fraction(0.0, 1.0) == 0.0);
  CHECK(hand.full(0.0, 1.0) == 0.0);
}

TEST_CASE("absorption: only so many latents of a row, of atoms of any length") {
  ByHand hand;
  hand.atoms.resize(5, 2);
  hand.atoms << 1, 0, 3, 0, 3, 0, 3, 0, 3, 0;  // cosine 1, though the length is 3
  Matrix codes{{0.0, 0.15, 0.15, 0.15, 0.15}};
  const auto fraction = [&](Index most) {
    hand.options.most = most;
    return absorption(hand.rows, codes, hand.atoms, hand.probe, hand.main, hand.options)
        .fraction[0];
  };
  CHECK(fraction(2) == 0.0);  // 0.3
  CHECK(fraction(3) == 1.0);  // 0.45
  CHECK(fraction(9) == 1.0);
}

TEST_CASE("absorption: what is refused") {
  const ByHand hand;
  const Matrix codes = Matrix::Ones(1, 3);
  const auto with = [&](const Matrix& rows, const Matrix& f, const Matrix& atoms,
                        const IndexVector& main) {
    return absorption(rows, f, atoms, hand.probe, main);
  };
  CHECK_THROWS_SAYING(with(Matrix(0, 2), codes, hand.atoms, {0}), std::invalid_argument, "rows");
  CHECK_THROWS_SAYING(with(hand.rows, Matrix::Ones(2, 3), hand.atoms, {0}), std::invalid_argument,
                      "codes 2 x 3");
  CHECK_THROWS_SAYING(with(hand.rows, codes, Matrix::Ones(4, 2), {0}), std::invalid_argument,
                      "atoms 4 x 2");
  CHECK_THROWS_SAYING(with(Matrix::Ones(1, 3), codes, Matrix::Ones(3, 3), {0}),
                      std::invalid_argument, "the probe has 2 entries");
  CHECK_THROWS_SAYING(absorption(hand.rows, codes, hand.atoms, Vector::Zero(2), {0}),
                      std::invalid_argument, "the probe is 0");
  CHECK_THROWS_SAYING(with(hand.rows, codes, hand.atoms, {}), std::invalid_argument,
                      "no main latent");
  CHECK_THROWS_SAYING(with(hand.rows, codes, hand.atoms, {3}), std::invalid_argument,
                      "main latent 3 of 3");
  CHECK_THROWS_SAYING(with(hand.rows, kNan * codes, hand.atoms, {0}), std::invalid_argument,
                      "codes", "nan");
}

TEST_CASE("splits: each must add more than the step") {
  const auto of = [](const std::vector<double>& f1) {
    return splits(std::ssize(f1), [&](Index k) { return f1[static_cast<std::size_t>(k - 1)]; });
  };
  CHECK(of({0.5}) == 1);
  CHECK(of({0.5, 0.6, 0.61, 0.9}) == 2);  // it stops at the first that adds too little
  CHECK(of({0.5, 0.6, 0.7}) == 3);
  CHECK_THROWS_SAYING(splits(0, [](Index) { return 0.0; }), std::invalid_argument, "most");
}

TEST_CASE("absorption: a latent of the parent's own is none that absorbs") {
  // The parent's rows are divided between two latents of its direction.
  const Truth truth = small_world({.roots = 1, .children = 2, .free = 3});
  Dictionary made = true_dictionary(truth);
  const Index latents = made.atoms.rows();
  made.atoms.conservativeResize(latents + 1, Eigen::NoChange);
  made.atoms.row(latents) = truth.directions.row(0);
  made.codes.conservativeResize(Eigen::NoChange, latents + 1);
  made.codes.col(latents).setZero();
  for (Index i = 0; i < made.codes.rows(); i += 2)
    std::swap(made.codes(i, 0), made.codes(i, latents));
  const Matrix rows = truth.activations.cast<double>() * truth.directions;
  const auto value = [&](const IndexVector& features) {
    return absorption_of_parents(rows, made.codes, made.atoms, truth.activations, truth.directions,
                                 truth.parent, features, 1)
        .fraction[0];
  };
  CHECK(value({0, 1, 2, 3, 4, 5, 0}) == 0.0);
  CHECK(value({0, 1, 2, 3, 4, 5, 1}) > 0.4);
}

TEST_CASE(
    "absorption: parents are left out that no latent, or too few rows, or no direction tell") {
  Truth truth = small_world({.roots = 4, .children = 2, .free = 0, .rows = 1000});
  // Parent 0 has no latent; parent 1 is active in 15 rows; parent 2's rows do not hold its
  // direction.
  Index active = 0;
  for (Index i = 0; i < 1000; ++i)
    if (truth.activations(i, 1) > 0.0F && ++active > 15) truth.activations(i, 1) = 0.0F;
  Matrix rows = truth.activations.cast<double>() * truth.directions;
  const Vector second = truth.directions.row(2).transpose();
  rows -= rows * second * second.transpose();
  const Dictionary made = true_dictionary(truth);
  IndexVector features(12);
  for (Index j = 0; j < 12; ++j) features[static_cast<std::size_t>(j)] = j == 0 ? 5 : j;
  const ParentAbsorption found = absorption_of_parents(
      rows, made.codes, made.atoms, truth.activations, truth.directions, truth.parent, features, 1);
  CHECK(found.parents == IndexVector{0, 1, 2, 3});
  CHECK(found.no_latent == 1);
  CHECK(found.rare == 1);
  CHECK(found.not_linear == 1);
  CHECK(std::isnan(found.fraction[0]));
  CHECK(std::isnan(found.full[1]));
  CHECK(std::isnan(found.fraction[2]));
  CHECK(found.fraction[3] == 0.0);
  CHECK_THROWS_SAYING(absorption_of_parents(rows, made.codes, made.atoms, truth.activations,
                                            truth.directions, truth.parent, {0}, 1),
                      std::invalid_argument, "features of 1 latents");
  IndexVector parent = truth.parent;
  parent.back() = 12;
  CHECK_THROWS_SAYING(absorption_of_parents(rows, made.codes, made.atoms, truth.activations,
                                            truth.directions, parent, features, 1),
                      std::invalid_argument, "parent 12 of 12");
}

TEST_CASE("absorption_excess: by hand") {
  // Feature 0 has the child 1, feature 2 the child 3.
  const IndexVector parent{-1, 0, -1, 2};
  MatrixF activations(6, 4);
  activations << 1, 1, 0, 0,  //
      1, 1, 0, 0,             //
      1, 0, 1, 0,             //
      1, 0, 1, 0,             //
      1, 0, 1, 0,             //
      0, 0, 0, 0;
  Matrix codes(6, 2);
  codes << 0, 3,  // silent where the child is active
      2, 3,       //
      1, 0,       //
      0, 0,       // silent where it is not
      1, 0,       //
      9, 0;       // not its row
  const AbsorptionExcess found = absorption_excess(codes, activations, parent, {0, 1});
  CHECK(found.parents == IndexVector{0, 2});
  CHECK(found.excess[0] == near(1.0 / 2 - 1.0 / 3));
  CHECK(std::isnan(found.excess[1]));  // no latent
  // With the second latent the parent is missed in one row only, without a child.
  CHECK(absorption_excess(codes, activations, parent, {0, 0}).excess[0] == near(-1.0 / 3));
  // Its child is never active.
  CHECK(std::isnan(absorption_excess(codes, activations, parent, {0, 2}).excess[1]));
  CHECK(absorption_excess(5.0 * codes, activations, parent, {0, -1}).excess[0] == found.excess[0]);
  CHECK(absorption_excess(codes, activations, {-1, -1, -1, -1}, {0, 1}).parents.empty());
}

TEST_CASE("absorption_excess: what is refused") {
  const Matrix codes = Matrix::Ones(2, 1);
  const MatrixF activations = MatrixF::Ones(2, 2);
  CHECK_THROWS_SAYING(absorption_excess(Matrix(0, 1), activations, {-1, 0}, {0}),
                      std::invalid_argument, "codes");
  CHECK_THROWS_SAYING(absorption_excess(codes, MatrixF::Ones(3, 2), {-1, 0}, {0}),
                      std::invalid_argument, "activations 3 x 2");
  CHECK_THROWS_SAYING(absorption_excess(codes, activations, {-1}, {0}), std::invalid_argument,
                      "parent has 1 entries, not 2");
  CHECK_THROWS_SAYING(absorption_excess(codes, activations, {-1, 2}, {0}), std::invalid_argument,
                      "parent holds 2");
  CHECK_THROWS_SAYING(absorption_excess(codes, activations, {-1, 0}, {0, 1}), std::invalid_argument,
                      "truth_of has 2 entries, not 1");
  CHECK_THROWS_SAYING(absorption_excess(codes, activations, {-1, 0}, {-2}), std::invalid_argument,
                      "truth_of holds -2");
}

TEST_CASE("absorption: a world in which no parent can be judged has no number") {
  Truth truth = small_world({.roots = 2, .children = 2, .free = 4, .rows = 20});
  const JudgedDictionary judged(truth, true_dictionary(truth));
  const Score found = score(*catalogue().metric("absorption"), Subject(judged.views()));
  CHECK(found.reason == "undefined");
  CHECK(found.message == "absorption: 2 parents left out: active, or not, in too few rows");
  for (Index i = 0; i < 20; ++i) truth.activations.row(i).segment(2, 4).setZero();
  const JudgedDictionary alone(truth, true_dictionary(truth));
  const Score excess = score(*catalogue().metric("absorption_excess"), Subject(alone.views()));
  CHECK(excess.reason == "undefined");
  CHECK(excess.message.find("of every parent no latent") != std::string::npos);
}

}  // namespace conoscope::tests
