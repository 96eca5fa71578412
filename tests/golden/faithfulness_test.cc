#include "tests/golden/faithfulness.h"

#include <doctest/doctest.h>

namespace conoscope::tests::golden {

namespace {

Summary run_family(const std::filesystem::path& folder) {
  Kinds kinds;
  register_faithfulness_measures(kinds);
  register_faithfulness_numerics(kinds);
  register_faithfulness_shap_sae(kinds);
  register_faithfulness_subspaces(kinds);
  register_faithfulness_surf(kinds);
  register_faithfulness_craft_cdisco(kinds);
  register_faithfulness_table(kinds);
  return run(folder, kinds);
}

}  // namespace

TEST_CASE("faithfulness: the subset in the source tree") {
  check_subset("faithfulness", run_family);
}

TEST_CASE("faithfulness: the full set") {
  check_full_set("faithfulness", "faithfulness", run_family);
}

}  // namespace conoscope::tests::golden
