// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/sparse_probing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "metrics/catalogue.h"
#include "tests/metrics/truth/small_world.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// [a > 0] of the features.
Matrix active(const Truth& truth) {
  return (truth.activations.array() > 0.0F).cast<double>().matrix();
}

}  // namespace

TEST_CASE("sparse_probe: the latents whose means differ most, by hand") {
  Matrix codes(4, 4);
  codes << 0, 1, 5, 2,  //
      0, 1, 5, 2,       //
      1, 1, 2, 4,       //
      1, 1, 2, 4;
  const IndexVector labels{0, 0, 1, 1};  // differences 1, 0, 3, 2
  CHECK(sparse_probe(codes, labels, 1).latents == IndexVector{2});
  CHECK(sparse_probe(codes, labels, 2).latents == IndexVector{2, 3});
  CHECK(sparse_probe(codes, labels, 3).latents == IndexVector{0, 2, 3});
  const SparseProbe probe = sparse_probe(codes, labels, 1);
  CHECK(probe.weight[0] < 0.0);
  CHECK(probe.classify(codes) == labels);
  // By symmetry the border is in the middle of 2 and 5.
  CHECK(probe.bias == doctest::Approx(-3.5 * probe.weight[0]).epsilon(1e-6));
  // w minimises w^2 / 2 + 4 log(1 + exp(-1.5 |w|)): w = 6 / (1 + exp(1.5 w)).
  const double w = -probe.weight[0];
  CHECK(w == doctest::Approx(6.0 / (1.0 + std::exp(1.5 * w))).epsilon(1e-6));
  Matrix tied(2, 2);
  tied << 0, 0, 1, -1;
  CHECK(sparse_probe(tied, {0, 1}, 1).latents == IndexVector{0});  // the first of equals
}

TEST_CASE("sparse_probe: what is refused") {
  const Matrix codes = Matrix::Ones(2, 3);
  CHECK_THROWS_SAYING(sparse_probe(Matrix(2, 0), {0, 1}, 1), std::invalid_argument, "codes");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0}, 1), std::invalid_argument, "1");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0, 2}, 1), std::invalid_argument, "2");
  CHECK_THROWS_SAYING(sparse_probe(codes, {1, 1}, 1), std::invalid_argument,
                      "the labels of all 2 rows are 1");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0, 0}, 1), std::invalid_argument, "rows are 0");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0, 1}, 0), std::invalid_argument, "k is 0, of 3");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0, 1}, 4), std::invalid_argument, "k is 4, of 3");
  CHECK_THROWS_SAYING(sparse_probe(codes, {0, 1}, 1, 0.0), std::invalid_argument, "c is 0");
  CHECK_THROWS_SAYING(sparse_probe(kNan * codes, {0, 1}, 1), std::invalid_argument, "codes", "nan");
}

TEST_CASE("sparse_probing: rows are balanced, and judged by none that fitted") {
  IndexVector labels(101, 0);
  for (std::size_t i = 0; i < 31; ++i) labels[3 * i] = 1;
  const ProbeRows rows = balanced_rows(labels, 1, 0);
  CHECK(rows.fit.size() == 30);  // 15 of each kind: one of the 31 is not used
  CHECK(rows.judge.size() == 30);
  std::set<Index> all(rows.fit.begin(), rows.fit.end());
  all.insert(rows.judge.begin(), rows.judge.end());
  CHECK(all.size() == 60);
  for (const IndexVector* half : {&rows.fit, &rows.judge})
    CHECK(std::ranges::count_if(
              *half, [&](Index i) { return labels[static_cast<std::size_t>(i)] == 1; }) == 15);
  CHECK(balanced_rows(labels, 1, 0).fit == rows.fit);
  CHECK(balanced_rows(labels, 2, 0).fit != rows.fit);
  CHECK(balanced_rows(labels, 1, 1).fit != rows.fit);
}

TEST_CASE("sparse_probing: the truth tells all, random codes chance; scale and order say nothing") {
  const Truth truth = small_world();
  const Matrix concepts = active(truth), codes = truth.activations.cast<double>();
  const Result one = sparse_probing(codes, concepts, 1, 3);
  CHECK(one.value == 1.0);
  CHECK(static_cast<Index>(one.parts.size()) == concepts.cols());
  CHECK(one.caveat.empty());
  const Matrix noise = testing::normals(codes.rows(), 64, 5);
  // 64 concepts of at least 100 rows each: 0.5 within 4 standard errors of the mean.
  CHECK(std::abs(sparse_probing(noise, concepts, 1, 3).value - 0.5) < 0.025);
  const Matrix half = codes + 4.0 * noise;
  const double value = sparse_probing(half, concepts, 1, 3).value;
  CHECK(value > 0.55);
  CHECK(value < 0.95);
  CHECK(sparse_probing(half.rowwise().reverse(), concepts, 1, 3).value == value);
}

TEST_CASE("sparse_probing: a concept that two latents share takes two") {
  const Truth truth = small_world({.roots = 4, .children = 0, .free = 0, .with_child = 0.0});
  const Matrix concepts = active(truth);
  Matrix codes = Matrix::Zero(concepts.rows(), 8);
  for (Index i = 0; i < codes.rows(); ++i)
    for (Index j = 0; j < 4; ++j) codes(i, 2 * j + i % 2) = 5.0 * concepts(i, j);
  const double one = sparse_probing(codes, concepts, 1, 3).value,
               two = sparse_probing(codes, concepts, 2, 3).value;
  CHECK(one < 0.8);
  CHECK(two > 0.99);
}

TEST_CASE("sparse_probing: concepts of too few rows are left out") {
  Matrix concepts = Matrix::Zero(60, 3), codes = Matrix::Zero(60, 2);
  concepts.col(0).head(30).setOnes();
  concepts.col(1).head(19).setOnes();
  concepts.col(2).head(41).setOnes();
  codes.col(1) = concepts.col(0);
  const Result found = sparse_probing(codes, concepts, 1, 1);
  CHECK(found.value == 1.0);
  CHECK(found.parts[0] == 1.0);
  CHECK(std::isnan(found.parts[1]));
  CHECK(std::isnan(found.parts[2]));
  CHECK(found.caveat == "2 concepts left out: fewer than 20 rows with it, or without");
  CHECK_THROWS_SAYING(sparse_probing(codes, concepts.rightCols(2), 1, 1), std::domain_error,
                      "every concept has fewer than 20 rows");
}

TEST_CASE("sparse_probing: what is refused") {
  const Matrix codes = Matrix::Ones(40, 2), concepts = Matrix::Ones(40, 1);
  CHECK_THROWS_SAYING(sparse_probing(Matrix(0, 2), concepts, 1, 1), std::invalid_argument, "codes");
  CHECK_THROWS_SAYING(sparse_probing(codes, Matrix(40, 0), 1, 1), std::invalid_argument,
                      "concepts");
  CHECK_THROWS_SAYING(sparse_probing(codes, Matrix::Ones(41, 1), 1, 1), std::invalid_argument,
                      "concepts 41 x 1");
  CHECK_THROWS_SAYING(sparse_probing(codes, 0.5 * concepts, 1, 1), std::invalid_argument,
                      "neither 0 nor 1");
  CHECK_THROWS_SAYING(sparse_probing(codes, concepts, 3, 1), std::invalid_argument, "k is 3, of 2");
  CHECK_THROWS_SAYING(sparse_probing(kNan * codes, concepts, 1, 1), std::invalid_argument, "nan");
}

TEST_CASE("sparse_probing: of a subject, whose constant concepts it does not read") {
  const Truth truth = small_world({.roots = 2, .children = 1, .free = 0});
  JudgedDictionary judged(truth, true_dictionary(truth));
  judged.annotations.concepts = active(truth);
  Views views = judged.views();
  views.truth = nullptr;  // annotations are enough
  const auto of = [&](const char* name) {
    const Metric* metric = catalogue().metric(name);
    REQUIRE_MESSAGE(metric != nullptr, name);
    return score(*metric, Subject(views));
  };
  CHECK(of("sparse_probing").value == 1.0);
  CHECK(of("sparse_probing(k=4)").reason.empty());
  const Score more = of("sparse_probing(k=5)");
  CHECK(more.reason == "not_applicable");
  CHECK(more.message == "there are 4 latents, fewer than k = 5");
  judged.annotations.concepts *= 2.0;
  CHECK(of("sparse_probing").message == "the annotated concepts are not binary");
}

}  // namespace conoscope::tests
