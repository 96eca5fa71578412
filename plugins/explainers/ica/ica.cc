// SPDX-License-Identifier: Apache-2.0
// ICA: an output's concepts are the directions in which its position features, whitened, look least
// like a normal distribution (FastICA). psi has no mean term: a concept score is <h, v>.

#include <Eigen/SVD>
#include <cmath>
#include <string>

#include "conoscope/sdk/explainer.h"
#include "numerics/random.h"
#include "plugins/explainers/principal_directions.h"

namespace {

namespace sdk = conoscope::sdk;
namespace explainers = conoscope::explainers;
namespace numerics = conoscope::numerics;
using Eigen::Index;
using sdk::Matrix;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::text("rows", "positions")
        .choices({"pooled", "positions"})
        .help("what is unmixed: pooled embeddings, or the features of every position"),
    sdk::integer("max_iter", 200).at_least(1).help("fixed-point iterations per output"),
    sdk::real("tol", 0.0001)
        .at_least(0)
        .help("stop when no direction turns further: 1 - |cosine| with the one before"));

/// The nearest matrix with orthonormal rows, (W W^T)^-1/2 W.
Matrix orthonormal(const Matrix& w) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(w, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

struct Unmixing {
  Matrix directions;  ///< k x k, orthonormal rows
  bool converged = false;
};

/// The k directions of n x k whitened rows, all at once:
///   w+ = mean( z tanh(<w, z>) ) - mean( 1 - tanh(<w, z>)^2 ) w,   then made orthonormal
Unmixing fast_ica(const Matrix& whitened, std::int64_t max_iter, double tol, numerics::Seed seed) {
  const auto n = static_cast<double>(whitened.rows());
  numerics::Random random(seed);
  Matrix start(whitened.cols(), whitened.cols());
  for (double& entry : start.reshaped<Eigen::RowMajor>()) entry = random.normal();
  Unmixing found{orthonormal(start)};
  for (std::int64_t i = 0; i < max_iter && !found.converged; ++i) {
    const Matrix slope = (whitened * found.directions.transpose()).array().tanh();
    const Eigen::VectorXd curvature = 1.0 - slope.array().square().colwise().mean().transpose();
    const Matrix next = orthonormal(slope.transpose() * whitened / n -
                                    Matrix(curvature.asDiagonal() * found.directions));
    const Eigen::VectorXd cosines = next.cwiseProduct(found.directions).rowwise().sum();
    found = {next, 1.0 - cosines.cwiseAbs().minCoeff() <= tol};
  }
  return found;
}

class Ica final : public sdk::Explainer {
 public:
  explicit Ica(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")),
        pool_(params.text("rows") == "pooled"),
        max_iter_(params.integer("max_iter")),
        tol_(params.real("tol")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    const numerics::Seed seed = context.seed();
    explainers::explain_each_output(
        head, context, out, "ica", pool_, [&](Index c, const Matrix& rows) {
          const auto principal = explainers::principal_directions("ica", c, rows, k_);
          // z = S (h - mean), whose covariance is the identity.
          const Matrix sphere = (std::sqrt(static_cast<double>(rows.rows())) *
                                 principal.singular_values.cwiseInverse())
                                    .asDiagonal() *
                                principal.components;
          const Matrix whitened =
              (rows.rowwise() - principal.mean.transpose()) * sphere.transpose();
          const Unmixing found =
              fast_ica(whitened, max_iter_, tol_, seed.child(static_cast<std::uint64_t>(c)));
          if (!found.converged)
            context.log("ica: output " + std::to_string(c) + " has not converged after " +
                        std::to_string(max_iter_) + " iterations");
          return oriented(found.directions * sphere);
        });
  }

 private:
  /// Unit norm; an independent component has no sign: its entry of largest magnitude is positive.
  static Matrix oriented(Matrix cavs) {
    for (auto cav : cavs.rowwise()) {
      Index largest = 0;
      cav.cwiseAbs().maxCoeff(&largest);
      cav /= std::copysign(cav.norm(), cav(largest));
    }
    return cavs;
  }

  std::int64_t k_;
  bool pool_;
  std::int64_t max_iter_;
  double tol_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Ica, "ica", "1.0.0", R"toml(
summary = "class-specific FastICA of position features; unmixing directions as concepts"
licence = "Apache-2.0"
citation = "Hyvarinen, Fast and robust fixed-point algorithms for independent component analysis, IEEE Trans. Neural Networks 10(3), 1999; of embeddings: Yamagiwa et al., EMNLP 2023"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml",
                    kParameters)
