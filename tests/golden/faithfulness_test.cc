#include "tests/golden/faithfulness.h"

#include <doctest/doctest.h>

namespace conoscope::tests::golden {

namespace {

void run_and_check(const std::filesystem::path& folder) {
  Kinds kinds;
  register_faithfulness_measures(kinds);
  register_faithfulness_numerics(kinds);
  register_faithfulness_shap_sae(kinds);
  register_faithfulness_subspaces(kinds);
  register_faithfulness_surf(kinds);
  register_faithfulness_craft_cdisco(kinds);
  register_faithfulness_table(kinds);
  const Summary summary = run(folder, kinds);
  print("faithfulness", summary);
  CHECK(summary.failed.empty());
  CHECK(summary.passed > 0);
}

}  // namespace

TEST_CASE("faithfulness: the subset in the source tree") {
  const auto folder = subset_folder("faithfulness");
  run_and_check(folder);
}

TEST_CASE("faithfulness: the full set") {
  const auto folder = full_folder("faithfulness");
  if (folder.empty()) {
    MESSAGE("no full set: CONOSCOPE_GOLDEN_DIR is not set and ../shared/golden does not exist");
    return;
  }
  run_and_check(folder);
}

}  // namespace conoscope::tests::golden
