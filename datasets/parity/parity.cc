// SPDX-License-Identifier: Apache-2.0
// Parity: the label is the parity of k fair, independent concepts, so that fewer than all of them
// know nothing of it, and a linear head on them learns nothing.

#include <algorithm>
#include <vector>

#include "conoscope/sdk/dataset.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("concepts", 3)
        .between(2, 30)
        .counts_concepts()
        .help("k; the label is 1 where an odd number of them is present"),
    sdk::real("noise", 0.25)
        .between(0.0, 100.0)
        .help("standard deviation of what is added to each input, which is 1 where its concept is "
              "present and -1 where not"),
    sdk::integer("samples", 3000).between(10, 10000000),
    sdk::real("test_share", 0.2).between(0.01, 0.99));

class Parity final : public sdk::Dataset {
 public:
  explicit Parity(const sdk::ParamsOf<kParameters>& params)
      : concepts_(params.integer("concepts")),
        noise_(params.real("noise")),
        samples_(params.integer("samples")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const auto inputs = out.create<float>("inputs", {samples_, concepts_});
    const auto concepts = out.create<float>("concepts", {samples_, concepts_});
    const auto factors = out.create<float>("factors", {samples_, concepts_});
    std::vector<std::int64_t> odd(static_cast<std::size_t>(samples_), 0);
    sdk::Random coin(context.seed().child("concepts")), added(context.seed().child("noise"));
    for (std::size_t i = 0; i < concepts.size(); ++i) {
      if (i % 65536 == 0) context.check_cancelled();
      const auto present = static_cast<std::int64_t>(coin.below(2));
      concepts[i] = factors[i] = static_cast<float>(present);
      inputs[i] =
          static_cast<float>(static_cast<double>(2 * present - 1) + noise_ * added.normal());
      odd[i / static_cast<std::size_t>(concepts_)] ^= present;
    }
    std::ranges::copy(odd, out.create<std::int64_t>("labels", {samples_}).begin());
    sdk::write_split(out, sdk::stratified_split(odd, test_share_, context.seed()));
    out.text("task", "classification");
  }

 private:
  std::int64_t concepts_;
  double noise_;
  std::int64_t samples_;
  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(Parity, "parity", "1.0.0", R"toml(
summary = "the parity of independent concepts, each behind a noisy input; needs no file"
licence = "Apache-2.0"
citation = "Minsky & Papert, Perceptrons, 1969; behind concepts: Mahinpei et al., Promises and Pitfalls of Black-Box Concept Learning Models, 2021"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
)toml",
                  kParameters)
