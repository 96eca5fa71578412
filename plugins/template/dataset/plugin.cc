// @ID@: two noisy blobs. Replace them with your data.

#include <vector>

#include "conoscope/sdk/dataset.h"
#include "conoscope/sdk/split.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("samples", 400).at_least(20).help("how many to generate"));

class @CLASS@ final : public sdk::Dataset {
 public:
  explicit @CLASS@(const sdk::ParamsOf<kParameters>& params) : samples_(params.integer("samples")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    constexpr std::int64_t kSide = 8;
    auto inputs = out.create<float>("inputs", {samples_, kSide, kSide, 1});
    auto labels = out.create<std::int64_t>("labels", {samples_});
    sdk::Random random(context.seed().child("samples"));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<std::int64_t>(random.below(2));
      for (std::int64_t y = 0; y < kSide; ++y)
        for (std::int64_t x = 0; x < kSide; ++x)
          inputs[i * kSide * kSide + static_cast<std::size_t>(y * kSide + x)] =
              static_cast<float>(0.2 * random.uniform() + (x / 4 == labels[i] ? 0.8 : 0.0));
    }
    const auto split = sdk::stratified_split(labels, 0.2, context.seed().child("split"));
    for (const auto& [name, rows] : {std::pair("train_index", &split.train),
                                     std::pair("test_index", &split.test)}) {
      auto index = out.create<std::int64_t>(name, {static_cast<std::int64_t>(rows->size())});
      std::copy(rows->begin(), rows->end(), index.begin());
    }
    out.text("task", "classification");
  }

 private:
  std::int64_t samples_;
};

}  // namespace

CONOSCOPE_DATASET(@CLASS@, "@ID@", "0.1.0", R"toml(
summary = "one line for `conoscope plugin list`"
licence = "Apache-2.0"
citation = "where the data come from"
offers = ["inputs", "labels"]
seeded = true
)toml", kParameters)
