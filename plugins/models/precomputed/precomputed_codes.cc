// Latent codes that the dataset brought with it, passed on as a latent view.

#include "conoscope/sdk/model.h"
#include "plugins/models/precomputed/pass_on.h"

namespace {

namespace sdk = conoscope::sdk;

class PrecomputedCodes final : public sdk::Model {
 public:
  explicit PrecomputedCodes(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor codes = dataset.get("codes");
    if (codes.dimensions() != 2)
      throw std::invalid_argument("codes: " + codes.shape_text() + ", expected n x m");
    conoscope::models::pass_on(codes, "codes", {codes.rows(), codes.shape(1)}, out);
  }
};

}  // namespace

CONOSCOPE_MODEL(PrecomputedCodes, "precomputed_codes", "1.0.0", R"(
summary = "the latent codes that the dataset brought with it"
licence = "Apache-2.0"
citation = ""
needs = ["latent_view"]
offers = ["latent_view"]
seeded = false
)")
