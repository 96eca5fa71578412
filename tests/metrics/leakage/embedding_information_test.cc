// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/embedding_information.h"

#include <doctest/doctest.h>

#include <limits>

#include "metrics/information/mi_noise.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

struct World {
  Matrix truth = Matrix(200, 2), embeddings = Matrix(200, 6);
  IndexVector labels;
  World() {
    const Draws draw = normal_draws(1);
    for (Index i = 0; i < 200; ++i) {
      truth.row(i) << static_cast<double>(i % 2), static_cast<double>(i / 2 % 2);
      labels.push_back(i % 2);
      for (Index c = 0; c < 6; ++c) embeddings(i, c) = draw() + 20.0 * truth(i, c / 3);
    }
  }
};

TEST_CASE("embedding_information: clean embeddings tell their own concept and no other") {
  const World world;
  const EmbeddingInformation found =
      embedding_information(world.embeddings, 3, world.truth, world.labels);
  CHECK(found.mi_self == doctest::Approx(1.0).epsilon(0.02));
  CHECK(found.mi_ic < 0.1);
  CHECK(found.task[0] == doctest::Approx(1.0).epsilon(0.02));
  CHECK(found.task[1] < 0.1);
  CHECK(found.mi_ic == doctest::Approx(found.concepts(1, 0)));
  CHECK(found.mi_ic_all == doctest::Approx(0.5 * (found.concepts(0, 1) + found.concepts(1, 0))));
}

TEST_CASE("mi_align: an embedding that tells the label on its own side only") {
  const World world;
  const Draws draw = normal_draws(2);
  Matrix positive(200, 2), negative(200, 2);
  IndexVector labels;
  for (Index i = 0; i < 200; ++i) {
    labels.push_back(i / 4 % 2);
    for (Index j = 0; j < 2; ++j) {
      const double told = 20.0 * static_cast<double>(labels.back());
      positive(i, j) = draw() + told * world.truth(i, j);
      negative(i, j) = draw() + told * (1.0 - world.truth(i, j));
    }
  }
  const Alignment found = mi_align(positive, negative, 1, world.truth, labels);
  CHECK(found.mi_align > 1.8);
  CHECK(mi_align(negative, positive, 1, world.truth, labels).mi_align ==
        doctest::Approx(-found.mi_align));
}

TEST_CASE("embedding_information, mi_align: what they refuse") {
  const World world;
  const Matrix& w = world.embeddings;
  CHECK_THROWS_SAYING(embedding_information(w, 2, world.truth, world.labels), std::invalid_argument,
                      "embeddings is 200 x 6, width 2");
  CHECK_THROWS_SAYING(embedding_information(w, 3, world.truth, IndexVector(200, 1)),
                      std::domain_error, "labels is constant");
  CHECK_THROWS_SAYING(embedding_information(w, 3, world.truth, IndexVector(2, 1)),
                      std::invalid_argument, "labels 2");
  Matrix constant = world.truth;
  constant.col(1).setOnes();
  CHECK_THROWS_SAYING(embedding_information(w, 3, constant, world.labels), std::domain_error,
                      "concept 1 of truth is constant");
  CHECK_THROWS_SAYING(mi_align(w, w, 3, constant, world.labels), std::domain_error, "concept");
  CHECK_THROWS_SAYING(mi_align(w, w, 3, world.truth, world.labels), std::domain_error,
                      "where concept 0 is 1", "constant");
  constant(0, 0) = 0.5;
  CHECK_THROWS_SAYING(embedding_information(w, 3, constant, world.labels), std::invalid_argument,
                      "truth is not made of whole");
  CHECK_THROWS_SAYING(mi_align(w, w.leftCols(3), 3, world.truth, world.labels),
                      std::invalid_argument, "negative is 200 x 3");
}

TEST_CASE("embedding_information, mi_align: one concept, a class of one, NaN") {
  const World world;
  Matrix w = world.embeddings;
  CHECK(embedding_information(w.leftCols(3), 3, world.truth.leftCols(1), world.labels).mi_self >
        0.9);
  IndexVector rare(200, 0);
  rare[7] = 1;
  CHECK(embedding_information(w, 3, world.truth, rare).mi_self > 0.9);
  w(6, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(embedding_information(w, 3, world.truth, world.labels), std::invalid_argument,
                      "embeddings is nan at row 6");
  CHECK_THROWS_SAYING(mi_align(w, world.embeddings, 3, world.truth, world.labels),
                      std::invalid_argument, "positive is nan at row 6");
  CHECK_THROWS_SAYING(mi_align(world.embeddings, w, 3, world.truth, world.labels),
                      std::invalid_argument, "negative is nan at row 6");
}

}  // namespace

}  // namespace conoscope::tests
