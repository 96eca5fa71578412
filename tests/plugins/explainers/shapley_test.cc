// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/c_shap/shapley.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

using namespace conoscope::methods;
using namespace conoscope::numerics;

namespace {

Vector random_game(Index players, std::uint64_t seed) {
  Random random{Seed(seed)};
  Vector values(Index{1} << players);
  for (Index i = 0; i < values.size(); ++i) values[i] = random.normal();
  return values;
}

Vector kernel_weights(const Coalitions& coalitions) {
  Vector weights(coalitions.rows());
  for (Index i = 0; i < weights.size(); ++i)
    weights[i] = shapley_kernel(coalitions.cols(), coalitions.row(i).cast<Index>().sum());
  return weights;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the glove game, by hand: the only left glove is worth as much as all right ones") {
  // Player 0 has the left glove, 1 and 2 a right one each; a pair is worth 1.
  const Vector phi = shapley_exact(Vector{{0, 0, 0, 1, 0, 1, 0, 1}});
  CHECK(phi[0] == doctest::Approx(2.0 / 3.0).epsilon(1e-15));
  CHECK(phi[1] == doctest::Approx(1.0 / 6.0).epsilon(1e-15));
  CHECK(phi[2] == doctest::Approx(1.0 / 6.0).epsilon(1e-15));
  CHECK(shapley_exact(Vector{{3.0, 5.0}}) == Vector{{2.0}});
}

TEST_CASE("exact: efficient, and a player that adds nothing gets nothing") {
  const Vector values = random_game(7, 1);
  CHECK(shapley_exact(values).sum() == doctest::Approx(values[127] - values[0]).epsilon(1e-12));
  Vector idle(256);  // player 7 changes nothing
  idle << values, values;
  const Vector phi = shapley_exact(idle);
  CHECK(std::abs(phi[7]) < 1e-15);
  CHECK(phi.head(7).isApprox(shapley_exact(values), 1e-12));
}

TEST_CASE("KernelSHAP over all coalitions is exact") {
  for (const Index n : {2, 3, 8}) {
    const Vector values = random_game(n, 2);
    const Index inner = values.size() - 2;
    const Coalitions all = all_coalitions(n), some = all.middleRows(1, inner);
    const Vector phi = kernel_shap(some, values.segment(1, inner), kernel_weights(some), values[0],
                                   values[inner + 1]);
    CHECK(phi.isApprox(shapley_exact(values), 1e-10));
  }
  CHECK(kernel_shap(Coalitions::Zero(1, 1), Vector{{7.0}}, Vector{{1.0}}, 1.0, 3.0)[0] == 2.0);
}

TEST_CASE("drawn coalitions: additive games are found exactly, others nearly") {
  const Coalitions drawn = sample_coalitions(15, 400, Seed(3));
  const Vector worth = Vector::LinSpaced(15, -1.0, 2.0);
  const Vector values = (drawn.cast<double>() * worth).array() + 0.5;
  const Vector ones = Vector::Ones(400);
  CHECK(kernel_shap(drawn, values, ones, 0.5, 0.5 + worth.sum()).isApprox(worth, 1e-10));

  const Vector game = random_game(6, 4);
  const Coalitions many = sample_coalitions(6, 20000, Seed(5));
  Vector played(many.rows());
  for (Index i = 0; i < many.rows(); ++i) {
    Index row = 0;
    for (Index p = 0; p < 6; ++p) row |= Index{many(i, p)} << p;
    played[i] = game[row];
  }
  const Vector phi = kernel_shap(many, played, Vector::Ones(many.rows()), game[0], game[63]);
  CHECK((phi - shapley_exact(game)).cwiseAbs().maxCoeff() < 0.05);  // about 1/sqrt(20000) x 7
}

TEST_CASE("drawn coalitions: pairs of complements, sizes as the kernel has them, same bits again") {
  const Coalitions drawn = sample_coalitions(5, 30001, Seed(6));
  CHECK((drawn.row(0).array() + drawn.row(1).array() == 1).all());
  std::vector<double> sizes(6, 0.0);
  for (Index i = 0; i < drawn.rows(); ++i)
    sizes[static_cast<std::size_t>(drawn.row(i).cast<Index>().sum())] += 1.0 / 30001.0;
  CHECK(sizes[0] == 0.0);
  CHECK(sizes[5] == 0.0);
  // 1/4, 1/6, 1/6, 1/4 over their sum 5/6; four standard deviations of 15,000 draws
  CHECK(sizes[1] == doctest::Approx(0.3).epsilon(0.05));
  CHECK(sizes[2] == doctest::Approx(0.2).epsilon(0.065));
  std::vector<Coalitions> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = sample_coalitions(5, 30001, Seed(6)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) CHECK(one == drawn);
  CHECK(sample_coalitions(5, 100, Seed(7)) != sample_coalitions(5, 100, Seed(8)));
}

TEST_CASE("what is refused") {
  CHECK_THROWS_AS(all_coalitions(0), std::invalid_argument);
  CHECK_THROWS_AS(all_coalitions(21), std::invalid_argument);
  CHECK_THROWS_WITH_AS(shapley_exact(Vector::Zero(6)),
                       "shapley_exact: 6 values, expected 2^n with n in 1 to 20",
                       std::invalid_argument);
  CHECK_THROWS_AS(shapley_exact(Vector(0)), std::invalid_argument);
  CHECK_THROWS_AS(shapley_exact(Vector{{0.0, kNan}}), std::invalid_argument);
  CHECK_THROWS_AS(shapley_kernel(1, 1), std::invalid_argument);
  CHECK_THROWS_AS(shapley_kernel(4, 0), std::invalid_argument);
  CHECK_THROWS_AS(shapley_kernel(4, 4), std::invalid_argument);
  CHECK_THROWS_AS(sample_coalitions(1, 5, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(sample_coalitions(4, 0, Seed(1)), std::invalid_argument);

  const Coalitions two = all_coalitions(3).middleRows(1, 2);
  const Vector v = Vector::Ones(2);
  CHECK_THROWS_AS(kernel_shap(two, Vector::Ones(3), v, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(kernel_shap(two, v, Vector::Ones(3), 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(kernel_shap(two, Vector{{0.0, kNan}}, v, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(kernel_shap(two, v, Vector{{1.0, -1.0}}, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(kernel_shap(two, v, v, kNan, 1), std::invalid_argument);
  CHECK_THROWS_WITH_AS(kernel_shap(two.topRows(1), v.head(1), v.head(1), 0, 1),
                       "kernel_shap: 1 coalitions of 3 players determine only 1 of 2 unknowns",
                       std::domain_error);
}
