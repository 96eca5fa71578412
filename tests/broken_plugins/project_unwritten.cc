// SPDX-License-Identifier: Apache-2.0
// Leaves the concept scores that it is asked for as they are.

#include "tests/broken_plugins/base.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Explainer, public sdk::Projection {
 public:
  explicit Broken(const sdk::Params&) {}
  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    conoscope::broken::explain(head, out);
  }
  void project(const sdk::ExplanationIn&, std::int64_t, const sdk::Tensor&,
               std::span<double>) override {}
};

}  // namespace

CONOSCOPE_EXPLAINER(Broken, "project_unwritten", "1.0.0", BROKEN_METADATA)
