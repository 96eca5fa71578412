// SPDX-License-Identifier: Apache-2.0
#include "numerics/nmf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "numerics/nnls.h"
#include "numerics/random.h"
#include "tests/support/normals.h"

using namespace conoscope::numerics;

namespace {

Matrix positives(Index n, Index d, std::uint64_t seed) {
  return conoscope::testing::normals(n, d, seed).cwiseAbs();
}

constexpr NmfSolver kBoth[] = {NmfSolver::kCoordinateDescent, NmfSolver::kMultiplicativeUpdate};

double penalised(const Matrix& x, const NmfResult<double>& r, const NmfOptions& o) {
  const double n = static_cast<double>(x.rows()), d = static_cast<double>(x.cols());
  const double on_w = o.alpha_w, on_h = o.alpha_h.value_or(o.alpha_w), l1 = o.l1_ratio;
  return 0.5 * r.error * r.error +
         d * on_w * (l1 * r.w.sum() + 0.5 * (1.0 - l1) * r.w.squaredNorm()) +
         n * on_h * (l1 * r.h.sum() + 0.5 * (1.0 - l1) * r.h.squaredNorm());
}

}  // namespace

TEST_CASE("one iteration of cd, by hand") {
  // W: 2 - (2*2 - 3*2)... with X = 6, W0 = 1, H0 = 2: W = 6*2/4 = 3, then H = 3*6/9 = 2.
  const Matrix x{{6.0}}, w0{{1.0}}, h0{{2.0}};
  NmfOptions o{.max_iter = 1};
  NmfResult<double> r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 3.0);
  CHECK(r.h(0, 0) == 2.0);
  CHECK(r.error == 0.0);
  CHECK(r.iterations == 1);
  CHECK_FALSE(r.converged);
  // alpha 2, ridge (N = D = 1): W = 12 / (4 + 2) = 2, H = 12 / (4 + 2) = 2
  o.alpha_w = 2.0;
  r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 2.0);
  CHECK(r.h(0, 0) == 2.0);
  CHECK(r.error == 2.0);
  // l1: W = (12 - 2) / 4 = 2.5, and H free: 15 / 6.25 = 2.4
  o.l1_ratio = 1.0;
  o.alpha_h = 0.0;
  r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 2.5);
  CHECK(r.h(0, 0) == doctest::Approx(2.4).epsilon(1e-15));
}

TEST_CASE("one iteration of mu, by hand") {
  const Matrix x{{6.0}}, w0{{1.0}}, h0{{2.0}};
  NmfOptions o{.solver = NmfSolver::kMultiplicativeUpdate, .max_iter = 1};
  NmfResult<double> r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 3.0);  // 1 * 12 / 4
  CHECK(r.h(0, 0) == 2.0);  // 2 * 18 / 18
  o.alpha_w = 2.0;
  r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 2.0);  // 1 * 12 / (4 + 2*1)
  CHECK(r.h(0, 0) == 2.0);  // 2 * 12 / (8 + 2*2)
  o.l1_ratio = 1.0;
  r = nmf_from(x, w0, h0, o);
  CHECK(r.w(0, 0) == 2.0);                                  // 1 * 12 / (4 + 2)
  CHECK(r.h(0, 0) == doctest::Approx(2.4).epsilon(1e-15));  // 2 * 12 / (8 + 2)
}

TEST_CASE("penalties scale with the number of features for W, of rows for H") {
  // N = 1, D = 2, H = (1 1): ridge on W is 2 alpha. W = (3 + 3) / (2 + 2*1) = 1.5
  const Matrix x{{3.0, 3.0}};
  const NmfOptions o{.max_iter = 1, .alpha_w = 1.0};
  const NmfResult<double> r = nmf_from(x, Matrix{{1.0}}, Matrix{{1.0, 1.0}}, o);
  CHECK(r.w(0, 0) == 1.5);
  CHECK(r.h(0, 0) == doctest::Approx(4.5 / (2.25 + 1.0)).epsilon(1e-15));  // ridge on H is 1 alpha
}

TEST_CASE("mu leaves a zero where a zero is, with denominators of 0 too") {
  const Matrix x{{1.0, 0.0}, {0.0, 2.0}};
  NmfOptions o{.solver = NmfSolver::kMultiplicativeUpdate, .max_iter = 3};
  const NmfResult<double> r =
      nmf_from(x, Matrix{{1.0, 0.0}, {0.0, 0.0}}, Matrix{{1.0, 0.0}, {0.0, 0.0}}, o);
  CHECK(r.w == Matrix{{1.0, 0.0}, {0.0, 0.0}});
  CHECK(r.h == Matrix{{1.0, 0.0}, {0.0, 0.0}});
  CHECK(r.error == 2.0);
}

TEST_CASE("a product of non-negative factors is rebuilt") {
  // Parts that each own a feature and rows that each need one part: the factors are unique.
  Matrix w = positives(40, 3, 1), h = positives(3, 12, 2);
  w.topRows(3).setIdentity();
  h.leftCols(3).setIdentity();
  const Matrix x = w * h;
  const NmfOptions o{.max_iter = 20000, .tol = 1e-12};
  const NmfResult<double> r = nmf(x, 3, Seed(1), o);
  CHECK(r.error <= 1e-6 * x.norm());
  CHECK(r.w.minCoeff() >= 0.0);
  CHECK(r.h.minCoeff() >= 0.0);
  CHECK(r.error == doctest::Approx((x - r.w * r.h).norm()).epsilon(1e-9));
}

TEST_CASE("no iteration raises the penalised objective") {
  const Matrix x = positives(30, 11, 3);
  for (const NmfSolver solver : kBoth)
    for (const double l1_ratio : {0.0, 0.4}) {
      NmfOptions o{.solver = solver, .tol = 0.0, .alpha_w = 0.01, .l1_ratio = l1_ratio};
      double before = std::numeric_limits<double>::infinity();
      for (int iterations = 1; iterations <= 40; ++iterations) {
        o.max_iter = iterations;
        const NmfResult<double> r = nmf(x, 4, Seed(1), o);
        CHECK(r.iterations == iterations);
        CHECK(penalised(x, r, o) <= before * (1.0 + 1e-12));
        before = penalised(x, r, o);
      }
    }
}

TEST_CASE("stopping: a looser tolerance stops earlier, mu only every tenth iteration") {
  const Matrix x = positives(40, 12, 4);
  for (const NmfSolver solver : kBoth) {
    const NmfResult<double> loose = nmf(x, 3, Seed(1), {.solver = solver, .max_iter = 5000});
    const NmfResult<double> tight =
        nmf(x, 3, Seed(1), {.solver = solver, .max_iter = 5000, .tol = 1e-6});
    CHECK(loose.converged);
    CHECK(tight.converged);
    CHECK(loose.iterations < tight.iterations);
    CHECK(tight.error <= loose.error);
    if (solver == NmfSolver::kMultiplicativeUpdate) CHECK(loose.iterations % 10 == 0);
    CHECK_FALSE(nmf(x, 3, Seed(1), {.solver = solver, .max_iter = 20, .tol = 0.0}).converged);
  }
}

TEST_CASE("float rows: the factors of double to float precision, their error in double") {
  const MatrixF xf = positives(500, 20, 5).cast<float>();
  const Matrix xd = xf.cast<double>();
  for (const NmfSolver solver : kBoth) {
    const NmfOptions o{.solver = solver, .max_iter = 30, .tol = 0.0};
    const NmfResult<float> f = nmf(xf, 4, Seed(1), o);
    const NmfResult<double> d = nmf(xd, 4, Seed(1), o);
    CHECK(f.h.cast<double>().isApprox(d.h, 1e-4));
    CHECK(f.error == doctest::Approx(d.error).epsilon(1e-6));
    CHECK(f.error ==
          doctest::Approx((xd - f.w.cast<double>() * f.h.cast<double>()).norm()).epsilon(1e-6));
    CHECK(nmf_transform(xf, f.h, o)
              .cast<double>()
              .isApprox(nmf_transform(xd, Matrix(f.h.cast<double>()), o), 1e-4));
  }
}

TEST_CASE("nndsvd, by hand: a block matrix gives its blocks") {
  // Singular triplets: 2 along (1 1 0)/sqrt2 x (1 1 0)/sqrt2, then 1 along e3 x e3.
  const Matrix x{{1.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const NmfFactors<double> plain = nmf_initialise(x, 2, NmfInit::kNndsvd, Seed(1));
  CHECK(plain.w.isApprox(Matrix{{1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}, 1e-12));
  CHECK(plain.h.isApprox(Matrix{{1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, 1e-12));
  const double mean = 5.0 / 9.0;
  const NmfFactors<double> filled = nmf_initialise(x, 2, NmfInit::kNndsvda, Seed(1));
  CHECK(filled.w.isApprox(Matrix{{1.0, mean}, {1.0, mean}, {mean, 1.0}}, 1e-12));
  CHECK(nmf_initialise(x, 2, NmfInit::kAutomatic, Seed(9)).w == filled.w);
}

TEST_CASE("beyond the rank nndsvd starts a part empty; random draws on the scale of the mean") {
  const Matrix rank_one = positives(6, 1, 1) * positives(1, 5, 2);
  const NmfFactors<double> f = nmf_initialise(rank_one, 3, NmfInit::kNndsvd, Seed(1));
  CHECK((f.w.col(0) * f.h.row(0)).isApprox(rank_one, 1e-12));
  CHECK((f.w * f.h).isApprox(rank_one, 1e-6));

  const Matrix x = positives(400, 30, 3);
  const NmfFactors<double> r = nmf_initialise(x, 50, NmfInit::kAutomatic, Seed(4));
  CHECK(r.w.minCoeff() >= 0.0);
  // E|normal| = sqrt(2 / pi)
  const double expected = std::sqrt(x.mean() / 50.0) * std::sqrt(2.0 / M_PI);
  CHECK(r.w.mean() == doctest::Approx(expected).epsilon(0.02));  // 20,000 draws: sd 0.5 %
  CHECK(nmf_initialise(x, 50, NmfInit::kRandom, Seed(4)).w == r.w);
  CHECK(nmf_initialise(x, 50, NmfInit::kRandom, Seed(5)).w != r.w);
}

TEST_CASE("transform: converged cd is exact NNLS; mu and the default are near it") {
  const Matrix x = positives(60, 14, 6), h = positives(5, 14, 7);
  const Matrix exact = nnls(x, h);
  CHECK(nmf_transform(x, h, {.max_iter = 20000, .tol = 1e-14}).isApprox(exact, 1e-9));
  CHECK(nmf_transform(x, h).isApprox(exact, 2e-2));
  CHECK(nmf_transform(x, h,
                      {.solver = NmfSolver::kMultiplicativeUpdate, .max_iter = 20000, .tol = 1e-12})
            .isApprox(exact, 1e-2));
  // alpha_w is a ridge of D alpha_w
  CHECK(nmf_transform(x, h, {.max_iter = 20000, .tol = 1e-14, .alpha_w = 0.1})
            .isApprox(nnls(x, h, 1.4), 1e-9));
}

TEST_CASE("transform of mu, by hand: from sqrt(mean / K)") {
  const Matrix x{{6.0, 2.0}}, h{{1.0, 1.0}};
  // start 2; 2 * 8 / (2 * 2) = 4, which is the minimum
  CHECK(nmf_transform(x, h, {.solver = NmfSolver::kMultiplicativeUpdate, .max_iter = 1})(0, 0) ==
        4.0);
}

TEST_CASE("rows permuted: weights permute; X scaled: weights of fixed parts scale") {
  const Matrix x = positives(70, 9, 8), h = positives(3, 9, 9);
  const Matrix w0 = positives(70, 3, 10);
  for (const NmfSolver solver : kBoth) {
    const NmfOptions o{.solver = solver, .max_iter = 15, .tol = 0.0};
    const NmfResult<double> r = nmf_from(x, w0, h, o);
    const NmfResult<double> reversed =
        nmf_from(x.colwise().reverse(), w0.colwise().reverse(), h, o);
    CHECK(reversed.h.isApprox(r.h, 1e-10));
    CHECK(reversed.w.isApprox(r.w.colwise().reverse(), 1e-10));
    if (solver == NmfSolver::kCoordinateDescent)
      CHECK(nmf_transform(Matrix(x * 4.0), h, o) == nmf_transform(x, h, o) * 4.0);
  }
}

TEST_CASE("all-zero rows are factored by zeros") {
  for (const NmfSolver solver : kBoth) {
    const NmfResult<double> r = nmf(Matrix::Zero(5, 4), 2, Seed(1), {.solver = solver});
    CHECK(r.error == 0.0);
    CHECK(r.w.isZero(0.0));
    CHECK(r.h.allFinite());
    CHECK(r.converged);
  }
}

TEST_CASE("same bits in eight threads at once") {
  const Matrix x = positives(200, 20, 11);
  const NmfOptions o{.init = NmfInit::kRandom, .max_iter = 20};
  const NmfResult<double> r = nmf(x, 4, Seed(3), o);
  std::vector<NmfResult<double>> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all) threads.emplace_back([&] { one = nmf(x, 4, Seed(3), o); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) {
    CHECK(one.w == r.w);
    CHECK(one.h == r.h);
    CHECK(one.error == r.error);
  }
}

TEST_CASE("what is refused") {
  const Matrix x = positives(4, 3, 12);
  Matrix negative = x, nan = x;
  negative(2, 1) = -0.5;
  nan(0, 2) = std::numeric_limits<double>::quiet_NaN();
  const Matrix w0 = positives(4, 2, 1), h0 = positives(2, 3, 2);
  CHECK_THROWS_WITH_AS(nmf(negative, 2, Seed(1)),
                       "nmf: x has a negative entry -0.5, at row 2, column 1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(nmf(nan, 2, Seed(1)),
                       "nmf: x is nan at row 0, column 2; every entry must be finite",
                       std::invalid_argument);
  CHECK_THROWS_AS(nmf(MatrixF(negative.cast<float>()), 2, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(nmf(Matrix(0, 3), 1, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(nmf(x, 0, Seed(1)), std::invalid_argument);
  for (const NmfInit init : {NmfInit::kNndsvd, NmfInit::kNndsvda})
    CHECK_THROWS_WITH_AS(nmf(x, 4, Seed(1), {.init = init}),
                         "nmf: k = 4 exceeds the smaller side of x, 3: nndsvd has no more triplets",
                         std::invalid_argument);
  CHECK(nmf(x, 4, Seed(1)).h.rows() == 4);
  CHECK_THROWS_AS(nmf(x, 2, Seed(1), {.max_iter = 0}), std::invalid_argument);
  CHECK_THROWS_AS(nmf(x, 2, Seed(1), {.tol = -1.0}), std::invalid_argument);
  CHECK_THROWS_AS(nmf(x, 2, Seed(1), {.alpha_w = -1.0}), std::invalid_argument);
  CHECK_THROWS_AS(nmf(x, 2, Seed(1), {.alpha_h = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(nmf(x, 2, Seed(1), {.l1_ratio = 1.5}),
                       "nmf: l1_ratio = 1.5 is outside [0, 1]", std::invalid_argument);

  CHECK_THROWS_AS(nmf_from(x, Matrix(-w0), h0), std::invalid_argument);
  CHECK_THROWS_AS(nmf_from(x, w0, Matrix(-h0)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(nmf_from(x, w0.topRows(3), h0), "nmf: w0 has 3 rows, x has 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(nmf_from(x, w0, h0.leftCols(2)), "nmf: h0 has 2 columns, x has 3",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(nmf_from(x, w0, h0.topRows(1)), "nmf: w0 has 2 parts, h0 has 1",
                       std::invalid_argument);

  CHECK_THROWS_AS(nmf_initialise(negative, 2, NmfInit::kRandom, Seed(1)), std::invalid_argument);
  CHECK_THROWS_AS(nmf_transform(negative, h0), std::invalid_argument);
  CHECK_THROWS_AS(nmf_transform(x, Matrix(-h0)), std::invalid_argument);
  CHECK_THROWS_AS(nmf_transform(x, h0.leftCols(2)), std::invalid_argument);
  CHECK_THROWS_AS(nmf_transform(x, h0, {.max_iter = 0}), std::invalid_argument);
  CHECK_THROWS_AS(frobenius_error(x, w0, h0.leftCols(2)), std::invalid_argument);
  CHECK_THROWS_AS(frobenius_error(x, w0.topRows(2), h0), std::invalid_argument);
  CHECK_THROWS_AS(frobenius_error(x, w0, h0.topRows(1)), std::invalid_argument);
}
