// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: truth") {
  Kinds kinds;
  register_truth_audit(kinds);
  register_truth_learners(kinds);
  register_truth_metrics(kinds);
  register_truth_world(kinds);
  check_family("truth", "truth", kinds);
}

}  // namespace conoscope::tests::golden
