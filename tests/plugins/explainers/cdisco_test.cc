// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

Arguments with(const std::string& importance, std::int64_t k) {
  return {{"k", k}, {"importance", importance}};
}

}  // namespace

TEST_CASE("cdisco: the published importance is the default") {
  const Bundle head = random_head_bundle(60, 2, 6, 3, 4);
  CHECK((plugin("cdisco").fit_explainer({}, head).out ==
         plugin("cdisco").fit_explainer(with("loss_relu", 5), head).out));
}

TEST_CASE("cdisco: loss_relu, worked out by loops") {
  for (const std::string output : {"softmax", "sigmoid"}) {
    const std::int64_t n = 90, positions = 4, width = 5, outputs = 3;
    const Bundle head = head_bundle(normal_rows(n * positions, width, 7), positions,
                                    normal_rows(outputs, width, 8), {0.1, 0.0, -0.1}, output);
    const Rows h = matrix_of(head, "activations"), w = matrix_of(head, "head_weight"),
               y = matrix_of(head, "logits");
    for (const std::string importance : {"loss_relu", "loss_relu_z"}) {
      const Outcome outcome = plugin("cdisco").fit_explainer(with(importance, width), head);
      REQUIRE(outcome.error == "");
      const Rows cavs = matrix_of(outcome.out, "cavs");
      const auto alpha = outcome.out.values<double>("importance");
      for (Eigen::Index c = 0; c < outputs; ++c) {
        // The relevance of every sample for the loss, projected on the concepts of c.
        Rows projected(n, width);
        std::vector<bool> member;
        for (Eigen::Index i = 0; i < n; ++i) {
          Eigen::Index target = 0;
          y.row(i).maxCoeff(&target);
          Eigen::RowVectorXd rise = Eigen::RowVectorXd::Zero(outputs);
          if (output == "softmax") {
            rise = y.row(i).array().exp() / y.row(i).array().exp().sum();
            rise[target] -= 1.0;
            member.push_back(target == c);
          } else {
            member.push_back(y(i, c) > 0.0);
            rise[c] = 1.0 / (1.0 + std::exp(-y(i, c))) - (member.back() ? 1.0 : 0.0);
          }
          Eigen::RowVectorXd relevance = Eigen::RowVectorXd::Zero(width);
          for (Eigen::Index j = 0; j < positions; ++j)
            for (Eigen::Index d = 0; d < width; ++d)
              relevance[d] += std::max(0.0, rise.dot(w.col(d)) / positions) *
                              h(i * positions + j, d) / positions;
          projected.row(i) = relevance * cavs.middleRows(c * width, width).transpose();
        }
        for (Eigen::Index k = 0; k < width; ++k) {
          double in = 0.0, out = 0.0, count_in = 0.0, count_out = 0.0, squares = 0.0;
          for (Eigen::Index i = 0; i < n; ++i) {
            (member[static_cast<std::size_t>(i)] ? in : out) += projected(i, k);
            (member[static_cast<std::size_t>(i)] ? count_in : count_out) += 1.0;
          }
          for (Eigen::Index i = 0; i < n; ++i)
            if (!member[static_cast<std::size_t>(i)])
              squares += std::pow(projected(i, k) - out / count_out, 2);
          double expected = in / count_in;
          if (importance == "loss_relu_z")
            expected = (expected - out / count_out) / std::sqrt(squares / count_out);
          CHECK(alpha[static_cast<std::size_t>(c * width + k)] ==
                doctest::Approx(expected).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("cdisco: no concepts for a class never predicted, nothing drawn") {
  const Bundle head = head_bundle(normal_rows(60, 6, 1), 1, normal_rows(3, 6, 2), {0.0, 0.0, -1e6});
  const Outcome outcome = plugin("cdisco").fit_explainer({}, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.values<std::int64_t>("counts")[2] == 0);
  CHECK(outcome.out.values<std::int64_t>("counts")[0] == 5);
  CHECK((plugin("cdisco").fit_explainer({}, head, {.seed = 5, .threads = 8}).out == outcome.out));
}

TEST_CASE("cdisco: what is refused") {
  check_fault(plugin("cdisco").fit_explainer({}, random_head_bundle(60, 2, 4, 2, 3)),
              CONO_INVALID_ARGUMENT, "cdisco: k = 5 is more than the 4 features");

  // Rows are samples, not positions.
  check_fault(plugin("cdisco").fit_explainer(
                  {}, head_bundle(normal_rows(4 * 9, 9, 1), 9, normal_rows(2, 9, 2), {1e6, 0.0})),
              CONO_INVALID_ARGUMENT, "cdisco: output 0 has 4 rows, fewer than k = 5 concepts");

  check_fault(
      plugin("cdisco").fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten")),
      CONO_NOT_APPLICABLE, "cdisco: a flattened head has one weight vector per position");

  check_fault(plugin("cdisco").fit_explainer(with("loss_relu", 2),
                                             random_head_bundle(20, 2, 9, 1, 3, "regression")),
              CONO_NOT_APPLICABLE,
              "cdisco: the gradient of a loss, and a regression agrees with its own output; "
              "cdisco_directional needs none");

  // One class takes all: there are no others to score against.
  check_fault(plugin("cdisco").fit_explainer(
                  with("loss_relu_z", 2),
                  head_bundle(normal_rows(20, 4, 1), 1, normal_rows(2, 4, 2), {1e6, 0.0})),
              CONO_UNDEFINED, "z_score_of_group: group 0 has no others");

  CHECK(
      plugin("cdisco")
          .fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3), {.cancelled = [] { return true; }})
          .status == CONO_CANCELLED);
}
