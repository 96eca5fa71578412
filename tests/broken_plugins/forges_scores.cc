// SPDX-License-Identifier: Apache-2.0
// Asked for its projection while it is judged, it writes the scores that it would like to have, and
// that all is done, wherever it can write, and ends the process.

#include <unistd.h>

#include <string>

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
               std::span<double>) override {
    const std::string forged = "score\tsurf_mae\t0\t\t\t\nok\nstage\tscore\ndone\n";
    for (int fd = 3; fd < 64; ++fd)
      [[maybe_unused]] const auto written = ::write(fd, forged.data(), forged.size());
    ::_exit(0);
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(Broken, "forges_scores", "1.0.0", BROKEN_METADATA)
