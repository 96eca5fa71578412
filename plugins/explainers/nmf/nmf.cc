// NMF: an output's concepts are the non-negative parts that add up to its position features. psi is
// the exact non-negative least-squares fit of a row by the output's concepts.

#include "plugins/numerics/nmf.h"

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/numerics/nnls.h"

namespace {

namespace sdk = conoscope::sdk;
namespace numerics = conoscope::numerics;

class Nmf final : public sdk::Explainer, public sdk::Projection, public sdk::Reconstruction {
 public:
  explicit Nmf(const sdk::Params& params) : k_(params.integer("k")) {
    options_.solver = params.text("solver") == "cd" ? numerics::NmfSolver::kCoordinateDescent
                                                    : numerics::NmfSolver::kMultiplicativeUpdate;
    options_.max_iter = static_cast<int>(params.integer("max_iter"));
    options_.tol = params.real("tol");
  }

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    refuse_negative(head.activations());
    conoscope::explainers::explain_each_output(
        head, context, out, "nmf", false, [&](Eigen::Index c, const sdk::Matrix& rows) {
          conoscope::explainers::need_rows("nmf", c, rows.rows(), k_);
          return sdk::Matrix(
              numerics::nmf(rows, k_, context.seed().child(static_cast<std::uint64_t>(c)), options_)
                  .h);
        });
  }

  void project(const sdk::ExplanationIn& explanation, std::int64_t output, const sdk::Tensor& rows,
               std::span<double> scores) override {
    const sdk::Matrix cavs = cavs_of(explanation, output);
    if (cavs.rows() == 0) return;
    sdk::as_matrix(scores, rows.rows(), cavs.rows()) = numerics::nnls(sdk::to_matrix(rows), cavs);
  }

  void reconstruct(const sdk::ExplanationIn& explanation, std::int64_t output,
                   const sdk::Tensor& scores, std::span<double> rows) override {
    const sdk::Matrix cavs = cavs_of(explanation, output);
    sdk::as_matrix(rows, scores.rows(), cavs.cols()) = sdk::to_matrix(scores) * cavs;
  }

 private:
  static sdk::Matrix cavs_of(const sdk::ExplanationIn& explanation, std::int64_t output) {
    const auto [first, last] = explanation.rows_of(output);
    return sdk::to_matrix(explanation.cavs()).middleRows(first, last - first);
  }

  static void refuse_negative(const sdk::Tensor& activations) {
    activations.for_each([&](std::int64_t i, double value) {
      if (value < 0.0)
        throw sdk::NotApplicable("nmf: needs non-negative activations, as after a ReLU; entry " +
                                 std::to_string(i) + " of the " + activations.shape_text() +
                                 " activations is " + std::to_string(value));
    });
  }

  std::int64_t k_;
  numerics::NmfOptions options_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Nmf, "nmf", "1.0.0", R"toml(
summary = "class-specific non-negative matrix factorisation of position features, exact NNLS projection"
licence = "Apache-2.0"
citation = "Lee & Seung, Nature 401, 1999; as concepts: Zhang et al., ICE, AAAI 2021"
needs = ["head_view"]
offers = ["explanation"]
seeded = true

[parameters.k]
type = "integer"
default = 5
min = 1
help = "concepts per output"

[parameters.solver]
type = "text"
default = "cd"
choices = ["cd", "mu"]
help = "coordinate descent or multiplicative updates"

[parameters.max_iter]
type = "integer"
default = 200
min = 1
help = "iterations"

[parameters.tol]
type = "real"
default = 1e-4
min = 0
help = "the solver's own stopping tolerance"
)toml")
