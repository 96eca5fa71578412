#include "tests/golden/statistics.h"

#include <doctest/doctest.h>

namespace conoscope::tests::golden {

namespace {

Summary run_family(const std::filesystem::path& folder) {
  Kinds kinds;
  register_statistics(kinds);
  return run_values(folder, kinds);
}

}  // namespace

TEST_CASE("statistics: the subset in the source tree") { check_subset("statistics", run_family); }

TEST_CASE("statistics: the full set") { check_full_set("statistics", "leakage", run_family); }

}  // namespace conoscope::tests::golden
