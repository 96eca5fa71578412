// SPDX-License-Identifier: Apache-2.0
// Hand-crafted concept representations whose purity is known: no network, only numbers.
//
//   z ~ N(0, S), S_ij = covariance off the diagonal, 1 on it;  c_j = [z_j > 0]
//   value of concept j uniform in its interval: representation.h

#include <cmath>

#include "conoscope/sdk/dataset.h"
#include "datasets/soft_concepts/representation.h"

namespace {

namespace sdk = conoscope::sdk;
using conoscope::datasets::concept_interval;
using conoscope::datasets::Interval;

constexpr auto kParameters = sdk::parameters(
    sdk::text("representation", "pure")
        .choices({"pure", "impure"})
        .help("pure: a value tells its own concept only; impure: it also spells all others, in its "
              "digits"),
    sdk::real("covariance", 0.0)
        .between(0.0, 0.99)
        .help("between the latents of any two concepts; the paper writes 0.25, its published "
              "numbers were made with 0"),
    sdk::integer("samples", 3000).between(10, 10000000),
    sdk::integer("concepts", 5)
        .between(2, 30)
        .counts_concepts()
        .help("more than 19 impure ones have tiles finer than float32 numbers near 1"),
    sdk::real("test_share", 0.2).between(0.01, 0.99));

class SoftConcepts final : public sdk::Dataset {
 public:
  explicit SoftConcepts(const sdk::ParamsOf<kParameters>& params)
      : impure_(params.text("representation") == "impure"),
        covariance_(params.real("covariance")),
        samples_(params.integer("samples")),
        concepts_(params.integer("concepts")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const auto k = static_cast<std::size_t>(concepts_);
    const auto truth = out.create<float>("concepts", {samples_, concepts_});
    const auto factors = out.create<float>("factors", {samples_, concepts_});
    const auto scores = out.create<float>("concept_scores", {samples_, concepts_});
    const auto probabilities = out.create<float>("concept_probabilities", {samples_, concepts_});
    const auto codes = out.create<float>("codes", {samples_, concepts_});

    // Equal covariances are those of one variable that all share: z_j = sqrt(1-r) e_j + sqrt(r) e.
    sdk::Random latent(context.seed().child("latent")), place(context.seed().child("place"));
    const double own = std::sqrt(1.0 - covariance_), shared = std::sqrt(covariance_);
    std::vector<std::int64_t> row(k);
    for (std::int64_t i = 0; i < samples_; ++i) {
      if (i % 16384 == 0) context.check_cancelled();
      const double common = shared * latent.normal();
      for (std::size_t j = 0; j < k; ++j) row[j] = common + own * latent.normal() > 0.0 ? 1 : 0;
      for (std::size_t j = 0; j < k; ++j) {
        const Interval interval = concept_interval(row, j, impure_);
        const std::size_t at = static_cast<std::size_t>(i) * k + j;
        const auto value = static_cast<float>(place.uniform(interval.low, interval.high));
        truth[at] = factors[at] = static_cast<float>(row[j]);
        scores[at] = probabilities[at] = codes[at] = value;
      }
    }

    const std::vector<std::int64_t> one_class(static_cast<std::size_t>(samples_), 0);
    sdk::write_split(out, sdk::stratified_split(one_class, test_share_, context.seed()));
  }

 private:
  bool impure_;
  double covariance_;
  std::int64_t samples_, concepts_;
  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(SoftConcepts, "soft_concepts", "1.0.0", R"toml(
summary = "hand-crafted concept representations, pure or impure by construction; needs no file"
licence = "Apache-2.0"
citation = "Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, Table 1"
needs = []
offers = ["concepts", "factors", "concept_view", "latent_view"]
seeded = true
)toml",
                  kParameters)
