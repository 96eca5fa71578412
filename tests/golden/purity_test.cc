#include "tests/golden/purity.h"

#include <doctest/doctest.h>

namespace conoscope::tests::golden {

namespace {

Summary run_family(const std::filesystem::path& folder) {
  Kinds kinds;
  register_purity(kinds);
  return run_values(folder, kinds);
}

}  // namespace

TEST_CASE("purity: the subset in the source tree") { check_subset("purity", run_family); }

TEST_CASE("purity: the full set") { check_full_set("purity", "leakage", run_family); }

}  // namespace conoscope::tests::golden
