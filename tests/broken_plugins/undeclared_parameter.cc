// SPDX-License-Identifier: Apache-2.0
// Reads a parameter that its metadata do not have. With sdk::ParamsOf this would not compile.

#include "tests/broken_plugins/base.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Explainer {
 public:
  explicit Broken(const sdk::Params& params) : k_(params.integer("k")) {}
  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    conoscope::broken::explain(head, out).importance[0] = static_cast<double>(k_);
  }

 private:
  std::int64_t k_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Broken, "undeclared_parameter", "1.0.0", BROKEN_METADATA)
