// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `leakage` about interventions.

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "metrics/leakage/best_table_accuracy.h"
#include "metrics/leakage/intervention.h"
#include "metrics/leakage/s_int.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

Matrix sigmoid(const Matrix& logits) { return 1.0 / (1.0 + (-logits.array()).exp()); }

InterventionProblem problem_of(const Case& one, const std::string& kind) {
  const Matrix latent = one.input("latent").matrix(), weight = one.input("W").matrix();
  const Vector bias = one.input("b").vector();
  InterventionProblem out;
  out.scores = kind == "logit" ? latent : sigmoid(latent);
  out.truth = one.input("c").matrix();
  out.active = kind == "logit" ? one.input("active").vector() : Vector(Vector::Ones(latent.cols()));
  out.inactive =
      kind == "logit" ? one.input("inactive").vector() : Vector(Vector::Zero(latent.cols()));
  out.labels = one.has_input("y") ? one.input("y").indices()
                                  : IndexVector(static_cast<size_t>(latent.rows()), 0);
  out.head = [weight, bias, hard = kind == "hard"](const MatrixRef& scores, const MatrixRef&) {
    const Matrix read = hard ? Matrix((scores.array() > 0.5).cast<double>()) : Matrix(scores);
    Matrix logits = read * weight.transpose();
    logits.rowwise() += bias.transpose();
    return logits;
  };
  return out;
}

Outputs curve_case(const Case& one) {
  const std::string kind = one.params().at("kind");
  if (kind != "soft" && kind != "logit" && kind != "hard")
    throw std::runtime_error("another kind: " + kind);
  const InterventionProblem problem = problem_of(one, kind);
  const InterventionCurve curve =
      intervention_curve(problem, one.input("order").matrix().cast<Index>());
  Outputs out;
  std::vector<double>& predictions = out.arrays["predictions"];
  for (const IndexVector& step : curve.predictions)
    predictions.insert(predictions.end(), step.begin(), step.end());
  out.arrays["accuracy"] = curve.accuracy;
  out.scalars = {{"S_int", s_int(one.params().at("y_acc_reference"), curve)}};
  return out;
}

Outputs coop_case(const Case& one) {
  if (one.params().at("eps") != 1e-8) throw std::runtime_error("another eps");
  const InterventionProblem problem = problem_of(one, one.has_input("active") ? "logit" : "soft");
  const InterventionOrder order =
      coop_order(problem, sigmoid(one.input("latent").matrix()),
                 {.entropy_weight = one.params().at("concept_entropy_weight"),
                  .importance_weight = one.params().at("importance_weight")});
  Outputs out;
  out.arrays["order"] = {order.data(), order.data() + order.size()};
  return out;
}

Outputs values_case(const Case& one) {
  const InterventionValues found = intervention_values(one.input("train_logits").matrix());
  Outputs out;
  out.arrays = {{"active", {found.active.begin(), found.active.end()}},
                {"inactive", {found.inactive.begin(), found.inactive.end()}}};
  return out;
}

// Rows of concepts that the head is shown, the label, and the row's probability.
class Table {
 public:
  void add(std::vector<bool> shown, Index label, double probability) {
    shown_.push_back(std::move(shown));
    labels_.push_back(label);
    weights_.push_back(probability);
  }
  double best() const {
    const auto n = static_cast<Index>(shown_.size());
    Matrix rows(n, static_cast<Index>(shown_[0].size()));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < rows.cols(); ++j)
        rows(i, j) = shown_[static_cast<size_t>(i)][static_cast<size_t>(j)];
    return best_table_accuracy(rows, labels_, Eigen::Map<const Vector>(weights_.data(), n)).value;
  }

 private:
  std::vector<std::vector<bool>> shown_;
  IndexVector labels_;
  std::vector<double> weights_;
};

Outputs reference_case(const Case& one) {
  // Orthants of three normals with one correlation: 1/8 + 3 asin(delta) / 4 pi where all signs
  // agree, 1/8 - asin(delta) / 4 pi elsewhere.
  const double tilt = std::asin(one.params().at("delta").get<double>()) / (4.0 * std::numbers::pi);
  Table toy;
  for (int bits = 0; bits < 8; ++bits) {
    const bool c1 = bits & 1, c2 = bits & 2, c3 = bits & 4;
    toy.add({c1, c2}, c1 + c2 + c3 >= 2, c1 == c2 && c2 == c3 ? 0.125 + 3.0 * tilt : 0.125 - tilt);
  }
  Table sprites;  // shape 3, scale 3, rotation 10, x 16, y 16
  for (int s = 0; s < 3; ++s)
    for (int z = 0; z < 3; ++z)
      for (int r = 0; r < 10; ++r)
        for (int x = 0; x < 16; ++x)
          for (int y = 0; y < 16; ++y) {
            const int c1 = s < 2, c2 = z < 3 / 2, c3 = r < 5, c4 = x < 8, c5 = y < 8;
            sprites.add({c1 == 1, c2 == 1, c3 == 1},
                        (1 - c1) * (2 * c4 + c5 + 4) + c1 * (2 * c2 + c3), 1.0);
          }
  Table shapes;  // floor 5, wall 5, object 5, scale 8, shape 4, orientation 4 of 0, 4, 8, 12
  for (int f = 0; f < 10; f += 2)
    for (int w = 0; w < 10; w += 2)
      for (int o = 0; o < 10; o += 2)
        for (int z = 0; z < 8; ++z)
          for (int s = 0; s < 4; ++s)
            for (int r = 0; r < 15; r += 4) {
              const int c1 = f < 5, c2 = w < 5, c3 = o < 5, c4 = z < 4, c5 = s < 2, c6 = r < 7;
              shapes.add({c1 == 1, c2 == 1, c4 == 1, c5 == 1},
                         (1 - c5) * (2 * c1 + c2) + c5 * (4 * c3 + 2 * c4 + c6 + 4), 1.0);
            }
  Outputs out;
  out.scalars = {{"tabulartoy_without_c3", toy.best()},
                 {"dsprites0_without_c4_c5", sprites.best()},
                 {"shapes3d0_without_c3_c6", shapes.best()}};
  return out;
}

}  // namespace

void register_leakage_intervention(Kinds& kinds) {
  kinds.add("intervention_curve", curve_case);
  kinds.add("coop_policy", coop_case);
  kinds.add("intervention_values", values_case);
  kinds.add("reference_accuracy_analytic", reference_case);
}

}  // namespace conoscope::tests::golden
