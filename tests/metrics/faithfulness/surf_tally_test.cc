#include "metrics/faithfulness/surf_tally.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "metrics/faithfulness/surf_emd.h"
#include "metrics/faithfulness/surf_mae.h"
#include "metrics/faithfulness/surf_rank_corr.h"
#include "metrics/faithfulness/surf_top1.h"
#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("surf_tally: the numbers of the single measures, however the samples are cut") {
  const Matrix y = normal_matrix(60, 9, 1);
  Matrix s = normal_matrix(60, 9, 2);
  s.row(4).setConstant(1.0);
  SurfTally whole(9), parts(9);
  whole.add(y, s);
  parts.add(y.topRows(7), s.topRows(7));
  parts.add(y.bottomRows(53), s.bottomRows(53));
  const RankCorr rank = surf_rank_corr(y, s);
  for (const SurfTally& tally : {whole, parts}) {
    CHECK(tally.samples() == 60);
    CHECK(tally.mae() == surf_mae(y, s));
    CHECK(tally.emd() == surf_emd(y, s));
    CHECK(tally.top1() == surf_top1(y, s));
    CHECK(tally.rank_corr() == rank.value);
    CHECK(tally.rank_corr_rows() == rank.rows);
    CHECK(tally.rank_corr_undefined() == 1);
    CHECK(tally.mae_rows()[11] == surf_mae(y.row(11), s.row(11)));
    CHECK(tally.emd_rows()[11] == surf_emd(y.row(11), s.row(11)));
  }
}

TEST_CASE("surf_tally: what is not wanted stays empty") {
  SurfTally tally(3, {.mae = true, .emd = false, .top1 = false, .rank_corr = false});
  tally.add(Matrix::Ones(2, 3), Matrix::Zero(2, 3));
  CHECK(tally.mae() == 1.0);
  CHECK(tally.emd_rows().empty());
  CHECK(tally.rank_corr_rows().empty());
  CHECK(tally.rank_corr_undefined() == 0);
}

}  // namespace

}  // namespace conoscope::tests
