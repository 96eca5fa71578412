// SPDX-License-Identifier: Apache-2.0
// SVD: an output's concepts are the leading right singular vectors of its embeddings, uncentred.

#include "numerics/svd.h"

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/class_rows.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::text("rows", "pooled")
        .choices({"pooled", "positions"})
        .help("what is factorised: pooled embeddings, or the features of every position"));

class Svd final : public sdk::Explainer {
 public:
  explicit Svd(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")), pool_(params.text("rows") == "pooled") {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    conoscope::explainers::explain_each_output(
        head, context, out, "svd", pool_, [&](Eigen::Index c, const sdk::Matrix& rows) {
          conoscope::explainers::need_rows("svd", c, rows.rows(), k_);
          conoscope::explainers::need_features("svd", rows.cols(), k_);
          return sdk::Matrix(conoscope::numerics::truncated_svd(rows, k_).components);
        });
  }

 private:
  std::int64_t k_;
  bool pool_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Svd, "svd", "1.0.0", R"toml(
summary = "class-specific uncentred SVD; right singular vectors as concepts"
licence = "Apache-2.0"
citation = "baseline; candidates as in Graziani et al., CDISCO, 2023"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
