// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/topk_sae/sae.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "tests/support/normals.h"

using namespace conoscope::methods;
using conoscope::testing::normals;
using namespace conoscope::numerics;

namespace {

/// Rows that are mixes of two of `parts` hidden directions.
MatrixF sparse_mixes(Index n, Index d, Index parts) {
  Random random{Seed(9)};
  const Matrix directions = normals(parts, d, 10).rowwise().normalized();
  Matrix weights = Matrix::Zero(n, parts);
  for (Index i = 0; i < n; ++i)
    for (int twice = 0; twice < 2; ++twice)
      weights(i, static_cast<Index>(random.below(static_cast<std::uint64_t>(parts)))) +=
          random.uniform(1.0, 2.0);
  return (weights * directions).cast<float>();
}

TopKSae<double> tiny() {
  // Pre-codes of x = (x0, x1): x0, x1, x0 + x1, -x0.
  return {Matrix{{1, 0}, {0, 1}, {1, 1}, {-1, 0}}, Vector::Zero(4),
          Matrix{{2, 0}, {0, 3}, {3, 4}, {0, 0}}, 1};
}

}  // namespace

TEST_CASE("codes and losses, by hand") {
  const Matrix x{{1.0, 2.0}, {-1.0, 0.5}, {0.0, 0.0}};
  const TopKSae<double> sae = tiny();
  CHECK(sae_encode<double>(x, sae) == Matrix{{0, 0, 3, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}});
  CHECK(sae_dictionary(sae).isApprox(Matrix{{1, 0}, {0, 1}, {0.6, 0.8}, {0, 0}}, 1e-7));
  // Row 0: x^ = (1.8, 2.4), residual (-0.8, -0.4); unused pre-codes 1 and 2 (half of four is two):
  // minus (1, 2) leaves (-1.8, -2.4). Row 1: x^ = 0; unused 0.5 of latent 1 leaves (-1, 0).
  const SaeLosses losses = sae_losses<double>(x, sae);
  CHECK(losses.mse == doctest::Approx((0.64 + 0.16 + 1.0 + 0.25) / 6.0).epsilon(1e-7));
  CHECK(losses.aux == doctest::Approx((3.24 + 5.76 + 1.0) / 6.0).epsilon(1e-7));
  // Dead: latents 0 and 1, pre-codes 0 and 2.5 in sum.
  CHECK(losses.reanimation == doctest::Approx(-0.1 * 2.5 / 2.0).epsilon(1e-5));
}

TEST_CASE("largest_positive: the lower index of equals, and no more than are positive") {
  std::vector<std::int32_t> columns;
  const double row[] = {1.0, 3.0, 2.0, 3.0, 2.0, -5.0, 0.0};
  largest_positive(row, 7, 3, columns);
  CHECK(columns == std::vector<std::int32_t>{1, 2, 3});
  largest_positive(row, 7, 1, columns);
  CHECK(columns == std::vector<std::int32_t>{1});
  largest_positive(row, 7, 7, columns);
  CHECK(columns == std::vector<std::int32_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a step goes down the true gradient, with and without the auxiliary loss") {
  // The first step of Adam moves each entry by rate * sign(gradient): compared with differences.
  const Matrix x = normals(12, 5, 1);
  for (const double aux : {0.0, 0.1}) {
    TopKSae<double> start = sae_initialise<double>(5, 9, 2, Seed(2));
    SaeTrainer<double> trainer(start, aux);
    const double rate = 1e-9;
    const auto loss = [&](const TopKSae<double>& at) {
      const SaeLosses l = sae_losses<double>(x, at);
      return l.mse + aux * l.aux;
    };
    CHECK(trainer.step(x, rate) == doctest::Approx(loss(start)).epsilon(1e-7));
    const Matrix moved = trainer.sae().encoder - start.encoder;
    int compared = 0;
    for (Index i = 0; i < start.encoder.size(); ++i) {
      TopKSae<double> up = start, down = start;
      up.encoder.data()[i] += 1e-6;
      down.encoder.data()[i] -= 1e-6;
      const double slope = (loss(up) - loss(down)) / 2e-6;
      if (std::abs(slope) < 1e-4) continue;
      CHECK(moved.data()[i] * slope < 0.0);
      ++compared;
    }
    CHECK(compared > 20);
  }
}

TEST_CASE("fit: learns sparse mixes, same bits again and in eight threads at once") {
  const MatrixF x = sparse_mixes(600, 12, 8);
  const SaeOptions options{
      .latents = 16, .top_k = 2, .epochs = 40, .batch = 64, .learning_rate = 1e-2};
  const TopKSae<float> sae = sae_fit(x, options, Seed(3));
  const double before = sae_losses<float>(x, sae_initialise<float>(12, 16, 2, Seed(3))).mse;
  const double after = sae_losses<float>(x, sae).mse;
  CHECK(after < 0.2 * before);
  const MatrixF codes = sae_encode<float>(x, sae);
  CHECK(codes.minCoeff() >= 0.0F);
  for (Index i = 0; i < codes.rows(); ++i) CHECK((codes.row(i).array() > 0.0F).count() <= 2);
  std::vector<TopKSae<float>> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = sae_fit(x, options, Seed(3)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) CHECK(one.encoder == sae.encoder);
  CHECK(sae_fit(x, options, Seed(4)).encoder != sae.encoder);
}

TEST_CASE("fit: zero rows, constant features, one row, fewer rows than latents") {
  MatrixF x = MatrixF::Zero(7, 3);
  x.col(1).setOnes();
  x.row(2).setZero();
  for (const Index rows : {1, 7}) {
    const TopKSae<float> sae =
        sae_fit(x.topRows(rows), {.latents = 20, .top_k = 20, .epochs = 3}, Seed(1));
    CHECK(sae.encoder.allFinite());
    CHECK(sae.dictionary.allFinite());
  }
}

TEST_CASE("fit: the callback comes once an epoch and may stop it") {
  int calls = 0;
  sae_fit(MatrixF::Ones(4, 2), {.latents = 3, .top_k = 1, .epochs = 5}, Seed(1),
          [&](int epoch) { CHECK(epoch == calls++); });
  CHECK(calls == 5);
  CHECK_THROWS_AS(sae_fit(MatrixF::Ones(4, 2), {.latents = 3, .top_k = 1}, Seed(1),
                          [](int) { throw std::runtime_error("stop"); }),
                  std::runtime_error);
}

TEST_CASE("what is refused") {
  const MatrixF x = MatrixF::Ones(4, 2);
  const auto refuses = [&x](SaeOptions options) {
    CHECK_THROWS_AS(sae_fit(x, options, Seed(1)), std::invalid_argument);
  };
  refuses({.latents = 0});
  refuses({.latents = 4, .top_k = 5});
  refuses({.latents = 4, .top_k = 0});
  refuses({.latents = 4, .top_k = 1, .epochs = 0});
  refuses({.latents = 4, .top_k = 1, .batch = 0});
  refuses({.latents = 4, .top_k = 1, .learning_rate = -1.0});
  refuses({.latents = 4, .top_k = 1, .aux_weight = -1.0});
  refuses({.latents = 4, .top_k = 1, .clip = 0.0});
  MatrixF nan = x;
  nan(1, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH_AS(sae_fit(nan, {.latents = 4, .top_k = 1}, Seed(1)),
                       "sae_fit: x is nan at row 1, column 1; every entry must be finite",
                       std::invalid_argument);
  CHECK_THROWS_AS(sae_fit(x * 1e30F, {.latents = 4, .top_k = 1}, Seed(1)), std::domain_error);
  CHECK_THROWS_AS(sae_encode<double>(Matrix::Ones(1, 3), tiny()), std::invalid_argument);
  TopKSae<double> bad = tiny();
  bad.bias.resize(3);
  bad.bias.setZero();
  CHECK_THROWS_AS(sae_losses<double>(Matrix::Ones(1, 2), bad), std::invalid_argument);
  CHECK_THROWS_AS(sae_initialise<float>(0, 3, 1, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(sae_initialise<float>(3, 0, 1, Seed(1)), std::invalid_argument);
}
