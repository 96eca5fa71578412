#include <doctest/doctest.h>

#include <cmath>

#include "numerics/svd.h"
#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

namespace {

const Plugin& cdisco() {
  static const Plugin plugin(plugin_file("cdisco"));
  return plugin;
}

Arguments with(const std::string& importance, std::int64_t k) {
  return {{"k", k}, {"importance", importance}};
}

}  // namespace

TEST_CASE("cdisco: the strongest by |alpha|, not by singular value, and with its sign") {
  // Singular vectors: x (value sqrt(50)) and y (value 2); the head looks along -y most.
  const Rows activations{{5.0, 0.0}, {5.0, 0.0}, {0.0, 2.0}};
  const Bundle head = head_bundle(activations, 1, Rows{{1.0, -3.0}}, {0.0}, "regression");
  Outcome outcome = cdisco().fit_explainer(with("directional", 1), head);
  REQUIRE(outcome.error == "");
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{0.0, 1.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[0] == doctest::Approx(-3.0));
  outcome = cdisco().fit_explainer(with("directional", 2), head);
  CHECK(matrix_of(outcome.out, "cavs").isApprox(Rows{{0.0, 1.0}, {1.0, 0.0}}, 1e-12));
  CHECK(outcome.out.values<double>("importance")[1] == doctest::Approx(1.0));
}

TEST_CASE("cdisco: all candidates rebuild the head that the class sees") {
  // sum_k <w, v_k> v_k over a whole basis is w.
  const Bundle head = random_head_bundle(40, 3, 6, 2, 5);
  const Outcome outcome = cdisco().fit_explainer(with("directional", 6), head);
  REQUIRE(outcome.error == "");
  const Rows cavs = matrix_of(outcome.out, "cavs"), weight = matrix_of(head, "head_weight");
  const auto alpha = outcome.out.values<double>("importance");
  for (const Eigen::Index c : {0, 1}) {
    Eigen::RowVectorXd rebuilt = Eigen::RowVectorXd::Zero(6);
    for (Eigen::Index k = 6 * c; k < 6 * c + 6; ++k) {
      rebuilt += alpha[static_cast<std::size_t>(k)] * cavs.row(k);
      if (k % 6)
        CHECK(std::abs(alpha[static_cast<std::size_t>(k)]) <=
              std::abs(alpha[static_cast<std::size_t>(k - 1)]));
    }
    CHECK(rebuilt.isApprox(weight.row(c), 1e-10));
  }
}

TEST_CASE("cdisco: loss_relu, worked out by loops") {
  for (const std::string output : {"softmax", "sigmoid"}) {
    const std::int64_t n = 90, positions = 4, width = 5, outputs = 3;
    const Bundle head = head_bundle(normal_rows(n * positions, width, 7), positions,
                                    normal_rows(outputs, width, 8), {0.1, 0.0, -0.1}, output);
    const Rows h = matrix_of(head, "activations"), w = matrix_of(head, "head_weight"),
               y = matrix_of(head, "logits");
    for (const std::string importance : {"loss_relu", "loss_relu_z"}) {
      const Outcome outcome = cdisco().fit_explainer(with(importance, width), head);
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
  const Outcome outcome = cdisco().fit_explainer({}, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.values<std::int64_t>("counts")[2] == 0);
  CHECK(outcome.out.values<std::int64_t>("counts")[0] == 5);
  CHECK((cdisco().fit_explainer({}, head, {.seed = 5, .threads = 8}).out == outcome.out));
}

TEST_CASE("cdisco: constant features and zero rows give finite concepts") {
  for (const double value : {0.0, 2.0}) {
    const Outcome outcome = cdisco().fit_explainer(
        with("directional", 2), head_bundle(Rows::Constant(6, 4, value), 1,
                                            Rows{{1.0, 2.0, 3.0, 4.0}}, {0.0}, "regression"));
    REQUIRE(outcome.error == "");
    const Rows cavs = matrix_of(outcome.out, "cavs");
    CHECK((cavs * cavs.transpose()).isIdentity(1e-10));
  }
}

TEST_CASE("cdisco: what is refused") {
  Outcome outcome = cdisco().fit_explainer({}, random_head_bundle(20, 2, 4, 1, 3, "regression"));
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error == "cdisco: k = 5 is more than the 4 features");

  // Rows are samples, not positions.
  outcome = cdisco().fit_explainer({}, random_head_bundle(4, 9, 9, 1, 3, "regression"));
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error == "cdisco: output 0 has 4 rows, fewer than k = 5 concepts");

  outcome = cdisco().fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten"));
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error == "cdisco: a flattened head has one weight vector per position");

  outcome = cdisco().fit_explainer(with("loss_relu", 2),
                                   random_head_bundle(20, 2, 9, 1, 3, "regression"));
  CHECK(outcome.status == CONO_NOT_APPLICABLE);
  CHECK(outcome.error ==
        "cdisco: importance = \"loss_relu\" needs a loss, and a regression agrees with its own "
        "output");

  // One class takes all: there are no others to score against.
  outcome = cdisco().fit_explainer(
      with("loss_relu_z", 2),
      head_bundle(normal_rows(20, 4, 1), 1, normal_rows(2, 4, 2), {1e6, 0.0}));
  CHECK(outcome.status == CONO_UNDEFINED);
  CHECK(outcome.error == "z_score_of_group: group 1 has no others");

  outcome = cdisco().fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3),
                                   {.cancelled = [] { return true; }});
  CHECK(outcome.status == CONO_CANCELLED);
}
