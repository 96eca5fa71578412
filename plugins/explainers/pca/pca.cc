// PCA: an output's concepts are the directions in which its position features vary most. psi has no
// mean term: a concept score is <h, v>, of h as it is.

#include "conoscope/sdk/explainer.h"
#include "numerics/svd.h"
#include "plugins/explainers/class_rows.h"

namespace {

namespace sdk = conoscope::sdk;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::text("rows", "positions")
        .choices({"pooled", "positions"})
        .help("what is factorised: pooled embeddings, or the features of every position"));

class Pca final : public sdk::Explainer {
 public:
  explicit Pca(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")), pool_(params.text("rows") == "pooled") {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::explain_each_output(head, context, out, "pca", pool_,
                                    [&](Eigen::Index c, const sdk::Matrix& rows) {
                                      explainers::need_rows("pca", c, rows.rows(), k_);
                                      explainers::need_features("pca", rows.cols(), k_);
                                      return directions_of_variance(c, rows);
                                    });
  }

 private:
  // A direction without variance is any that completes a basis, and yet <h, v> is not 0 there: such
  // a concept would mean nothing and weigh something.
  sdk::Matrix directions_of_variance(Eigen::Index output, const sdk::Matrix& rows) const {
    Eigen::Index found = 0;
    if (rows.rows() > 1) {
      const auto svd = conoscope::numerics::truncated_svd(rows, k_, true);
      const double noise = std::numeric_limits<double>::epsilon() *
                           static_cast<double>(std::max(rows.rows(), rows.cols())) * rows.norm();
      found = (svd.singular_values.array() > noise).count();
      if (found == k_) return svd.components;
    }
    throw std::domain_error("pca: the rows of output " + std::to_string(output) + " vary in " +
                            std::to_string(found) +
                            " directions, fewer than k = " + std::to_string(k_) + " concepts");
  }

  std::int64_t k_;
  bool pool_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Pca, "pca", "1.0.0", R"toml(
summary = "class-specific PCA of position features; principal directions as concepts"
licence = "Apache-2.0"
citation = "baseline; as concepts: Zhang et al., Invertible Concept-based Explanations (ICE), AAAI 2021"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
