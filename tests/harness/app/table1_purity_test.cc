// SPDX-License-Identifier: Apache-2.0
// The run file that ships for Table 1 of the purity paper: two seeds of it, and what the table
// says.

#include <cmath>
#include <map>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

TEST_CASE("Table 1 of the purity paper: impure representations score worse") {
  if (kSanitized) SKIP_TEST("trains hundreds of networks: too slow under a sanitizer");
  const Workspace here;
  here.run({"run", "table1_purity", "--no-board", "--only", "seed=0", "--only", "seed=1"});
  std::map<std::string, std::map<std::string, double>> mean;
  for (const auto& row : here.query(
           "SELECT d.name AS dataset, s.metric, avg(s.value) AS mean, count(s.value) AS n FROM "
           "current_score AS s JOIN cell ON cell.key = s.cell JOIN component AS d ON d.key = "
           "cell.dataset JOIN component AS m ON m.key = cell.model WHERE d.name IN ('pure', "
           "'impure') AND m.plugin_id = (CASE WHEN s.metric IN ('sap_20_80', 'sap_discrete', "
           "'mig_ross', 'r4', 'dci_exchanged', 'dci_disentanglement') THEN 'precomputed_codes' "
           "ELSE 'precomputed_concepts' END) "
           "GROUP BY d.name, s.metric")) {
    CHECK(row["n"] == 2);
    mean[row["metric"]][row["dataset"]] = row["mean"];
  }
  REQUIRE(mean.size() == 16);
  // The paper, in percent: OIS 4.69 and 22.58, NIS 66.25 and 72.36. The tolerances are four
  // standard deviations, 1.1 and 3.1, 1.9 and 1.8, of a mean of two seeds. One network in a hundred
  // ends with the wrong sign; the diagonal, where it shows, is left out.
  CHECK(mean["ois_off_diagonal"]["pure"] == doctest::Approx(0.0469).epsilon(0.67));
  CHECK(std::abs(mean["ois_off_diagonal"]["impure"] - 0.2258) < 0.088);
  CHECK(mean["ois_reference"]["pure"] < mean["ois_reference"]["impure"]);
  CHECK(std::abs(mean["nis_softmax"]["pure"] - 0.6625) < 0.054);
  CHECK(std::abs(mean["nis_softmax"]["impure"] - 0.7236) < 0.051);
  // Metrics of disentanglement do not see it: SAP 48.74 and 48.83, MIG 99.93 and 99.93, R^4 99.95
  // and 99.95. SAP's tolerance is four standard deviations of 0.8 in a mean of two, and the 1.2 by
  // which five seeds lie lower here.
  CHECK(std::abs(mean["sap_discrete"]["pure"] - 0.4874) < 0.035);
  CHECK(std::abs(mean["sap_discrete"]["impure"] - 0.4883) < 0.035);
  // As the authors split the sample, at the same spread; DCI 99.99 and 99.50.
  CHECK(std::abs(mean["sap_20_80"]["pure"] - 0.4874) < 0.023);
  CHECK(std::abs(mean["sap_20_80"]["impure"] - 0.4883) < 0.023);
  CHECK(std::abs(mean["dci_exchanged"]["pure"] - 0.9999) < 0.0005);
  CHECK(std::abs(mean["dci_exchanged"]["impure"] - 0.9950) < 0.0005);
  for (const char* representation : {"pure", "impure"})
    for (const char* metric : {"mig_ross", "r4", "dci_disentanglement"}) {
      CAPTURE(metric);
      CHECK(mean[metric][representation] > 0.99);
    }
  // Without the softmax the order is the other way round.
  CHECK(mean["nis"]["impure"] < mean["nis"]["pure"]);
}
