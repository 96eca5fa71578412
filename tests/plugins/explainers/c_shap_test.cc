// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

namespace {

Arguments quick(std::int64_t concepts = 8) {
  return {{"concepts", concepts}, {"hidden", 20}, {"epochs", 20}, {"batch", 16}, {"beta", 0.05}};
}

Arguments with(Arguments arguments, const std::string& name, const Value& value) {
  arguments[name] = value;
  return arguments;
}

}  // namespace

TEST_CASE("an output's concepts are its k of largest |phi|, and no others") {
  for (const std::int64_t concepts : {8, 20}) {  // enumerated, and drawn
    const Bundle head = random_head_bundle(80, 2, 10, 3, 1);
    std::vector<bool> predicted(3);
    for (const std::int64_t c : head.values<std::int64_t>("predictions"))
      predicted[static_cast<std::size_t>(c)] = true;
    REQUIRE(predicted[0]);
    const Outcome fit = plugin("c_shap").fit_explainer(quick(concepts), head);
    REQUIRE(fit.error == "");
    CHECK(fit.out.texts.at("scope") == "class_specific");
    const Rows cavs = matrix_of(fit.out, "cavs");
    CHECK(cavs.rowwise().norm().isApproxToConstant(1.0, 1e-12));

    // With all concepts kept the importances sum to v(all) - v(none); nothing at all predicts class
    // 0, the lowest of the equal biases. The first five of them are those of k = 5.
    const Outcome all = plugin("c_shap").fit_explainer(with(quick(concepts), "k", concepts), head);
    const Rows every = matrix_of(all.out, "cavs");
    const auto completeness = all.out.values<double>("completeness");
    std::size_t mine = 0, theirs = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto count = static_cast<std::size_t>(fit.out.values<std::int64_t>("counts")[c]);
      const auto learnt = static_cast<std::size_t>(all.out.values<std::int64_t>("counts")[c]);
      CHECK(count == (predicted[c] ? 5 : 0));
      CHECK((predicted[c] ? learnt > 5 : learnt == 0));
      CHECK(learnt <= static_cast<std::size_t>(concepts));
      double sum = 0.0;
      for (std::size_t p = 0; p < learnt; ++p) {
        const double phi = all.out.values<double>("importance")[theirs + p];
        sum += phi;
        if (p > 0)
          CHECK(std::abs(phi) <= std::abs(all.out.values<double>("importance")[theirs + p - 1]));
        if (p >= count) continue;
        CHECK(fit.out.values<double>("importance")[mine + p] == phi);
        CHECK(cavs.row(static_cast<Eigen::Index>(mine + p)) ==
              every.row(static_cast<Eigen::Index>(theirs + p)));
      }
      if (predicted[c]) {
        const Rows own =
            every.middleRows(static_cast<Eigen::Index>(theirs), static_cast<Eigen::Index>(learnt));
        CHECK((own * own.transpose() - Rows::Identity(own.rows(), own.rows())).maxCoeff() <= 0.951);
        CHECK(sum ==
              doctest::Approx(completeness[c] - (c == 0 ? 1.0 : 0.0)).scale(1.0).epsilon(1e-9));
      }
      mine += count;
      theirs += learnt;
    }
  }
}

TEST_CASE("an output that nothing is predicted as has no concepts") {
  const Rows activations = normal_rows(60, 6, 1, true);
  Rows weight = normal_rows(3, 6, 2);
  weight.row(1).setZero();
  const Bundle head = head_bundle(activations, 2, weight, {0.0, -1e6, 0.0});
  const Outcome fit = plugin("c_shap").fit_explainer(quick(), head);
  REQUIRE(fit.error == "");
  CHECK(fit.out.values<std::int64_t>("counts")[1] == 0);
}

TEST_CASE("sigmoid outputs are tasks of their own") {
  const Outcome fit =
      plugin("c_shap").fit_explainer(quick(), random_head_bundle(60, 2, 8, 3, 1, "sigmoid"));
  REQUIRE(fit.error == "");
  CHECK(fit.out.shape("counts").front() == 3);
}

TEST_CASE("seeded: the same bits for a seed at any thread count, others for another") {
  const Bundle head = random_head_bundle<float>(40, 2, 8, 2, 1);
  const Outcome once = plugin("c_shap").fit_explainer(quick(), head, {.seed = 3, .threads = 1});
  CHECK((plugin("c_shap").fit_explainer(quick(), head, {.seed = 3, .threads = 8}).out == once.out));
  CHECK(!(plugin("c_shap").fit_explainer(quick(), head, {.seed = 4}).out == once.out));
}

TEST_CASE("what is refused, and cancellation") {
  const Bundle head = random_head_bundle(20, 2, 6, 2, 1);
  CHECK(plugin("c_shap")
            .fit_explainer({}, random_head_bundle(20, 2, 6, 2, 1, "softmax", "flatten"))
            .status == CONO_NOT_APPLICABLE);
  CHECK(
      plugin("c_shap").fit_explainer({}, random_head_bundle(20, 2, 6, 1, 1, "regression")).status ==
      CONO_NOT_APPLICABLE);
  // Two coalitions cannot tell twenty concepts apart.
  CHECK(
      plugin("c_shap").fit_explainer(with(quick(20), "coalitions", std::int64_t{2}), head).status ==
      CONO_UNDEFINED);
  Bundle nan = head;
  nan.arrays["activations"] = OwnedArray::of<double>(
      {20, 2, 6}, std::vector<double>(240, std::numeric_limits<double>::quiet_NaN()));
  CHECK(plugin("c_shap").fit_explainer(quick(), nan).status == CONO_INVALID_ARGUMENT);
  // No attribute is ever predicted.
  const Bundle nobody =
      head_bundle(normal_rows(20, 4, 1, true), 1, Rows::Zero(2, 4), {-1.0, -1.0}, "sigmoid");
  CHECK(plugin("c_shap").fit_explainer(quick(), nobody).status == CONO_UNDEFINED);
  Host cancelling;
  int asked = 0;
  cancelling.cancelled = [&asked] { return ++asked > 3; };
  CHECK(plugin("c_shap").fit_explainer(quick(), head, cancelling).status == CONO_CANCELLED);
}
