// SPDX-License-Identifier: Apache-2.0
// What it reconstructs depends on how often it was asked.

#include <algorithm>

#include "tests/broken_plugins/base.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Explainer, public sdk::Reconstruction {
 public:
  explicit Broken(const sdk::Params&) {}
  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    conoscope::broken::explain(head, out);
  }
  void reconstruct(const sdk::ExplanationIn&, std::int64_t, const sdk::Tensor&,
                   std::span<double> rows) override {
    std::ranges::fill(rows, ++calls_);
  }

 private:
  double calls_ = 0.0;
};

}  // namespace

CONOSCOPE_EXPLAINER(Broken, "reconstruct_counts", "1.0.0", BROKEN_METADATA)
