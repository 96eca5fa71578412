#include "metrics/disentanglement/posterior_eval.h"

#include <string>

#include "metrics/catalogue.h"
#include "metrics/score.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "posterior_eval";
constexpr const char* kKl = "kl";
constexpr const char* kReconstruction = "reconstruction_loss";

Score kl(const LatentView& latent) {
  if (latent.log_variance.size() == 0)
    return detail::not_applicable(kKl, "the codes come without the variances of a posterior");
  const auto &mu = latent.codes, &log_v = latent.log_variance;
  if (mu.rows() != log_v.rows() || mu.cols() != log_v.cols() || mu.rows() == 0)
    numerics::refuse(kName, "log_variance is " + std::to_string(log_v.rows()) + " x " +
                                std::to_string(log_v.cols()) + ", codes " +
                                std::to_string(mu.rows()) + " x " + std::to_string(mu.cols()) +
                                ", expected the same shape and at least one sample");
  numerics::require_finite(kName, "codes", mu);
  numerics::require_finite(kName, "log_variance", log_v);
  const Eigen::RowVectorXd by_dimension =
      0.5 *
      (mu.array().square() + (log_v.array().expm1() - log_v.array()).max(0.0)).colwise().mean();
  if (!by_dimension.allFinite())
    return detail::none(kKl, "undefined", "the KL of a sample overflows");
  return detail::number(kKl, by_dimension.sum(),
                        {by_dimension.data(), by_dimension.data() + by_dimension.size()});
}

Score reconstruction_loss(const LatentView& latent) {
  const Vector& losses = latent.reconstruction_loss;
  if (losses.size() == 0)
    return detail::not_applicable(kReconstruction, "the codes come without a decoder's losses");
  if (losses.size() != latent.codes.rows())
    numerics::refuse(kName, "reconstruction_loss has " + std::to_string(losses.size()) +
                                " entries for " + std::to_string(latent.codes.rows()) + " samples");
  numerics::require_finite_vector(kName, "reconstruction_loss", losses);
  return detail::number(kReconstruction, losses.mean());
}

}  // namespace

std::vector<Score> posterior_eval(const Views& subject) {
  if (!subject.latent)
    return {detail::not_applicable(kKl, "needs a latent view"),
            detail::not_applicable(kReconstruction, "needs a latent view")};
  return {kl(*subject.latent), reconstruction_loss(*subject.latent)};
}

std::vector<Metric> declare::posterior() {
  constexpr std::string_view kGroup = "posterior";
  constexpr std::string_view kPaper = "Kingma & Welling, ICLR 2014";
  return from_pass<metrics::posterior_eval>({
      {kKl,
       kGroup,
       "How many nats does the code hold beyond its prior?",
       Direction::kNone,
       0.0,
       kUnbounded,
       "nats",
       kPaper,
       {"latent_view"}},
      {kReconstruction,
       kGroup,
       "How many nats does it take to tell a sample when its code is known?",
       Direction::kNone,
       -kUnbounded,
       kUnbounded,
       "nats",
       kPaper,
       {"latent_view"}},
  });
}

}  // namespace conoscope::metrics
