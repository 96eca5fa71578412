// SPDX-License-Identifier: Apache-2.0
// NMF: an output's concepts are the non-negative parts that add up to its position features. psi is
// the exact non-negative least-squares fit of a row by the output's concepts.

#include "numerics/nmf.h"

#include "conoscope/sdk/explainer.h"
#include "numerics/nnls.h"
#include "plugins/explainers/cav_projection.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/non_negative.h"

namespace {

namespace sdk = conoscope::sdk;
namespace numerics = conoscope::numerics;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::text("solver", "cd")
        .choices({"cd", "mu"})
        .help("coordinate descent or multiplicative updates"),
    sdk::integer("max_iter", 200).between(1, explainers::kMostInt).help("iterations"),
    sdk::real("tol", 0.0001).at_least(0).help("the solver's own stopping tolerance"));

class Nmf final : public sdk::Explainer, public explainers::CavProjection {
 public:
  explicit Nmf(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {
    options_.solver = params.text("solver") == "cd" ? numerics::NmfSolver::kCoordinateDescent
                                                    : numerics::NmfSolver::kMultiplicativeUpdate;
    options_.max_iter = static_cast<int>(params.integer("max_iter"));
    options_.tol = params.real("tol");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_negative("nmf", head.activations());
    const numerics::Seed seed = context.seed();
    explainers::explain_each_output(
        head, context, out, "nmf", false, [&](Eigen::Index c, const sdk::Matrix& rows) {
          explainers::need_rows("nmf", c, rows.rows(), k_);
          return sdk::Matrix(
              numerics::nmf(rows, k_, seed.child(static_cast<std::uint64_t>(c)), options_).h);
        });
  }

 private:
  sdk::Matrix psi(const sdk::Matrix& rows, const sdk::Matrix& cavs) const override {
    return numerics::nnls(rows, cavs);
  }

  std::int64_t k_;
  numerics::NmfOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Nmf, "nmf", "1.0.2", R"toml(
summary = "class-specific non-negative matrix factorisation of position features, exact NNLS projection"
licence = "Apache-2.0"
citation = "Lee & Seung, Nature 401, 1999; as concepts: Zhang et al., ICE, AAAI 2021"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
