// SPDX-License-Identifier: Apache-2.0
#include "metrics/alignment/aligned_concepts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("aligned_concepts: the matching, the signs, and what it refuses") {
  const Matrix truth = (Matrix(4, 2) << 0, 1, 0, 0, 1, 1, 1, 0).finished();
  Matrix scores(4, 3);
  scores << 5, 1, -1, 5, 0, -1, 5, 1, -3, 5, 0, -3;  // constant, concept 1, concept 0 reversed
  const AlignedConcepts found = aligned_concepts(scores, truth);
  CHECK(found.alignment == IndexVector{2, 1});
  CHECK(found.view.scores.col(0) == Vector(-scores.col(2)));
  CHECK(found.view.scores.col(1) == Vector(scores.col(1)));
  CHECK_THROWS_SAYING(aligned_concepts(scores.leftCols(1), truth), std::invalid_argument,
                      "scores is 4 x 1, truth 4 x 2");
  scores(1, 1) = std::nan("");
  CHECK_THROWS_SAYING(aligned_concepts(scores, truth), std::invalid_argument, "scores");
}

}  // namespace

}  // namespace conoscope::tests
