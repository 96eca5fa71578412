// SPDX-License-Identifier: Apache-2.0
// K-Means: an output's concepts are the directions of the cluster centres of its position features.

#include "numerics/kmeans.h"

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/class_rows.h"

namespace {

namespace sdk = conoscope::sdk;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::integer("n_init", 10)
        .between(1, explainers::kMostInt)
        .help("k-means++ starts; the best is kept"),
    sdk::integer("max_iter", 300)
        .between(1, explainers::kMostInt)
        .help("Lloyd iterations per start"),
    sdk::real("tol", 0.0001)
        .at_least(0)
        .help("stop when the centres move less, relative to the mean variance of the features"));

class KMeans final : public sdk::Explainer {
 public:
  explicit KMeans(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {
    options_.n_init = static_cast<int>(params.integer("n_init"));
    options_.max_iter = static_cast<int>(params.integer("max_iter"));
    options_.tol = params.real("tol");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    const numerics::Seed seed = context.seed();
    explainers::explain_each_output<explainers::Numbers::kOwn>(
        head, context, out, "kmeans", false, [&](Eigen::Index c, const auto& rows) {
          explainers::need_rows("kmeans", c, rows.rows(), k_);
          sdk::Matrix centres =
              numerics::kmeans(rows, k_, seed.child(static_cast<std::uint64_t>(c)), options_)
                  .centres;
          for (auto centre : centres.rowwise())
            if (const double norm = centre.norm(); norm > 0.0)
              centre /= norm;  // all-zero rows: cav 0
          return centres;
        });
  }

 private:
  std::int64_t k_;
  numerics::KMeansOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(KMeans, "kmeans", "1.1.1", R"toml(
summary = "class-specific K-Means of position features; unit-norm centres as concepts"
licence = "Apache-2.0"
citation = "clustering: Arthur & Vassilvitskii, k-means++, SODA 2007; as concepts: Wang et al., arXiv:1909.13584"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
