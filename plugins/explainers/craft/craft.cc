// SPDX-License-Identifier: Apache-2.0
// CRAFT: an output's concepts are the penalised non-negative parts of its position features, each
// position serving as a patch. A concept matters by its Sobol total index: the share of the logit's
// variance that involves it when concepts are masked.

#include "conoscope/sdk/explainer.h"
#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "plugins/explainers/cav_projection.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/craft/sobol.h"
#include "plugins/explainers/non_negative.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help(
        "concepts per output: SURF's; CRAFT's toolbox has 20"),
    sdk::real("alpha", 0.01)
        .at_least(0)
        .help("squared penalty on both factors, in psi too; scaled by the number of features "
              "(scores) or rows (concepts)"),
    sdk::integer("nb_design", 32)
        .at_least(2)
        .help("points of the Sobol design; (k + 2) times as many masks"),
    sdk::text("estimator", "closed_form")
        .choices({"closed_form", "sampled"})
        .help("the same finite design solved for a linear head, or every mask rebuilt and put "
              "through the head"),
    sdk::text("psi", "transform")
        .choices({"transform", "exact"})
        .help("the solver's own updates, which stop by a rule over the whole batch, or their limit "
              "per row (ridge NNLS)"),
    sdk::integer("max_iter", 200)
        .between(1, explainers::kMostInt)
        .help("iterations of the factorisation"),
    sdk::real("tol", 0.0001).at_least(0).help("the factorisation's own stopping tolerance"));

class Craft final : public sdk::Explainer, public explainers::CavProjection {
 public:
  explicit Craft(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        nb_design_(params.integer("nb_design")),
        sampled_(params.text("estimator") == "sampled"),
        exact_(params.text("psi") == "exact") {
    options_.alpha_w = params.real("alpha");  // alpha_h is the same
    options_.max_iter = static_cast<int>(params.integer("max_iter"));
    options_.tol = params.real("tol");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_negative("craft", head.activations());
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const auto bias = sdk::to_matrix(head.bias());
    const methods::SobolDesign design = methods::halton_design(nb_design_, k_);
    explainers::explain_members<explainers::Numbers::kOwn>(
        head, context, out, "craft", false, [&](Eigen::Index c, const auto&, const auto& rows) {
          explainers::need_rows("craft", c, rows.rows(), k_);
          const numerics::Seed seed = context.seed().child(static_cast<std::uint64_t>(c));
          explainers::OutputConcepts mine;
          mine.cavs = numerics::nmf(rows, k_, seed, options_).h.template cast<double>();
          const sdk::Matrix scores = psi(rows.template cast<double>(), mine.cavs);
          const sdk::Matrix per_position = weights_by_position(head, weight.row(c));
          const sdk::Matrix total =
              sampled_
                  ? by_masking(scores, mine.cavs, per_position, bias(c, 0), design, context)
                  : methods::sobol_total_linear(
                        methods::concept_contributions(scores, mine.cavs, per_position), design);
          mine.importance = total.colwise().mean().transpose();
          return mine;
        });
  }

 private:
  sdk::Matrix psi(const sdk::Matrix& rows, const sdk::Matrix& cavs) const override {
    if (!exact_) return numerics::nmf_transform(rows, cavs, options_);
    return numerics::nnls(rows, cavs, static_cast<double>(rows.cols()) * options_.alpha_w);
  }

  /// The logit is the sum over positions of <row j of this, h_j>, plus the bias.
  static sdk::Matrix weights_by_position(const sdk::HeadView& head,
                                         const Eigen::RowVectorXd& weight) {
    const Eigen::Index positions = head.positions(), width = head.width();
    if (head.pooling() == "flatten")
      return Eigen::Map<const sdk::Matrix>(weight.data(), positions, width);
    return weight.replicate(positions, 1) / static_cast<double>(positions);
  }

  /// Every mask for every sample: masked scores, activations rebuilt from them, the head on those.
  static sdk::Matrix by_masking(const sdk::Matrix& scores, const sdk::Matrix& bank,
                                const sdk::Matrix& weight, double bias,
                                const methods::SobolDesign& design, const sdk::Context& context) {
    const Eigen::Index positions = weight.rows();
    const auto logits_of = [&](Eigen::Index sample, const sdk::Matrix& masks) {
      context.check_cancelled();
      const auto mine = scores.middleRows(sample * positions, positions);
      Eigen::VectorXd logits(masks.rows());
      sdk::Matrix rebuilt;
      for (Eigen::Index m = 0; m < masks.rows(); ++m) {
        rebuilt.noalias() = mine * masks.row(m).asDiagonal() * bank;
        logits[m] = rebuilt.cwiseProduct(weight).sum() + bias;
      }
      return logits;
    };
    return methods::sobol_total_sampled(scores.rows() / positions, design, logits_of);
  }

  std::int64_t k_, nb_design_;
  bool sampled_, exact_;
  numerics::NmfOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Craft, "craft", "1.0.2", R"toml(
summary = "class-specific penalised non-negative parts of position features, weighed by Sobol total indices"
licence = "Apache-2.0"
citation = "Fel et al., CRAFT: Concept Recursive Activation FacTorization for Explainability, CVPR 2023"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
