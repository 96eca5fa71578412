// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "metrics/faithfulness/surrogates/completeness.h"
#include "metrics/faithfulness/surrogates/plausibility.h"
#include "metrics/faithfulness/surrogates/sae_downstream_ce.h"
#include "metrics/faithfulness/surrogates/sae_downstream_kl.h"
#include "metrics/faithfulness/surrogates/sae_reconstruction_error.h"
#include "numerics/random.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Explanation shared(const Matrix& cavs, Index outputs) {
  Explanation explanation;
  explanation.class_agnostic = true;
  explanation.cavs = cavs;
  explanation.importance_by_output = Matrix::Ones(outputs, cavs.rows());
  return explanation;
}

TEST_CASE("sae_reconstruction_error: by hand") {
  const Matrix rows = (Matrix(2, 2) << 3, 4, 0, 5).finished();
  const Matrix first = (Matrix(1, 2) << 1, 0).finished();
  CHECK(sae_reconstruction_error(rows, shared(first, 3)) == doctest::Approx((16.0 + 25.0) / 50.0));
  CHECK(sae_reconstruction_error(rows, shared(Matrix::Identity(2, 2), 3)) == 0.0);
  Explanation own;  // class 0 keeps the first axis, class 1 the second
  own.cavs = Matrix::Identity(2, 2);
  own.importance = Vector::Ones(2);
  own.offset = {0, 1, 2};
  CHECK(sae_reconstruction_error(rows, own) == doctest::Approx((41.0 + 9.0) / 2.0 / 50.0));
  CHECK_THROWS_SAYING(sae_reconstruction_error(Matrix(0, 2), own), std::invalid_argument, "0 x 2");
  CHECK_THROWS_SAYING(sae_reconstruction_error(Matrix::Ones(1, 3), own), std::invalid_argument,
                      "1 x 3", "width 2");
  CHECK_THROWS_SAYING(sae_reconstruction_error(Matrix::Zero(2, 2), own), std::domain_error,
                      "every row is 0");
  CHECK_THROWS_SAYING(sae_reconstruction_error(
                          Matrix::Constant(1, 2, std::numeric_limits<double>::quiet_NaN()), own),
                      std::invalid_argument, "rows is nan");
}

TEST_CASE(
    "sae_reconstruction_error: the ladder; and a perfect surrogate need not rebuild anything") {
  const HeadView head = random_head(300, 1, 16, 8, Pooling::kNone);
  const Matrix axes = Matrix::Identity(16, 16);
  const double all = sae_reconstruction_error(head.activations.all(), shared(axes, 8));
  const double half = sae_reconstruction_error(head.activations.all(), shared(axes.topRows(8), 8));
  const double one = sae_reconstruction_error(head.activations.all(), shared(axes.topRows(1), 8));
  CHECK(all == 0.0);
  CHECK(all < half);
  CHECK(half < one);
  // K = 1 along w_c explains the logits without any error, and hardly any of the embedding.
  CHECK(sae_reconstruction_error(head.activations.all(), perfect_explanation(head)) > 0.5);
}

TEST_CASE("sae_downstream_kl: by hand, far from 0, and equal to itself") {
  const Matrix model = (Matrix(1, 2) << 0, std::log(3.0)).finished();  // p = 1/4, 3/4
  const Matrix even = Matrix::Constant(1, 2, 800.0);                   // q = 1/2, 1/2
  CHECK(sae_downstream_kl(model, even).value ==
        doctest::Approx(0.25 * std::log(0.5) + 0.75 * std::log(1.5)));
  CHECK(sae_downstream_kl(model, model).value == 0.0);
  check_refuses_bad_pairs(sae_downstream_kl, "sae_downstream_kl");
}

TEST_CASE("plausibility: by hand") {
  const Matrix weight = (Matrix(3, 2) << 2, 0, 3, 4, 0, 0).finished();
  // cos with (0, 5): 0 and 0.8; with (-1, 0): -1 and -0.6; the third class has no direction.
  const Result result = plausibility(weight, shared((Matrix(2, 2) << 0, 5, -1, 0).finished(), 3));
  CHECK(result.value == doctest::Approx(0.4));
  CHECK(result.caveat == "1 output left out: all weights are 0");
  CHECK(plausibility(weight, shared(Matrix::Zero(1, 2), 3)).value == 0.0);
  CHECK(plausibility(weight, shared(Matrix(0, 2), 3)).value == 0.0);
  CHECK_THROWS_SAYING(plausibility(Matrix::Zero(2, 2), shared(Matrix::Ones(1, 2), 2)),
                      std::domain_error, "every row of weight is 0");
  CHECK_THROWS_SAYING(plausibility(weight, shared(Matrix::Ones(1, 2), 2)), std::invalid_argument,
                      "plausibility", "2 outputs");
  CHECK_THROWS_SAYING(plausibility(weight, shared(Matrix::Ones(1, 3), 3)), std::invalid_argument,
                      "width 3");
  Explanation hidden = shared(Matrix(0, 2), 3);
  hidden.importance_by_output = Matrix::Ones(3, 4);
  hidden.project = [](Index, const MatrixRef& rows) -> Matrix { return rows; };
  CHECK_THROWS_SAYING(plausibility(weight, hidden), std::invalid_argument, "0 CAVs");
}

TEST_CASE("completeness: by hand") {
  const Matrix model = (Matrix(4, 2) << 1, 0, 1, 0, 0, 1, 0, 1).finished();
  CHECK(accuracy(model, {0, 0, 1, 0}) == 0.75);
  CHECK(completeness(model, Matrix::Zero(4, 2), {0, 0, 1, 1}).value ==
        0.0);  // ties: always class 0
  CHECK(completeness(model, -model, {0, 0, 1, 1}).value == -1.0);
  CHECK(completeness(model, model, {0, 0, 1, 1}).value == 1.0);
  CHECK(completeness(model, model, {0, 0, 1, 1}).caveat.empty());
  CHECK(completeness(model, -model, {1, 1, 0, 1}).value == -1.0);  // right three times of four
  CHECK(completeness(model, -model, {1, 1, 0, 1}).caveat.find("less often than chance") !=
        std::string::npos);
  CHECK_THROWS_SAYING(completeness(model, model, {0, 1, 0, 1}), std::domain_error, "chance, 0.5");
  CHECK_THROWS_SAYING(accuracy(model, {0}), std::invalid_argument, "accuracy", "1 labels for 4");
  CHECK_THROWS_SAYING(accuracy(model, {0, 0, 1, -1}), std::invalid_argument, "label -1");
  check_refuses_bad_pairs(
      [](const Matrix& y, const Matrix& s) {
        return completeness(y, s, IndexVector(static_cast<size_t>(y.rows()), 0));
      },
      "completeness");
}

std::map<std::string, Score> score_all(const Views& subject) {
  return score_group(subject, "sae_eval");
}

TEST_CASE("sae_eval: by hand") {
  HeadView head;
  head.activations = (Matrix(1, 2) << 2, 1).finished();
  head.weight = Matrix::Identity(2, 2);
  head.bias = Vector::Zero(2);
  const Explanation explanation = shared((Matrix(1, 2) << 1, 0).finished(), 2);
  Annotations annotations;
  annotations.labels = {1};
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  auto scores = score_all(subject);
  CHECK(scores["sae_reconstruction_error"].value == doctest::Approx(0.2));
  // Logits (2, 1) become (2, 0): the true class 1 goes from 1/(1 + e) to 1/(1 + e^2).
  CHECK(scores["sae_downstream_ce"].value ==
        doctest::Approx(std::log(1 + std::exp(2.0)) - std::log(1 + std::exp(1.0))));
  const double p = 1 / (1 + std::exp(-1.0)), q = 1 / (1 + std::exp(-2.0));
  CHECK(scores["sae_downstream_kl"].value ==
        doctest::Approx(p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))));
  CHECK(scores["plausibility"].value == doctest::Approx(0.5));
  // The model is wrong (accuracy 0); the surrogate (2, 2) ties and is wrong as well.
  CHECK(scores["completeness"].value == 1.0);

  annotations.labels = {2};
  CHECK_THROWS_SAYING(score_all(subject), std::invalid_argument, "label 2");
  subject.annotations = nullptr;
  CHECK(score_all(subject)["completeness"].message == "needs annotated labels");
  head.activations = Matrix::Zero(1, 2);
  CHECK(score_all(subject)["sae_reconstruction_error"].reason == "undefined");
  head.weight.setZero();
  CHECK(score_all(subject)["plausibility"].reason == "undefined");
  head.output = Output::kRegression;
  CHECK(score_all(subject)["sae_downstream_kl"].reason == "not_applicable");
}

TEST_CASE("sae_eval: of positions, by hand") {
  HeadView head;
  head.activations = (Matrix(2, 2) << 3, -1, -1, 5).finished();
  head.positions = 2;
  head.pooling = Pooling::kMean;
  head.weight = (Matrix(2, 2) << 2, 0, 0, 1).finished();
  head.bias = Vector::Zero(2);
  Explanation explanation = shared(Matrix::Identity(2, 2), 2);
  explanation.project = [](Index, const MatrixRef& rows) -> Matrix { return rows.cwiseMax(0.0); };
  Annotations annotations;
  annotations.labels = {1};
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  auto scores = score_all(subject);
  // The mean (1, 2) is rebuilt, the negative half of each position is not.
  CHECK(scores["sae_reconstruction_error"].value == 0.0);
  CHECK(scores["sae_reconstruction_error_spatial_mean"].value ==
        doctest::Approx((1.0 + 1.0) / (9.0 + 1.0 + 1.0 + 25.0)));
  CHECK(scores["sae_downstream_kl"].value == 0.0);
  // Logits (2, 2) become (3, 2.5), the means of what is above 0 being 1.5 and 2.5.
  const double q = 1 / (1 + std::exp(0.5));
  CHECK(scores["sae_downstream_kl_spatial_mean"].value ==
        doctest::Approx(0.5 * std::log(0.5 / q) + 0.5 * std::log(0.5 / (1 - q))));
  CHECK(scores["sae_downstream_ce_spatial_mean"].value == doctest::Approx(std::log(0.5 / q)));

  head.activations = Matrix::Zero(2, 2);
  CHECK(score_all(subject)["sae_reconstruction_error_spatial_mean"].reason == "undefined");
  head.pooling = Pooling::kFlatten;
  head.weight = Matrix::Ones(2, 4);
  auto flat = score_all(subject);
  CHECK(flat["sae_reconstruction_error_spatial_mean"].reason == "not_applicable");
  CHECK(flat["sae_downstream_kl_spatial_mean"].reason == "not_applicable");
  head.positions = 1;
  head.pooling = Pooling::kNone;
  head.activations = (Matrix(2, 2) << 3, -1, -1, 5).finished();
  head.weight = Matrix::Identity(2, 2);
  annotations.labels = {1, 0};
  auto single = score_all(subject);
  for (const std::string name :
       {"sae_reconstruction_error", "sae_downstream_kl", "sae_downstream_ce"})
    CHECK(single[name].value == single[name + "_spatial_mean"].value);
}

TEST_CASE("sae_eval: the ladder is blind to importances, but for completeness") {
  HeadView head = random_head(300, 1, 16, 8, Pooling::kNone);
  head.bias = -head.weight * head.activations.all().colwise().mean().transpose();
  Annotations annotations;
  const Matrix model = head.activations.all() * head.weight.transpose();
  for (Index i = 0; i < model.rows(); ++i) {
    Index best = 0;
    (model.row(i) + head.bias.transpose()).maxCoeff(&best);
    annotations.labels.push_back(best);
  }
  const auto scores_of = [&](const Explanation& explanation) {
    Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
    return score_all(subject);
  };
  auto perfect = scores_of(perfect_explanation(head));
  auto half = scores_of(half_random_explanation(head, sdk::Seed(4)));
  auto random = scores_of(random_explanation(head, sdk::Seed(4)));
  for (const char* name : {"sae_downstream_kl", "sae_downstream_ce"}) {
    CAPTURE(name);
    CHECK(perfect[name].value == half[name].value);
    CHECK(half[name].value < random[name].value);
  }
  CHECK(perfect["plausibility"].value == doctest::Approx(1.0));
  CHECK(perfect["plausibility"].value > random["plausibility"].value);
  CHECK(perfect["completeness"].value == 1.0);
  CHECK(perfect["completeness"].value > half["completeness"].value);
  CHECK(half["completeness"].value > random["completeness"].value);
}

TEST_CASE("random: streams differ, ranges hold") {
  Random a(1), b(1), other(1, 1);
  CHECK(a.uniform() == b.uniform());
  CHECK(a.uniform() != other.uniform());
  bool seen[3] = {};
  for (int i = 0; i < 200; ++i) seen[a.below(3)] = true;
  CHECK((seen[0] && seen[1] && seen[2]));
  CHECK(a.below(1) == 0);
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  a.shuffle(items);
  CHECK(items != std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(std::is_permutation(items.begin(), items.end(),
                            std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}.begin()));
}

}  // namespace

}  // namespace conoscope::tests
