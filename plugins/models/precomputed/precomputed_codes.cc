// SPDX-License-Identifier: Apache-2.0
// Latent codes that the dataset brought with it, passed on as a latent view.

#include "conoscope/sdk/model.h"
#include "plugins/models/precomputed/copy_array.h"

namespace {

namespace sdk = conoscope::sdk;

class PrecomputedCodes final : public sdk::Model {
 public:
  explicit PrecomputedCodes(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor codes = dataset.get("codes");
    if (codes.dimensions() != 2)
      throw std::invalid_argument("codes: " + codes.shape_text() + ", expected n x m");
    const std::vector<std::int64_t> shape = {codes.rows(), codes.shape(1)};
    conoscope::models::copy_array(codes, "codes", shape, out);
    if (const auto variances = dataset.find("codes_log_variance")) {
      if (variances->shape_text() != codes.shape_text())
        throw std::invalid_argument("codes_log_variance: " + variances->shape_text() +
                                    ", expected " + codes.shape_text() + " as codes");
      conoscope::models::copy_array(*variances, "codes_log_variance", shape, out);
    }
  }
};

}  // namespace

CONOSCOPE_MODEL(PrecomputedCodes, "precomputed_codes", "1.1.0", R"(
summary = "the latent codes that the dataset brought with it"
licence = "Apache-2.0"
citation = ""
needs = ["latent_view"]
offers = ["latent_view"]
seeded = false
)")
