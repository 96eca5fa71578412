#include "metrics/disentanglement/posterior_eval.h"

#include <doctest/doctest.h>

#include <cmath>

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// Two samples, two dimensions; the second dimension is the prior's.
LatentView posterior() {
  LatentView latent;
  latent.codes = (Matrix(2, 2) << 1.0, 0.0, -3.0, 0.0).finished();
  latent.log_variance = (Matrix(2, 2) << 0.0, 0.0, std::log(4.0), 0.0).finished();
  latent.reconstruction_loss = (Vector(2) << 30.0, 50.0).finished();
  return latent;
}

std::vector<Score> eval(const LatentView& latent) {
  Views subject;
  subject.latent = &latent;
  return posterior_eval(subject);
}

TEST_CASE("posterior_eval: by hand") {
  const auto scores = eval(posterior());
  REQUIRE(scores.size() == 2);
  // 1/2 (1 + 1 - 0 - 1) and 1/2 (9 + 4 - log 4 - 1), their mean.
  const double kl = 0.5 * (0.5 + 0.5 * (12.0 - std::log(4.0)));
  CHECK(scores[0].name == "kl");
  CHECK(scores[0].value == doctest::Approx(kl).epsilon(1e-14));
  REQUIRE(scores[0].parts.size() == 2);
  CHECK(scores[0].parts[0] == doctest::Approx(kl).epsilon(1e-14));
  CHECK(scores[0].parts[1] == 0.0);
  CHECK(scores[1].name == "reconstruction_loss");
  CHECK(scores[1].value == 40.0);
}

TEST_CASE("posterior_eval: each score asks for what it needs alone") {
  LatentView codes_alone = posterior();
  codes_alone.log_variance.resize(0, 0);
  CHECK(eval(codes_alone)[0].reason == "not_applicable");
  CHECK(eval(codes_alone)[1].reason == "");
  LatentView no_decoder = posterior();
  no_decoder.reconstruction_loss.resize(0);
  CHECK(eval(no_decoder)[0].reason == "");
  CHECK(eval(no_decoder)[1].reason == "not_applicable");
  for (const Score& score : posterior_eval(Views{})) CHECK(score.reason == "not_applicable");
}

TEST_CASE("posterior_eval: near the prior nothing is negative, and a KL that overflows is none") {
  LatentView latent = posterior();
  latent.codes.setZero();
  latent.log_variance.setConstant(1e-9);
  CHECK(eval(latent)[0].value >= 0.0);
  CHECK(eval(latent)[0].value < 1e-15);
  latent.log_variance(0, 0) = 800.0;
  CHECK(eval(latent)[0].reason == "undefined");
}

TEST_CASE("posterior_eval: shapes that differ and entries that are not finite") {
  LatentView latent = posterior();
  latent.log_variance.resize(2, 1);
  latent.log_variance.setZero();
  CHECK_THROWS_WITH(eval(latent),
                    "posterior_eval: log_variance is 2 x 1, codes 2 x 2, expected the same shape "
                    "and at least one sample");
  latent = posterior();
  latent.log_variance(1, 0) = INFINITY;
  CHECK_THROWS_AS(eval(latent), std::invalid_argument);
  latent = posterior();
  latent.reconstruction_loss = Vector::Zero(3);
  CHECK_THROWS_WITH(eval(latent),
                    "posterior_eval: reconstruction_loss has 3 entries for 2 samples");
}

}  // namespace

}  // namespace conoscope::tests
