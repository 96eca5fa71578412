#include "tests/golden/leakage.h"

#include <doctest/doctest.h>

namespace conoscope::tests::golden {

namespace {

Summary run_family(const std::filesystem::path& folder) {
  Kinds kinds;
  register_leakage_accuracy(kinds);
  register_leakage_datasets_images(kinds);
  register_leakage_information(kinds);
  register_leakage_intervention(kinds);
  register_leakage_datasets(kinds);
  return run_values(folder, kinds);
}

}  // namespace

TEST_CASE("leakage: the subset in the source tree") { check_subset("leakage", run_family); }

TEST_CASE("leakage: the full set") { check_full_set("leakage", "leakage", run_family); }

}  // namespace conoscope::tests::golden
