// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

TEST_CASE("golden: leakage") {
  Kinds kinds;
  register_leakage_accuracy(kinds);
  register_leakage_datasets_images(kinds);
  register_leakage_information(kinds);
  register_leakage_intervention(kinds);
  register_leakage_datasets(kinds);
  check_family("leakage", "leakage", kinds);
}

}  // namespace conoscope::tests::golden
