// SPDX-License-Identifier: Apache-2.0
// The three settings whose quality is known: perfect, random_importance, random_concepts.

#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

const Arguments kThree{{"k", 3}};

}  // namespace

TEST_CASE("perfect: by default the weight vectors themselves, with k parts that add up to them") {
  const Rows weight = normal_rows(4, 6, 2);
  const Bundle head = head_bundle(normal_rows(20, 6, 1), 1, weight, {0.0, 0.0, 0.0, 0.0});
  const Outcome one = plugin("perfect").fit_explainer({}, head);
  REQUIRE(one.error == "");
  CHECK(matrix_of(one.out, "cavs").isApprox(weight.rowwise().normalized(), 1e-15));
  CHECK(one.out.values<double>("importance")[1] == doctest::Approx(weight.row(1).norm()));

  const Outcome three = plugin("perfect").fit_explainer(kThree, head);
  REQUIRE(three.error == "");
  const auto counts = three.out.values<std::int64_t>("counts");
  CHECK(std::vector<std::int64_t>(counts.begin(), counts.end()) ==
        std::vector<std::int64_t>{3, 3, 3, 3});
  const Rows cavs = matrix_of(three.out, "cavs");
  const auto importance = three.out.values<double>("importance");
  for (Eigen::Index c = 0; c < 4; ++c) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(6);
    for (Eigen::Index j = 3 * c; j < 3 * c + 3; ++j) {
      CHECK(cavs.row(j).norm() == doctest::Approx(1.0));
      sum += importance[static_cast<std::size_t>(j)] * cavs.row(j);
    }
    CHECK(sum.isApprox(weight.row(c), 1e-12));
    // The first part tells c from the next output, in a circle.
    const Eigen::RowVectorXd contrast = (weight.row(c) - weight.row((c + 1) % 4)) / 3.0;
    CHECK(cavs.row(3 * c).isApprox(contrast.normalized(), 1e-12));
    CHECK(importance[static_cast<std::size_t>(3 * c)] == doctest::Approx(contrast.norm()));
  }
}

TEST_CASE("random_importance has the concepts of perfect, random_concepts as many of its own") {
  const Bundle head = random_head_bundle(20, 1, 8, 4, 3);
  for (const Arguments& arguments : {Arguments{}, kThree}) {
    const auto fitted = [&](const std::string& id, std::uint64_t seed) {
      const Outcome out = plugin(id).fit_explainer(arguments, head, {.seed = seed});
      REQUIRE(out.error == "");
      return out.out;
    };
    const Bundle perfect = fitted("perfect", 1), importance = fitted("random_importance", 1),
                 concepts = fitted("random_concepts", 1);
    CHECK(matrix_of(importance, "cavs") == matrix_of(perfect, "cavs"));
    CHECK(importance.arrays.at("counts") == perfect.arrays.at("counts"));
    CHECK(concepts.arrays.at("counts") == perfect.arrays.at("counts"));
    const Rows drawn = matrix_of(concepts, "cavs");
    CHECK((drawn.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-12);
    CHECK((drawn * drawn.transpose() - Rows::Identity(drawn.rows(), drawn.rows()))
              .cwiseAbs()
              .maxCoeff() < 0.999);
    for (const Bundle* bundle : {&importance, &concepts})
      for (const double alpha : bundle->values<double>("importance"))
        CHECK((alpha >= 0.0 && alpha < 1.0));
    CHECK(fitted("random_importance", 2).arrays.at("importance") !=
          importance.arrays.at("importance"));
    CHECK(fitted("random_concepts", 2).arrays.at("cavs") != concepts.arrays.at("cavs"));
  }
}

TEST_CASE("perfect: more parts than outputs are refused") {
  const Bundle head = random_head_bundle(20, 1, 8, 2, 3);
  for (const std::string id : {"perfect", "random_importance"}) {
    check_fault(plugin(id).fit_explainer(kThree, head), CONO_INVALID_ARGUMENT,
                id + ": k = 3, but there are only 2 outputs");
    // Before there is room for them.
    CHECK(plugin(id).fit_explainer({{"k", std::int64_t{1} << 40}}, head).error ==
          id + ": k = 1099511627776, but there are only 2 outputs");
  }
}
