// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

const Arguments kQuick = {{"epochs", 5}};

}  // namespace

TEST_CASE("five latents per output, importance <w, d>, at most k active, decodes what it codes") {
  const Bundle head = random_head_bundle(60, 4, 12, 3, 1);
  const Outcome fit = plugin("topk_sae").fit_explainer(kQuick, head);
  REQUIRE(fit.error == "");
  CHECK(fit.out.texts.at("scope") == "class_agnostic");
  const Rows cavs = matrix_of(fit.out, "cavs");
  REQUIRE(cavs.rows() == 15);
  CHECK(cavs.rowwise().norm().isApproxToConstant(1.0, 1e-6));
  CHECK(matrix_of(fit.out, "importance")
            .isApprox(matrix_of(head, "head_weight") * cavs.transpose(), 1e-12));
  CHECK(fit.progress.back() == 1.0);

  const Rows rows = normal_rows(9, 12, 5, true);
  const Outcome projected =
      plugin("topk_sae")
          .project(kQuick, fit.out, 2, OwnedArray::of<double>({9, 12}, flat(rows)), 15);
  REQUIRE(projected.error == "");
  const Rows scores = matrix_of(projected.out, "scores");
  Rows expected = rows * matrix_of(fit.out, "encoder").transpose();
  expected.rowwise() += matrix_of(fit.out, "encoder_bias").row(0);
  for (Eigen::Index i = 0; i < 9; ++i) {
    CHECK((scores.row(i).array() > 0.0).count() <= 5);
    for (Eigen::Index j = 0; j < 15; ++j)
      CHECK((scores(i, j) == 0.0 || scores(i, j) == doctest::Approx(expected(i, j))));
  }
  const Outcome rebuilt =
      plugin("topk_sae").reconstruct(kQuick, fit.out, 0, projected.out.arrays.at("scores"), 12);
  REQUIRE(rebuilt.error == "");
  CHECK(matrix_of(rebuilt.out, "rows").isApprox(scores * cavs, 1e-12));
}

TEST_CASE("seeded: the same bits for a seed at any thread count, others for another") {
  const Bundle head = random_head_bundle<float>(40, 2, 8, 2, 1);
  const Outcome once = plugin("topk_sae").fit_explainer(kQuick, head, {.seed = 3, .threads = 1});
  CHECK(
      (plugin("topk_sae").fit_explainer(kQuick, head, {.seed = 3, .threads = 8}).out == once.out));
  CHECK(!(plugin("topk_sae").fit_explainer(kQuick, head, {.seed = 4}).out == once.out));
}

TEST_CASE("one output of a regression: five latents") {
  const Outcome fit =
      plugin("topk_sae").fit_explainer(kQuick, random_head_bundle(30, 2, 6, 1, 1, "regression"));
  REQUIRE(fit.error == "");
  CHECK(fit.out.shape("cavs") == std::vector<std::int64_t>{5, 6});
}

TEST_CASE("what is refused, and cancellation") {
  const Bundle head = random_head_bundle(20, 2, 6, 2, 1);
  CHECK(plugin("topk_sae")
            .fit_explainer({}, random_head_bundle(20, 2, 6, 2, 1, "softmax", "flatten"))
            .status == CONO_NOT_APPLICABLE);
  check_fault(plugin("topk_sae").fit_explainer({{"k", 11}}, head), CONO_INVALID_ARGUMENT,
              "topk_sae: k = 11 is more than the 10 latents");
  Bundle nan = head;
  const double bad = std::numeric_limits<double>::quiet_NaN();
  nan.arrays["activations"] = OwnedArray::of<double>({20, 2, 6}, std::vector<double>(240, bad));
  CHECK(plugin("topk_sae").fit_explainer({}, nan).status == CONO_INVALID_ARGUMENT);
  Host cancelling;
  int asked = 0;
  cancelling.cancelled = [&asked] { return ++asked > 3; };
  CHECK(plugin("topk_sae").fit_explainer({}, head, cancelling).status == CONO_CANCELLED);
}
