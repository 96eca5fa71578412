// SPDX-License-Identifier: Apache-2.0
// Post-hoc concept bottleneck models (Yuksekgonul, Wang & Zou, ICLR 2023): a trained network's last layer
// becomes a bottleneck.
//
//   h -> distances s from each concept's plane -> sparse linear head -> task
//
// planes  a linear support vector machine for each annotated concept, on as many rows with it as without
// head    logistic regression with an elastic net
// hybrid  + a linear residual of h, trained alone after them: PCBM-h

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"
#include "numerics/adam.h"
#include "numerics/logistic_regression.h"
#include "plugins/models/common/task/task.h"
#include "plugins/models/posthoc_cbm/hinge_svm.h"
#include "plugins/models/posthoc_cbm/posthoc.h"
#include "plugins/models/posthoc_cbm/sparse_head.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;
using conoscope::numerics::Index;
using conoscope::numerics::IndexVector;
using conoscope::numerics::Matrix;
using conoscope::numerics::Vector;

// What an intervention writes, percentiles over the training split; the authors' code has none.
constexpr double kInactive = 0.05, kActive = 0.95;

constexpr auto kParameters = sdk::parameters(
    sdk::real("svm_cost", 0.1)
        .between(1e-6, 1e6)
        .help("C of the support vector machines; published: 0.01 and 0.1 are tried"),
    sdk::integer("svm_rows", 500)
        .between(1, 5000)
        .help("rows with and without a concept, at most, that its machine is fitted to; published: "
              "50"),
    sdk::real("penalty", 1e-5).between(0.0, 1e3).help("alpha of the head's elastic net"),
    sdk::real("l1_share", 0.99)
        .between(0.0, 1.0)
        .help("of the elastic net, the share of the absolute values"),
    sdk::text("head_loss", "softmax")
        .choices({"softmax", "one_vs_rest"})
        .help("of classes: one softmax, or each class against the others, as published"),
    sdk::integer("head_steps", 5000).between(1, 1000000).help("of the head's solver, at most"),
    sdk::boolean("hybrid", false).help("PCBM-h: add a linear residual of the activations"),
    sdk::integer("residual_epochs", 20)
        .between(1, 100000)
        .help("of hybrid: passes over the training split"),
    sdk::real("residual_rate", 0.01).between(1e-8, 10.0).help("of hybrid: Adam's rate"),
    sdk::real("residual_penalty", 0.001)
        .between(0.0, 1e6)
        .help("of hybrid: times the mean square of the residual's weights"),
    sdk::integer("residual_batch", 64).between(1, 65536).help("of hybrid: rows per step"));

Matrix rows_at(const Matrix& all, std::span<const std::int64_t> rows) {
  Matrix out(static_cast<Index>(rows.size()), all.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = all.row(rows[static_cast<std::size_t>(i)]);
  return out;
}

/// A quantile between order statistics, linear.
double quantile(Vector values, double at) {
  std::ranges::sort(values);
  const double place = at * static_cast<double>(values.size() - 1);
  const auto below = static_cast<Index>(place);
  const Index above = std::min(below + 1, values.size() - 1);
  return values(below) + (place - static_cast<double>(below)) * (values(above) - values(below));
}

void write(sdk::Sink& out, const std::string& name, const Matrix& values,
           const std::vector<std::int64_t>& shape) {
  sdk::as_matrix(out.create<double>(name, shape), values.rows(), values.cols()) = values;
}

class PosthocCbm final : public sdk::Model, public sdk::Intervene {
 public:
  explicit PosthocCbm(const sdk::ParamsOf<kParameters>& params)
      : cost_(params.real("svm_cost")),
        rows_(params.integer("svm_rows")),
        hybrid_(params.boolean("hybrid")),
        epochs_(params.integer("residual_epochs")),
        batch_(params.integer("residual_batch")),
        rate_(params.real("residual_rate")),
        residual_penalty_(params.real("residual_penalty")) {
    head_.one_vs_rest = params.text("head_loss") == "one_vs_rest";
    head_.penalty = params.real("penalty");
    head_.l1_share = params.real("l1_share");
    head_.steps = params.integer("head_steps");
  }

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    const Matrix h = read_activations(dataset);
    const std::int64_t samples = h.rows();
    const auto train = row_index(dataset, "train_index", samples);
    const auto test = row_index(dataset, "test_index", samples);
    const TaskAnswers task = read_answers(dataset, samples);
    if (task.task == Task::kRegression)
      throw sdk::NotApplicable(
          "posthoc_cbm: its head is a logistic regression, and the task is a regression");
    SparseHeadOptions head_options = head_;
    if (task.task == Task::kAttributes) head_options.one_vs_rest = true;
    const Matrix concepts = read_concepts(dataset, samples), targets = targets_of(task, samples);
    const std::int64_t k = concepts.cols();

    Matrix directions(k, h.cols());
    Vector intercepts(k);
    for (Index j = 0; j < k; ++j) {
      context.check_cancelled();
      context.progress(0.5 * static_cast<double>(j) / static_cast<double>(k));
      const HingeSvm plane = fit_plane(h, concepts.col(j), j, train, context.seed());
      directions.row(j) = plane.weight.transpose();
      intercepts(j) = plane.intercept;
    }
    const Matrix scores = plane_distances(h, directions, intercepts);
    const Matrix known = rows_at(scores, train), wanted = rows_at(targets, train);
    const SparseHead head = sparse_head(known, wanted, head_options);
    const SparseHead reference = sparse_head(rows_at(concepts, train), wanted, head_options);
    context.progress(0.75);
    Matrix outputs = head.answer(scores);
    if (hybrid_) {
      const Residual residual = fit_residual(rows_at(h, train), rows_at(outputs, train), wanted,
                                             head_options.one_vs_rest, context);
      outputs += SparseHead{residual.weight, residual.bias}.answer(h);
      write(out, "residual_weight", residual.weight, {outputs.cols(), h.cols()});
      write(out, "residual_bias", residual.bias, {outputs.cols()});
    }

    Matrix p(samples, k), active(samples, k), inactive(samples, k);
    for (Index j = 0; j < k; ++j) {
      p.col(j) = calibrated(scores.col(j), known.col(j), rows_at(concepts, train).col(j));
      active.col(j).setConstant(quantile(known.col(j), kActive));
      inactive.col(j).setConstant(quantile(known.col(j), kInactive));
    }
    report(task, outputs, p, concepts, test, context, out);
    write(out, "concept_scores", scores, {samples, k, 1});
    write(out, "concept_probabilities", p, {samples, k});
    write(out, "concept_active", active, {samples, k, 1});
    write(out, "concept_inactive", inactive, {samples, k, 1});
    write(out, "task_outputs", outputs, {samples, outputs.cols()});
    write(out, "reference_outputs", reference.answer(concepts), {samples, outputs.cols()});
    write(out, "directions", directions, {k, h.cols()});
    write(out, "intercepts", intercepts, {k});
    write(out, "weight", head.weight, {outputs.cols(), k});
    write(out, "bias", head.bias, {outputs.cols()});
    context.progress(1.0);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    if (hybrid_)
      throw sdk::NotApplicable(
          "posthoc_cbm: with hybrid = true the answer also depends on the activations, which no "
          "intervention brings");
    const Matrix edited = sdk::to_matrix(concepts);
    const SparseHead head{sdk::to_matrix(model.get("weight")),
                          sdk::to_matrix(model.get("bias")).col(0)};
    if (concepts.dimensions() != 3 || edited.cols() != head.weight.cols())
      throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected m x " +
                                  std::to_string(head.weight.cols()) + " x 1");
    sdk::as_matrix(outputs, edited.rows(), head.weight.rows()) = head.answer(edited);
  }

 private:
  static Matrix read_activations(const sdk::Arrays& dataset) {
    const sdk::Tensor activations = dataset.get("activations");
    const int axes = activations.dimensions();
    if (axes < 2 || axes > 4 || activations.size() == 0)
      throw std::invalid_argument("activations: " + activations.shape_text() +
                                  ", expected n x D, n x P x D or n x height x width x D");
    if (dataset.text("pooling", "mean") == "flatten") return sdk::to_matrix(activations);
    const std::int64_t width = activations.shape(axes - 1);
    const std::int64_t positions = activations.size() / activations.rows() / width;
    Matrix h = Matrix::Zero(activations.rows(), width);
    activations.for_each([&](std::int64_t i, double value) {
      if (!std::isfinite(value))
        throw std::invalid_argument("activations: entry " + std::to_string(i) + " of " +
                                    activations.shape_text() + " is not finite");
      h(i / (positions * width), i % width) += value / static_cast<double>(positions);
    });
    return h;
  }

  static Matrix read_concepts(const sdk::Arrays& dataset, std::int64_t samples) {
    const sdk::Tensor concepts = dataset.get("concepts");
    check_rows(concepts, samples);
    if (concepts.dimensions() != 2 || concepts.shape(1) == 0)
      throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected n x k");
    const Matrix read = sdk::to_matrix(concepts);
    for (Index i = 0; i < read.size(); ++i)
      if (read.data()[i] != 0.0 && read.data()[i] != 1.0)
        throw sdk::NotApplicable("concepts: entry " + std::to_string(i) + " of " +
                                 concepts.shape_text() +
                                 " is neither 0 nor 1, as this model needs them");
    return read;
  }

  static Matrix targets_of(const TaskAnswers& task, std::int64_t samples) {
    Matrix out = Matrix::Zero(samples, task.outputs);
    for (Index i = 0; i < samples; ++i)
      for (Index c = 0; c < task.outputs; ++c)
        out(i, c) = task.task == Task::kClassification
                        ? task.classes[static_cast<std::size_t>(i)] == c
                        : task.targets[static_cast<std::size_t>(i * task.outputs + c)];
    return out;
  }

  /// Of rows drawn for this concept, as many with it as without where there are.
  HingeSvm fit_plane(const Matrix& h, const Vector& there, Index j,
                     std::span<const std::int64_t> train, sdk::Seed seed) const {
    sdk::Random random(seed.child("concept " + std::to_string(j)));
    std::vector<std::int64_t> taken;
    for (const double side : {1.0, 0.0}) {
      std::vector<std::int64_t> rows;
      for (const std::int64_t i : train)
        if (there(i) == side) rows.push_back(i);
      if (rows.empty())
        throw std::domain_error("concepts: concept " + std::to_string(j) + " is " +
                                std::to_string(static_cast<int>(1 - side)) +
                                " in every training row, so no plane tells it apart");
      const auto count = std::min<std::size_t>(rows.size(), static_cast<std::size_t>(rows_));
      for (std::size_t i = 0; i < count; ++i)
        std::swap(rows[i], rows[i + static_cast<std::size_t>(random.below(rows.size() - i))]);
      rows.resize(count);
      std::ranges::sort(rows);
      taken.insert(taken.end(), rows.begin(), rows.end());
    }
    IndexVector sides;
    for (const std::int64_t i : taken) sides.push_back(there(i) == 1.0);
    return hinge_svm(rows_at(h, taken), sides, cost_);
  }

  Residual fit_residual(const Matrix& h, const Matrix& logits, const Matrix& targets,
                        bool one_vs_rest, const sdk::Context& context) const {
    Residual residual{Matrix::Zero(targets.cols(), h.cols()), Vector::Zero(targets.cols())};
    Residual gradient;
    conoscope::numerics::Adam<double> weight(residual.weight.size()), bias(residual.bias.size());
    std::vector<std::int64_t> order(static_cast<std::size_t>(h.rows()));
    std::iota(order.begin(), order.end(), 0);
    sdk::Random random(context.seed().child("residual"));
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
      context.check_cancelled();
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
      for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(batch_)) {
        const auto count = std::min(static_cast<std::size_t>(batch_), order.size() - first);
        const std::span<const std::int64_t> rows(order.data() + first, count);
        residual_loss(rows_at(h, rows), rows_at(logits, rows), rows_at(targets, rows), one_vs_rest,
                      residual_penalty_, residual, &gradient);
        weight.step(residual.weight.data(), gradient.weight.data(), rate_);
        bias.step(residual.bias.data(), gradient.bias.data(), rate_);
      }
    }
    return residual;
  }

  /// A distance is no probability: presence is regressed on it over the training rows (Platt 1999).
  static Vector calibrated(const Vector& scores, const Vector& known, const Vector& there) {
    IndexVector labels;
    for (const double one : there) labels.push_back(one == 1.0);
    const auto found = conoscope::numerics::logistic_regression(known, labels, 2);
    return (1.0 + (-(found.weight(0, 0) * scores.array() + found.intercept(0))).exp()).inverse();
  }

  static void report(const TaskAnswers& task, const Matrix& outputs, const Matrix& p,
                     const Matrix& concepts, std::span<const std::int64_t> test,
                     const sdk::Context& context, sdk::Sink& out) {
    const Matrix of_test = rows_at(outputs, test);
    report_score("posthoc_cbm", task.score_name(),
                 task.score({of_test.data(), static_cast<std::size_t>(of_test.size())}, test),
                 context, out);
    const Matrix found = rows_at(p, test), truth = rows_at(concepts, test);
    const double right = ((found.array() > 0.5) == (truth.array() > 0.5)).cast<double>().mean();
    report_score("posthoc_cbm", "test_concept_accuracy", right, context, out);
  }

  double cost_;
  std::int64_t rows_;
  SparseHeadOptions head_;
  bool hybrid_;
  std::int64_t epochs_, batch_;
  double rate_, residual_penalty_;
};

}  // namespace

CONOSCOPE_MODEL(PosthocCbm, "posthoc_cbm", "1.0.0", R"(
summary = "post-hoc concept bottleneck: distances from a plane for each annotated concept, and a sparse linear head"
licence = "Apache-2.0"
citation = "Yuksekgonul, Wang & Zou, Post-hoc Concept Bottleneck Models, ICLR 2023"
needs = ["head_view", "concepts"]
offers = ["concept_view"]
seeded = true
)",
                kParameters)
