// SPDX-License-Identifier: Apache-2.0
// ICE: an output's concepts are the non-negative parts of its position features, not normalised.
// psi is exact non-negative least squares, or the factorisation's own iterative transform.

#include "conoscope/sdk/explainer.h"
#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "plugins/explainers/cav_projection.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/ice/minibatch_nmf.h"
#include "plugins/explainers/non_negative.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help(
        "concepts per output: SURF's; ICE's code has 10"),
    sdk::text("solver", "cd")
        .choices({"cd", "mu", "minibatch"})
        .help("coordinate descent (ICE's code), multiplicative updates, or the latter on one batch "
              "of rows after the other (how SURF ran ICE)"),
    sdk::text("importance", "directional")
        .choices({"directional", "tcav"})
        .help("mean derivative of the logit in the direction of the concept (ICE's code), or the "
              "share of samples where it is positive (both papers' text)"),
    sdk::text("psi", "exact")
        .choices({"exact", "transform"})
        .help(
            "non-negative least squares per row, or, as published, the solver's own updates, which "
            "stop by a rule over the whole batch"),
    sdk::integer("max_iter", 200)
        .between(1, explainers::kMostInt)
        .help("iterations; passes over the rows with minibatch"),
    sdk::real("tol", 0.0001).at_least(0).help("the solver's own stopping tolerance"),
    sdk::integer("batch_size", 1024).at_least(1).help("minibatch: rows per step"),
    sdk::real("forget_factor", 0.7)
        .between(0, 1)
        .help("minibatch: what one pass leaves of what was seen before; above 0"),
    sdk::integer("max_no_improvement", 10)
        .between(0, explainers::kMostInt)
        .help("minibatch: steps without a lower smoothed cost before it stops; 0: no limit"));

class Ice final : public sdk::Explainer, public explainers::CavProjection {
 public:
  explicit Ice(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        minibatch_(params.text("solver") == "minibatch"),
        tcav_(params.text("importance") == "tcav"),
        exact_(params.text("psi") == "exact") {
    whole_.solver = params.text("solver") == "mu" ? numerics::NmfSolver::kMultiplicativeUpdate
                                                  : numerics::NmfSolver::kCoordinateDescent;
    whole_.max_iter = batches_.max_iter = static_cast<int>(params.integer("max_iter"));
    whole_.tol = batches_.tol = params.real("tol");
    batches_.batch_size = params.integer("batch_size");
    batches_.forget_factor = params.real("forget_factor");
    batches_.max_no_improvement = static_cast<int>(params.integer("max_no_improvement"));
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "ice");
    explainers::refuse_negative("ice", head.activations());
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    explainers::explain_members<explainers::Numbers::kOwn>(
        head, context, out, "ice", false, [&](Eigen::Index c, const auto&, const auto& rows) {
          explainers::need_rows("ice", c, rows.rows(), k_);
          const numerics::Seed seed = context.seed().child(static_cast<std::uint64_t>(c));
          explainers::OutputConcepts mine;
          const auto parts = minibatch_ ? methods::minibatch_nmf(rows, k_, seed, batches_).h
                                        : numerics::nmf(rows, k_, seed, whole_).h;
          mine.cavs = parts.template cast<double>();
          mine.importance = mine.cavs * weight.row(c).transpose();
          // A linear head has the same derivative at every sample: all rise along v, or none.
          if (tcav_) mine.importance = (mine.importance.array() > 0.0).cast<double>();
          return mine;
        });
  }

 private:
  sdk::Matrix psi(const sdk::Matrix& rows, const sdk::Matrix& cavs) const override {
    if (exact_) return numerics::nnls(rows, cavs);
    if (minibatch_) return methods::minibatch_nmf_transform(rows, cavs, batches_);
    return numerics::nmf_transform(rows, cavs, whole_);
  }

  std::int64_t k_;
  bool minibatch_, tcav_, exact_;
  numerics::NmfOptions whole_;
  methods::MiniBatchNmfOptions batches_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Ice, "ice", "1.0.2", R"toml(
summary = "class-specific non-negative parts of position features, exact NNLS projection"
licence = "Apache-2.0"
citation = "Zhang et al., Invertible Concept-based Explanations for CNN Models with Non-negative Concept Activation Vectors (ICE), AAAI 2021"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
