// SPDX-License-Identifier: Apache-2.0
#include "numerics/row_source.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/logits.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::numerics;

TEST_CASE("row_source: blocks are the rows, whoever holds them") {
  const Matrix rows = normal_matrix(12, 3, 1);
  const RowSource own(rows);
  const RowSource read(12, 3, [&rows](Index first, Index count, double* out) {
    std::copy_n(rows.data() + first * 3, count * 3, out);
  });
  for (const RowSource& source : {own, read}) {
    CHECK(source.rows() == 12);
    CHECK(source.cols() == 3);
    CHECK(source.all() == rows);
    CHECK(source.block(4, 2) == rows.middleRows(4, 2));
    const Matrix two = rows_of_samples(source, 4, {2, 0});
    CHECK(two.topRows(4) == rows.bottomRows(4));
    CHECK(two.bottomRows(4) == rows.topRows(4));
  }
  CHECK(RowSource().rows() == 0);
  CHECK(RowSource(Matrix(0, 3)).all().cols() == 3);
}

TEST_CASE("row_source: a block holds whole samples, about 32 MB of them") {
  // 2^22 numbers hold 2 samples of 3 x 600,000, and 5 samples make three blocks.
  std::vector<Index> firsts, counts;
  const RowSource source(15, 600'000, [](Index first, Index count, double* out) {
    std::fill_n(out, count * 600'000, static_cast<double>(first));
  });
  for_each_block(source, 3, [&](Index first, const Matrix& block) {
    firsts.push_back(first);
    counts.push_back(block.rows());
    CHECK(block(0, 0) == static_cast<double>(first));
  });
  CHECK(firsts == std::vector<Index>{0, 6, 12});
  CHECK(counts == std::vector<Index>{6, 6, 3});
}

TEST_CASE("row_source: what is not finite is named by its row among all") {
  const RowSource source(9, 1'000'000, [](Index first, Index count, double* out) {
    std::fill_n(out, count * 1'000'000, 0.0);
    if (first <= 7 && 7 < first + count) out[(7 - first) * 1'000'000 + 5] = std::nan("");
  });
  CHECK_THROWS_SAYING(require_finite_rows("surf", "activations", source, 1), std::invalid_argument,
                      "surf: activations is nan at row 7, column 5");
  require_finite_rows("surf", "activations", RowSource(Matrix::Ones(2, 2)), 1);
}

}  // namespace

}  // namespace conoscope::tests
