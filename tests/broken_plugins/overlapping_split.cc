// SPDX-License-Identifier: Apache-2.0
// A dataset whose test split shares a sample with its training split.

#include "conoscope/sdk/dataset.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Dataset {
 public:
  explicit Broken(const sdk::Params&) {}
  void load(const sdk::Context&, sdk::Sink& out) override {
    constexpr std::int64_t kSamples = 6;
    out.create<float>("inputs", {kSamples, 2, 2, 1});
    out.create<std::int64_t>("labels", {kSamples});
    const auto train = out.create<std::int64_t>("train_index", {4});
    const auto test = out.create<std::int64_t>("test_index", {3});
    for (std::size_t i = 0; i < train.size(); ++i) train[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < test.size(); ++i) test[i] = static_cast<std::int64_t>(3 + i);
    out.text("task", "classification");
  }
};

}  // namespace

CONOSCOPE_DATASET(Broken, "overlapping_split", "1.0.0", R"toml(
summary = "sample 3 is in both splits"
licence = "Apache-2.0"
citation = ""
offers = ["inputs", "labels"]
seeded = false
)toml")
