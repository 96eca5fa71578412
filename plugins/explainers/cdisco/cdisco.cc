// SPDX-License-Identifier: Apache-2.0
// CDISCO: candidates are all right singular vectors of an output's pooled embeddings; the k whose
// importance, a gradient of the loss, is largest in magnitude become its concepts, with their sign.

#include <cmath>
#include <numeric>

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/cdisco/loss_relevance.h"
#include "plugins/explainers/singular_candidates.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;

/// The relevance of the published pipeline: max(0, dLoss/dh) o h, the mean over positions. A head
/// that averages has the same gradient at every position, (dLoss/dy W) / P, so h is its mean.
class LossRelevance {
 public:
  explicit LossRelevance(const sdk::HeadView& head)
      : weight_(sdk::to_matrix(head.weight())),
        logits_(sdk::to_matrix(head.logits())),
        softmax_(head.output() == "softmax"),
        positions_(static_cast<double>(head.positions())) {
    std::vector<Eigen::Index> all(static_cast<std::size_t>(head.samples()));
    std::iota(all.begin(), all.end(), Eigen::Index{0});
    pooled_ = explainers::pooled_rows_of_members(head.activations(), all);
    if (!softmax_) return;
    const auto predictions = head.predictions().values<const std::int64_t>();
    shared_ = of(methods::cross_entropy_gradient(logits_, {predictions.begin(), predictions.end()}),
                 weight_);
  }

  /// n x D. Softmax: the loss is the cross entropy with the predicted class, the same whatever the
  /// output; sigmoid: that of the one output with its own decision.
  sdk::Matrix of_output(Eigen::Index output) const {
    if (softmax_) return shared_;
    sdk::Matrix rise(logits_.rows(), 1);
    for (Eigen::Index i = 0; i < rise.rows(); ++i) {
      const double y = logits_(i, output);
      rise(i, 0) = y > 0.0 ? -1.0 / (1.0 + std::exp(y)) : 1.0 / (1.0 + std::exp(-y));
    }
    return of(rise, weight_.row(output));
  }

 private:
  sdk::Matrix of(const sdk::Matrix& rise, const sdk::Matrix& weight) const {
    return methods::rectified_relevance(pooled_, sdk::Matrix(rise * weight / positions_), 1);
  }

  sdk::Matrix weight_, logits_, pooled_, shared_;
  bool softmax_;
  double positions_;
};

constexpr auto kParameters =
    sdk::parameters(sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
                    sdk::text("importance", "loss_relu")
                        .choices({"loss_relu", "loss_relu_z"})
                        .help("mean of max(0, dLoss/dh) * h over the output's samples; or that "
                              "z-scored against the other samples"));

class Cdisco final : public sdk::Explainer {
 public:
  explicit Cdisco(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")), importance_(params.text("importance")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "cdisco");
    if (head.output() == "regression")
      throw sdk::NotApplicable(
          "cdisco: the gradient of a loss, and a regression agrees with its own output; "
          "cdisco_directional needs none");
    const LossRelevance relevance(head);
    explainers::explain_members(
        head, context, out, "cdisco", true,
        [&](Eigen::Index c, const std::vector<Eigen::Index>& members, const sdk::Matrix& rows) {
          const sdk::Matrix v = explainers::singular_candidates("cdisco", c, rows, k_);
          return explainers::largest(v, by_loss(c, relevance.of_output(c) * v.transpose(), members),
                                     k_);
        });
  }

 private:
  /// Per candidate, of the projected relevance of all samples: its mean over the members, or where
  /// that lies among the other samples.
  Eigen::VectorXd by_loss(Eigen::Index output, const sdk::Matrix& projected,
                          const std::vector<Eigen::Index>& members) const {
    if (importance_ == "loss_relu")
      return sdk::Matrix(projected(members, Eigen::all)).colwise().mean().transpose();
    // The members' group has the output's number, by which messages name it.
    std::vector<Eigen::Index> group(static_cast<std::size_t>(projected.rows()), -1);
    for (const Eigen::Index i : members) group[static_cast<std::size_t>(i)] = output;
    return methods::z_score_of_group(projected, group, output).transpose();
  }

  std::int64_t k_;
  std::string importance_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Cdisco, "cdisco", "2.0.0", R"toml(
summary = "class-specific singular vectors of pooled embeddings, chosen and weighed by gradients of the loss"
licence = "Apache-2.0"
citation = "Graziani et al., Uncovering Unique Concept Vectors through Latent Space Decomposition (CDISCO), TMLR 2023"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
