// SPDX-License-Identifier: Apache-2.0
// Three published VAEs on dSprites: their codes are data that are not part of the source tree.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>

#include "datasets/formats/npz.h"
#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/robustness/irs_matrix.h"
#include "numerics/random.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Matrix read(const formats::Npz& archive, const char* name) {
  const formats::Array array = archive.get(name);
  const auto values = formats::to_vector<double>(array);
  return Eigen::Map<const Matrix>(values.data(), array.extent(0), array.extent(1));
}

TEST_CASE("published VAEs of dSprites: one table") {
  const char* const folder = std::getenv("CONOSCOPE_DATA_DIR");
  const std::filesystem::path path =
      std::filesystem::path(folder ? folder : "") / "dsprites_vae_codes_12k.npz";
  if (!folder || !std::filesystem::exists(path)) {
    MESSAGE("dsprites_vae_codes_12k.npz is not there; CONOSCOPE_DATA_DIR says where the data are");
    return;
  }
  const formats::Npz archive(path.string());
  const Matrix all = read(archive, "latents_classes");
  const Matrix factors = all.rightCols(5);  // the color has one value
  REQUIRE((all.col(0).array() == all(0, 0)).all());
  IndexVector order(static_cast<std::size_t>(factors.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  Random(1).shuffle(order);
  const IndexVector train(order.begin(), order.begin() + 8000),
      test(order.begin() + 8000, order.end());

  std::printf("%-8s %6s %6s %8s %6s %6s %6s %6s %6s %6s\n", "VAE", "IRS", "cover", "IRS dlib",
              "MIG", "SAP", "modul.", "DCI D", "DCI C", "DCI I");
  double gap[3];
  int which = 0;
  for (const char* name : {"VAE", "betaB", "factor"}) {
    CAPTURE(std::string(name));
    const Matrix codes = read(archive, (std::string(name) + "_mu").c_str());
    const IrsMatrix irs = irs_matrix(codes, factors);
    const IrsMatrix library = irs_quantile(codes, factors);
    const CodeInformation information = code_information({codes, factors});
    const double mig_value = mig(information).value;
    const Sap sap = sap_discrete({codes(train, Eigen::all), factors(train, Eigen::all),
                                  codes(test, Eigen::all), factors(test, Eigen::all)});
    const DciFit dci = dci_boosting({codes(train, Eigen::all), factors(train, Eigen::all),
                                     codes(test, Eigen::all), factors(test, Eigen::all)});
    const double modular = modularity(information.mutual_information).value;
    std::printf("%-8s %6.3f %6.4f %8.3f %6.3f %6.3f %6.3f %6.3f %6.3f %6.3f\n", name, irs.score,
                irs.coverage, library.score, mig_value, sap.value, modular,
                dci_disentanglement(dci.importance).value, dci_completeness(dci.importance).value,
                dci.informativeness);
    gap[which++] = mig_value;
    for (const double value : {irs.score, library.score, mig_value, sap.value, modular,
                               dci_disentanglement(dci.importance).value,
                               dci_completeness(dci.importance).value, dci.informativeness}) {
      CHECK(value > 0.0);
      CHECK(value < 1.0);
    }
    CHECK(irs.active == 10);
    CHECK(irs.coverage < 0.5);  // 12,000 of 737,280 combinations
  }
  std::fflush(stdout);
  // What training for disentanglement is meant to do, against the plain VAE.
  CHECK(gap[1] > gap[0]);
  CHECK(gap[2] > gap[0]);
}

}  // namespace

}  // namespace conoscope::tests
