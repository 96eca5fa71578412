// SPDX-License-Identifier: Apache-2.0
// metric: the catalogue and the metrics of plugins, as the command prints them.

#include <set>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

TEST_CASE(
    "metric: every metric once, in the order of the boards, with its better end and question") {
  const Workspace here;
  const Json rows = here.json({"metric"});
  REQUIRE(rows.size() > 100);
  CHECK(rows[0]["metric"] == "surf_mae");
  std::set<std::string> names, groups;
  for (const auto& row : rows) {
    CAPTURE(row.dump());
    CHECK(names.insert(row["metric"]).second);
    groups.insert(row["group"]);
    CHECK(std::set<std::string>{"higher", "lower", "none"}.contains(row["better"]));
    CHECK(has(row["question"], "?"));
  }
  for (const char* name : {"ctl", "ois", "irs_score", "mig", "effective_concepts"})
    CHECK(names.contains(name));
  for (const char* group : {"surf", "leakage", "purity", "disentanglement", "parsimony"})
    CHECK(groups.contains(group));
}

TEST_CASE("metric: a group, one metric in full, and a slip") {
  const Workspace here;
  const Json surf = here.json({"metric", "surf"});
  REQUIRE(surf.size() > 1);
  CHECK(surf[0]["metric"] == "surf_mae");
  CHECK(surf[0]["better"] == "lower");
  CHECK(surf[0]["low"] == 0.0);
  CHECK(surf[0]["high"].is_null());
  CHECK(surf[0]["unit"] == "logits");

  const std::string facts = here.run({"metric", "plausibility"}).out;
  CHECK_SAYS(facts, "How closely does the best CAV of each class align with that class's weights?");
  CHECK_SAYS(facts, "a head view, an explanation");
  CHECK_SAYS(facts, "Archetypal SAE");
  CHECK_SAYS(here.run({"metric", "irs_score"}).out, "code x factor");
  CHECK_SAYS(here.run({"metric", "surf_mea"}, 2).err,
             "no metric or group surf_mea (did you mean surf_mae?)");
}
