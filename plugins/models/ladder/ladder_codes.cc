// SPDX-License-Identifier: Apache-2.0
// Codes that are the generative factors themselves, or spoilt by a known amount: what a metric of
// latent views should put in order.
//
//   perfect       z_j = factor j, centred and divided by its standard deviation
//   shuffled      a share of the samples exchange their values, each code by itself: less is known
//   mixed         z_i + share * sum over j != i of w_ij z_j, w_ij = +-U[1/2, 1), standardised
//   again:
//                 almost surely nothing is lost, but each code answers to every factor

#include <cmath>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"
#include "plugins/models/ladder/ladder.h"

namespace {

namespace sdk = conoscope::sdk;
using sdk::Matrix;

/// Each column without its mean and divided by its standard deviation; a constant one becomes 0.
Matrix standardised(Matrix columns) {
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    if ((columns.col(j).array() == columns(0, j)).all()) {
      columns.col(j).setZero();  // its mean may be rounded, and what is left has a spread
      continue;
    }
    columns.col(j).array() -= columns.col(j).mean();
    columns.col(j) /= std::sqrt(columns.col(j).squaredNorm() / static_cast<double>(columns.rows()));
  }
  return columns;
}

Matrix read_factors(const sdk::Tensor& factors) {
  if (factors.dimensions() != 2 || factors.size() == 0)
    throw std::invalid_argument("factors: " + factors.shape_text() + ", expected n x F");
  Matrix out = sdk::to_matrix(factors);
  for (Eigen::Index i = 0; i < out.size(); ++i)
    if (!std::isfinite(out.data()[i]))
      throw std::invalid_argument("factors: entry " + std::to_string(i) + " of " +
                                  factors.shape_text() + " is not finite");
  return out;
}

/// z_i + share * sum over j != i of w_ij z_j, standardised again.
Matrix mixed(const Matrix& codes, double share, sdk::Seed seed) {
  sdk::Random random(seed);
  Matrix weights = Matrix::Identity(codes.cols(), codes.cols());
  for (Eigen::Index i = 0; i < weights.rows(); ++i)
    for (Eigen::Index j = 0; j < weights.cols(); ++j)
      if (i != j) weights(i, j) = share * random.uniform(0.5, 1.0) * (random.below(2) ? 1.0 : -1.0);
  return standardised(codes * weights.transpose());
}

constexpr auto kParameters =
    sdk::parameters(sdk::text("step", "perfect")
                        .choices({"perfect", "half", "random"})
                        .help("how much is degraded: nothing, half, all"),
                    sdk::text("disturbance", "shuffled")
                        .choices({"shuffled", "mixed"})
                        .help("shuffled: samples exchange their values, so less is known; mixed: "
                              "codes take up the others, so each answers to several factors"));

class LadderCodes final : public sdk::Model {
 public:
  explicit LadderCodes(const sdk::ParamsOf<kParameters>& params)
      : share_(conoscope::models::spoilt_share(params.text("step"))),
        mixed_(params.text("disturbance") == "mixed") {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    Matrix codes = standardised(read_factors(dataset.get("factors")));
    if (mixed_) {
      codes = mixed(codes, share_, context.seed().child("mixed"));
    } else if (share_ > 0.0) {
      const Matrix before = codes;
      for (Eigen::Index j = 0; j < codes.cols(); ++j) {
        const auto from =
            conoscope::models::shuffled_column(static_cast<std::size_t>(codes.rows()), share_,
                                               context.seed().child(static_cast<std::uint64_t>(j)));
        for (Eigen::Index i = 0; i < codes.rows(); ++i)
          codes(i, j) = before(static_cast<Eigen::Index>(from[static_cast<std::size_t>(i)]), j);
      }
    }
    sdk::as_matrix(out.create<double>("codes", {codes.rows(), codes.cols()}), codes.rows(),
                   codes.cols()) = codes;
  }

 private:
  double share_;
  bool mixed_;
};

}  // namespace

CONOSCOPE_MODEL(LadderCodes, "ladder_codes", "1.0.0", R"toml(
summary = "the generative factors as codes, perfect or degraded by a known amount: tests metrics, not models"
licence = "Apache-2.0"
citation = ""
needs = ["factors"]
offers = ["latent_view"]
seeded = true
)toml",
                kParameters)
