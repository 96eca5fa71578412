// SPDX-License-Identifier: Apache-2.0
// Its constructor throws.

#include "tests/broken_plugins/base.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Explainer {
 public:
  explicit Broken(const sdk::Params&) { throw std::runtime_error("no licence server"); }
  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    conoscope::broken::explain(head, out);
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(Broken, "throws_in_constructor", "1.0.0", BROKEN_METADATA)
