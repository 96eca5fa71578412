// CDISCO: candidates are all right singular vectors of an output's pooled embeddings; the k whose
// importance is largest in magnitude become its concepts, each with the sign it has.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "conoscope/sdk/explainer.h"
#include "numerics/svd.h"
#include "plugins/explainers/cdisco/loss_relevance.h"
#include "plugins/explainers/class_rows.h"

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
    pooled_ = explainers::rows_of_members(head.activations(), all, true);
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
                    sdk::text("importance", "directional")
                        .choices({"directional", "loss_relu", "loss_relu_z"})
                        .help("derivative of the logit; the published mean of max(0, dLoss/dh) * "
                              "h; or that z-scored against the other samples"));

class Cdisco final : public sdk::Explainer {
 public:
  explicit Cdisco(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")), importance_(params.text("importance")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "cdisco");
    if (importance_ != "directional" && head.output() == "regression")
      throw sdk::NotApplicable("cdisco: importance = \"" + importance_ +
                               "\" needs a loss, and a regression agrees with its own output");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    std::optional<LossRelevance> relevance;
    if (importance_ != "directional") relevance.emplace(head);
    explainers::explain_members(
        head, context, out, "cdisco", true,
        [&](Eigen::Index c, const std::vector<Eigen::Index>& members, const sdk::Matrix& rows) {
          explainers::need_rows("cdisco", c, rows.rows(), k_);
          explainers::need_features("cdisco", rows.cols(), k_);
          const Eigen::Index candidates = std::min(rows.rows(), rows.cols());
          // The weakest candidates count too: X^T X would blur them, so it is for wide layers only.
          constexpr Eigen::Index kWide = 512;
          const auto method =
              candidates > kWide ? numerics::SvdMethod::kAutomatic : numerics::SvdMethod::kExact;
          const sdk::Matrix v = numerics::truncated_svd(rows, candidates, false, method).components;
          Eigen::VectorXd alpha;
          if (importance_ == "directional")
            alpha = v * weight.row(c).transpose();
          else
            alpha = by_loss(relevance->of_output(c) * v.transpose(), members);
          return largest(v, alpha);
        });
  }

 private:
  /// Per candidate, of the projected relevance of all samples: its mean over the members, or where
  /// that lies among the other samples.
  Eigen::VectorXd by_loss(const sdk::Matrix& projected,
                          const std::vector<Eigen::Index>& members) const {
    if (importance_ == "loss_relu")
      return sdk::Matrix(projected(members, Eigen::all)).colwise().mean().transpose();
    std::vector<Eigen::Index> group(static_cast<std::size_t>(projected.rows()), 0);
    for (const Eigen::Index i : members) group[static_cast<std::size_t>(i)] = 1;
    return methods::z_score_of_group(projected, group, 1).transpose();
  }

  /// The k candidates of largest |alpha|, the earlier of equals first.
  explainers::OutputConcepts largest(const sdk::Matrix& v, const Eigen::VectorXd& alpha) const {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(alpha.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::stable_sort(order.begin(), order.end(), [&alpha](Eigen::Index a, Eigen::Index b) {
      return std::abs(alpha[a]) > std::abs(alpha[b]);
    });
    order.resize(static_cast<std::size_t>(k_));
    return {v(order, Eigen::all), alpha(order)};
  }

  std::int64_t k_;
  std::string importance_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Cdisco, "cdisco", "1.0.0", R"toml(
summary = "class-specific singular vectors of pooled embeddings, chosen and weighed by gradients"
licence = "Apache-2.0"
citation = "Graziani et al., Uncovering Unique Concept Vectors through Latent Space Decomposition (CDISCO), TMLR 2023"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
