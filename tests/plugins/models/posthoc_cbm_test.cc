// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "conoscope/sdk/random.h"
#include "plugins/models/posthoc_cbm/hinge_svm.h"
#include "plugins/models/posthoc_cbm/posthoc.h"
#include "plugins/models/posthoc_cbm/sparse_head.h"
#include "tests/support/plugin_driver.h"

using namespace conoscope::testing;
using namespace conoscope::models;
using conoscope::numerics::Index;
using conoscope::numerics::IndexVector;
using conoscope::numerics::Matrix;
using conoscope::numerics::Vector;
namespace sdk = conoscope::sdk;

namespace {

Matrix normal_rows(Index n, Index d, std::uint64_t seed) {
  sdk::Random random{sdk::Seed(seed)};
  Matrix out(n, d);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

double hinge_objective(const Matrix& x, const IndexVector& there, double cost, const Vector& w,
                       double b) {
  double out = 0.5 * w.squaredNorm();
  for (Index i = 0; i < x.rows(); ++i) {
    const double y = there[static_cast<std::size_t>(i)] == 1 ? 1.0 : -1.0;
    out += cost * std::max(0.0, 1.0 - y * (x.row(i).dot(w) + b));
  }
  return out;
}

/// Activations n x 6: two concepts along the first two axes, and a class that is their exclusive or ...
/// of which a linear head sees nothing, unless `both`: then it is their conjunction.
Bundle planes(std::int64_t samples, bool both = true) {
  const Matrix h = normal_rows(samples, 6, 3);
  std::vector<double> activations(h.data(), h.data() + h.size()), concepts;
  std::vector<std::int64_t> labels, train, test;
  for (Index i = 0; i < samples; ++i) {
    const bool a = h(i, 0) > 0.3, b = h(i, 1) + h(i, 2) > 0.0;
    concepts.insert(concepts.end(), {a ? 1.0 : 0.0, b ? 1.0 : 0.0});
    labels.push_back(both ? a && b : a != b);
    (i < samples / 4 ? test : train).push_back(i);
  }
  Bundle data;
  data.arrays["activations"] = OwnedArray::of<double>({samples, 6}, activations);
  data.arrays["head_weight"] = OwnedArray::of<double>({2, 6}, std::vector<double>(12, 0.0));
  data.arrays["head_bias"] = OwnedArray::of<double>({2}, {0.0, 0.0});
  data.arrays["concepts"] = OwnedArray::of<double>({samples, 2}, concepts);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({samples}, labels);
  put_split(data, train, test);
  data.texts["task"] = "classification";
  return data;
}

double score_of(const Outcome& outcome, const std::string& name) {
  REQUIRE(outcome.error == "");
  return std::stod(outcome.out.texts.at(name));
}

}  // namespace

TEST_CASE("hinge_svm: two rows have the plane between them, as far as the cost allows") {
  Matrix x(2, 2);
  x << 1, 0, 3, 0;  // the margin of |w| = 1 reaches both
  const HingeSvm free = hinge_svm(x, {0, 1}, 100.0);
  CHECK(free.weight(0) == doctest::Approx(1.0));
  CHECK(free.weight(1) == doctest::Approx(0.0));
  CHECK(free.intercept == doctest::Approx(-2.0));
  // alpha = C on both sides: w = C (x_1 - x_0).
  const HingeSvm bound = hinge_svm(x, {0, 1}, 0.1);
  CHECK(bound.weight(0) == doctest::Approx(0.2));
}

TEST_CASE("hinge_svm: nothing nearby has a lower objective, and mirrored rows mirror it") {
  const Matrix x = normal_rows(60, 4, 1);
  IndexVector there, other;
  for (Index i = 0; i < 60; ++i) {
    there.push_back(x(i, 0) + 0.8 * x(i, 3) * x(i, 1) > 0.2);
    other.push_back(1 - there.back());
  }
  for (const double cost : {0.01, 1.0}) {
    const HingeSvm found = hinge_svm(x, there, cost);
    const double least = hinge_objective(x, there, cost, found.weight, found.intercept);
    const Matrix moves = 1e-3 * normal_rows(200, 5, 2);
    for (const auto move : moves.rowwise())
      CHECK(hinge_objective(x, there, cost, found.weight + move.head(4).transpose(),
                            found.intercept + move(4)) > least - 1e-7);
    const HingeSvm mirrored = hinge_svm(x, other, cost);
    CHECK((mirrored.weight + found.weight).norm() < 1e-4);
  }
}

TEST_CASE("hinge_svm: what it refuses") {
  const Matrix x = normal_rows(3, 2, 1);
  CHECK_THROWS_WITH_AS(hinge_svm(x, {1, 1, 1}, 1.0), doctest::Contains("every entry is 1"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(hinge_svm(x, {0, 1, 1}, 0.0), doctest::Contains("cost is 0"),
                       std::invalid_argument);
  CHECK_THROWS_AS(hinge_svm(x, {0, 1}, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(hinge_svm(Matrix(0, 2), {}, 1.0), std::invalid_argument);
}

TEST_CASE("sparse_head: its own optimality conditions hold, and a larger penalty empties it") {
  const Matrix scores = normal_rows(200, 5, 4);
  Matrix targets = Matrix::Zero(200, 3);
  sdk::Random random{sdk::Seed(9)};
  for (Index i = 0; i < 200; ++i) {
    const double noisy = scores(i, 0) + 0.7 * random.normal();
    targets(i, noisy < -0.5 ? 0 : noisy < 0.5 ? 1 : 2) = 1.0;
  }
  for (const bool one_vs_rest : {false, true}) {
    SparseHeadOptions options{one_vs_rest, 0.02, 0.9, 20000};
    const SparseHead head = sparse_head(scores, targets, options);
    Residual gradient;
    residual_loss(scores, Matrix::Zero(200, 3), targets, one_vs_rest, 0.0, {head.weight, head.bias},
                  &gradient);
    CHECK(gradient.bias.cwiseAbs().maxCoeff() < 1e-5);
    int zeros = 0;
    for (Index i = 0; i < head.weight.size(); ++i) {
      const double w = head.weight.data()[i], g = gradient.weight.data()[i] + 0.002 * w;
      if (w == 0.0) {
        ++zeros;
        CHECK(std::abs(g) <= 0.018 + 1e-5);
      } else {
        CHECK(g == doctest::Approx(w > 0 ? -0.018 : 0.018).epsilon(1e-3));
      }
    }
    CHECK(zeros > 3);
    CHECK(zeros < 15);
    options.penalty = 10.0;
    CHECK(sparse_head(scores, targets, options).weight.isZero(0.0));
  }
  CHECK_THROWS_WITH_AS(sparse_head(scores, targets, {false, -1.0, 0.5, 10}),
                       doctest::Contains("penalty"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(sparse_head(scores, targets, {false, 1.0, 1.5, 10}),
                       doctest::Contains("l1_share is 1.5"), std::invalid_argument);
  CHECK_THROWS_AS(sparse_head(scores, targets.topRows(5), {}), std::invalid_argument);
}

TEST_CASE("residual_loss: its gradient is that of its differences") {
  const Matrix h = normal_rows(12, 4, 5), logits = normal_rows(12, 3, 6);
  Matrix targets = Matrix::Zero(12, 3);
  for (Index i = 0; i < 12; ++i) targets(i, i % 3) = 1.0;
  for (const bool one_vs_rest : {false, true}) {
    const Residual at{0.3 * normal_rows(3, 4, 7), Vector::Ones(3)};
    Residual gradient;
    residual_loss(h, logits, targets, one_vs_rest, 0.4, at, &gradient);
    for (Index e = 0; e < 12; ++e) {
      Residual up = at, down = at;
      up.weight.data()[e] += 1e-5;
      down.weight.data()[e] -= 1e-5;
      const double slope = (residual_loss(h, logits, targets, one_vs_rest, 0.4, up) -
                            residual_loss(h, logits, targets, one_vs_rest, 0.4, down)) /
                           2e-5;
      CHECK(gradient.weight.data()[e] == doctest::Approx(slope).epsilon(1e-6));
    }
  }
}

TEST_CASE("plane_distances: a row on the plane has 0, one step off it 1") {
  Matrix h(2, 2), v(1, 2);
  h << 0.5, 7, 1.5, 7;
  v << 4, 0;
  const Vector b = Vector::Constant(1, -2.0);
  CHECK(plane_distances(h, v, b)(0, 0) == doctest::Approx(0.0));
  CHECK(plane_distances(h, v, b)(1, 0) == doctest::Approx(1.0));
  v.setZero();
  CHECK_THROWS_WITH_AS(plane_distances(h, v, b), doctest::Contains("direction 0 is 0"),
                       std::domain_error);
  CHECK_THROWS_AS(plane_distances(h, Matrix::Ones(1, 3), b), std::invalid_argument);
}

TEST_CASE("posthoc_cbm: finds the planes, answers from them, and is told better") {
  const Plugin model = plugin("posthoc_cbm");
  const Bundle data = planes(400);
  const Outcome fitted = model.fit_model({}, data);
  CHECK(score_of(fitted, "test_concept_accuracy") > 0.95);
  CHECK(score_of(fitted, "test_accuracy") > 0.9);
  const auto directions = fitted.out.values<double>("directions");
  CHECK(directions[0] > 5 * std::abs(directions[1]));
  CHECK(fitted.out.shape("concept_scores") == std::vector<std::int64_t>{400, 2, 1});
  for (const double p : fitted.out.values<double>("concept_probabilities")) {
    CHECK(p >= 0.0);
    CHECK(p <= 1.0);
  }
  // Of its own concepts it says what it said.
  const Outcome again = model.intervene({}, fitted.out, fitted.out.arrays.at("concept_scores"));
  REQUIRE(again.error == "");
  CHECK((again.out.arrays.at("outputs") == fitted.out.arrays.at("task_outputs")));
  // The same bits again, and other rows for the machines under another seed.
  CHECK((model.fit_model({}, data).out == fitted.out));
  Host other;
  other.seed = 1;
  CHECK_FALSE((model.fit_model({{"svm_rows", 20}}, data, other).out ==
               model.fit_model({{"svm_rows", 20}}, data).out));
}

TEST_CASE("posthoc_cbm: positions are averaged, flattened ones are features of their own") {
  Bundle data = planes(200);
  const Outcome plain = plugin("posthoc_cbm").fit_model({}, data);
  Bundle twice = data;
  std::vector<double> doubled;
  const auto rows = data.values<double>("activations");
  for (std::size_t i = 0; i < 200; ++i)
    for (const double scale : {0.0, 2.0})
      for (std::size_t d = 0; d < 6; ++d) doubled.push_back(scale * rows[i * 6 + d]);
  twice.arrays["activations"] = OwnedArray::of<double>({200, 2, 6}, doubled);
  const Outcome pooled = plugin("posthoc_cbm").fit_model({}, twice);
  REQUIRE(pooled.error == "");
  CHECK((pooled.out.arrays.at("task_outputs") == plain.out.arrays.at("task_outputs")));
  twice.texts["pooling"] = "flatten";
  const Outcome flat = plugin("posthoc_cbm").fit_model({}, twice);
  REQUIRE(flat.error == "");
  CHECK(flat.out.shape("directions") == std::vector<std::int64_t>{2, 12});
}

TEST_CASE("posthoc_cbm-h: the residual sees what the concepts do not say") {
  Bundle data = planes(600, false);
  // A class along an axis that no concept has.
  std::vector<std::int64_t> labels;
  const auto rows = data.values<double>("activations");
  for (std::size_t i = 0; i < 600; ++i) labels.push_back(rows[i * 6 + 5] > 0.0);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({600}, labels);
  const Plugin model = plugin("posthoc_cbm");
  CHECK(score_of(model.fit_model({}, data), "test_accuracy") < 0.65);
  const Arguments hybrid = {{"hybrid", true}};
  const Outcome with = model.fit_model(hybrid, data);
  CHECK(score_of(with, "test_accuracy") > 0.9);
  const Outcome told = model.intervene(hybrid, with.out, with.out.arrays.at("concept_scores"));
  CHECK(told.status == CONO_NOT_APPLICABLE);
  CHECK(told.error.find("the answer also depends on the activations") != std::string::npos);
}

TEST_CASE("posthoc_cbm: what it refuses") {
  const Plugin model = plugin("posthoc_cbm");
  const auto refusal = [&](const Bundle& data) {
    const Outcome outcome = model.fit_model({}, data);
    return std::to_string(outcome.status) + ' ' + outcome.error;
  };
  Bundle data = planes(40);
  data.arrays["concepts"] = OwnedArray::of<double>({40, 1}, std::vector<double>(40, 1.0));
  CHECK(refusal(data) ==
        std::to_string(CONO_UNDEFINED) +
            " concepts: concept 0 is 1 in every training row, so no plane tells it apart");
  data.arrays["concepts"] = OwnedArray::of<double>({40, 1}, std::vector<double>(40, 0.5));
  CHECK(refusal(data).starts_with(std::to_string(CONO_NOT_APPLICABLE) + " concepts: entry 0"));
  data = planes(40);
  data.arrays["activations"].shape = {240};
  CHECK(refusal(data).find("activations: 240, expected n x D") != std::string::npos);
  data = planes(40);
  data.texts["task"] = "regression";
  data.arrays["targets"] = OwnedArray::of<double>({40, 1}, std::vector<double>(40, 0.5));
  CHECK(refusal(data).find("the task is a regression") != std::string::npos);
}
