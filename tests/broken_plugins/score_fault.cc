// SPDX-License-Identifier: Apache-2.0
// A metric with the fault that its parameter names.

#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters =
    sdk::parameters(sdk::text("fault", "none")
                        .choices({"none", "abort", "exit", "hang", "inapplicable", "nan", "silent",
                                  "throw", "undefined"})
                        .help("what is wrong"));

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::ParamsOf<kParameters>& params) : fault_(params.text("fault")) {}

  void score(const sdk::Subject&, const sdk::Context&, sdk::Scores& out) override {
    if (fault_ == "silent") return;
    out.score("score_before_fault", 0.25);
    if (fault_ == "abort") std::abort();
    if (fault_ == "exit") ::_exit(0);
    if (fault_ == "throw") throw std::runtime_error("the tape has run out");
    if (fault_ == "inapplicable") throw sdk::NotApplicable("not for such outputs");
    if (fault_ == "undefined") throw std::domain_error("0 / 0");
    while (fault_ == "hang") ::pause();
    out.score("score_fault", fault_ == "nan" ? std::numeric_limits<double>::quiet_NaN() : 0.5);
  }

 private:
  std::string fault_;
};

}  // namespace

CONOSCOPE_METRIC(Broken, "score_fault", "1.0.0", R"toml(
summary = "has the fault that its parameter names"
licence = "Apache-2.0"
citation = ""
needs = ["head_view", "explanation"]
seeded = false

[scores.score_before_fault]
direction = "higher"
low = 0.0
high = 1.0

[scores.score_fault]
direction = "higher"
low = 0.0
high = 1.0
)toml",
                 kParameters)
