// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "metrics/posterior/kl.h"
#include "tests/support/score_group.h"

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

std::map<std::string, Score> eval(const LatentView& latent) {
  Views views{.latent = &latent};
  return score_group(views, "posterior");
}

TEST_CASE("posterior: by hand") {
  const auto scores = eval(posterior());
  // 1/2 (1 + 1 - 0 - 1) and 1/2 (9 + 4 - log 4 - 1), their mean.
  const double kl = 0.5 * (0.5 + 0.5 * (12.0 - std::log(4.0)));
  CHECK(scores.at("kl").value == doctest::Approx(kl).epsilon(1e-14));
  REQUIRE(scores.at("kl").parts.size() == 2);
  CHECK(scores.at("kl").parts[0] == doctest::Approx(kl).epsilon(1e-14));
  CHECK(scores.at("kl").parts[1] == 0.0);
  CHECK(scores.at("reconstruction_loss").value == 40.0);
}

TEST_CASE("posterior: each score asks for what it needs alone") {
  LatentView codes_alone = posterior();
  codes_alone.log_variance.resize(0, 0);
  CHECK(eval(codes_alone).at("kl").reason == "not_applicable");
  CHECK(eval(codes_alone).at("reconstruction_loss").reason == "");
  LatentView no_decoder = posterior();
  no_decoder.reconstruction_loss.resize(0);
  CHECK(eval(no_decoder).at("kl").reason == "");
  CHECK(eval(no_decoder).at("reconstruction_loss").reason == "not_applicable");
  for (const auto& [name, score] : score_group(Views(), "posterior"))
    CHECK(score.reason == "not_applicable");
}

TEST_CASE("posterior: near the prior nothing is negative, and a KL that overflows is none") {
  LatentView latent = posterior();
  latent.codes.setZero();
  latent.log_variance.setConstant(1e-9);
  CHECK(eval(latent).at("kl").value >= 0.0);
  CHECK(eval(latent).at("kl").value < 1e-15);
  latent.log_variance(0, 0) = 800.0;
  CHECK(eval(latent).at("kl").reason == "undefined");
}

TEST_CASE("posterior: shapes that differ and entries that are not finite") {
  LatentView latent = posterior();
  latent.log_variance.resize(2, 1);
  latent.log_variance.setZero();
  CHECK_THROWS_WITH(eval(latent),
                    "kl: log_variance is 2 x 1, the mean codes 2 x 2, expected the same shape and "
                    "at least one sample");
  latent = posterior();
  latent.log_variance(1, 0) = INFINITY;
  CHECK_THROWS_AS(eval(latent), std::invalid_argument);
  latent = posterior();
  latent.reconstruction_loss = Vector::Zero(3);
  CHECK_THROWS_WITH(eval(latent), "reconstruction_loss: 3 losses for 2 samples");
}

}  // namespace

}  // namespace conoscope::tests
