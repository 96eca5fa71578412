// SPDX-License-Identifier: Apache-2.0
// A concept view that is perfect by construction, or spoilt by a known amount: what a metric of
// concept views should put in order.
//
//   perfect       c_hat_j in [0.95, 1) where concept j is there, in [0, 0.05) where it is not, and
//                 anywhere in it: says all of its own concept and nothing else
//   shuffled      a share of the samples exchange their values, each concept by itself: less is
//                 said of the own concept, and nothing of others
//   mixed         for a share of the samples the place inside the interval spells all other
//                 concepts: nothing is lost, but more is said than should be
//
// The intervals are those of the hand-made representations of Espinosa Zarlenga et al., AAAI 2023.
// The task head is linear, fitted by least squares to c_hat of the training split, as a sequential
// bottleneck's would be: what it learnt to rely on is what interventions then meet. The reference
// head is fitted in the same way to the annotated concepts.

#include <Eigen/QR>
#include <algorithm>
#include <span>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"
#include "datasets/soft_concepts/representation.h"
#include "plugins/models/ladder/ladder.h"

namespace {

namespace sdk = conoscope::sdk;
using conoscope::datasets::concept_interval;
using conoscope::models::drawn_rows;
using conoscope::models::shuffled_column;
using sdk::Matrix;

struct Truth {
  std::int64_t samples = 0;
  std::size_t concepts = 0;
  std::vector<std::int64_t> values;  ///< 0 or 1, row-major

  explicit Truth(const sdk::Tensor& array) {
    if (array.dimensions() != 2 || array.shape(1) < 2)
      throw sdk::NotApplicable("concepts: " + array.shape_text() + ", expected n x k with k >= 2");
    if (array.rows() < 1)
      throw std::invalid_argument("concepts: " + array.shape_text() + ", there is no sample");
    samples = array.rows();
    concepts = static_cast<std::size_t>(array.shape(1));
    values.resize(static_cast<std::size_t>(array.size()));
    array.for_each([this, &array](std::int64_t i, double value) {
      if (value != 0.0 && value != 1.0)
        throw sdk::NotApplicable("concepts: entry " + std::to_string(i) + " of " +
                                 array.shape_text() + " is neither 0 nor 1");
      values[static_cast<std::size_t>(i)] = value != 0.0 ? 1 : 0;
    });
  }
  std::span<const std::int64_t> row(std::size_t i) const {
    return std::span(values).subspan(i * concepts, concepts);
  }
  Matrix matrix() const {
    Matrix out(samples, static_cast<Eigen::Index>(concepts));
    std::ranges::copy(values, out.data());
    return out;
  }
};

/// Rows (1, c) -> outputs, by least squares on one-hot labels (the minimum-norm solution).
Matrix linear_head(const Matrix& features, const std::vector<std::int64_t>& labels,
                   std::span<const std::int64_t> train, std::int64_t outputs) {
  Matrix rows(train.size(), features.cols()), wanted = Matrix::Zero(rows.rows(), outputs);
  for (std::size_t i = 0; i < train.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    rows.row(at) = features.row(train[i]);
    wanted(at, labels[static_cast<std::size_t>(train[i])]) = 1.0;
  }
  return (rows.transpose() * rows)
      .completeOrthogonalDecomposition()
      .solve(rows.transpose() * wanted);
}

Matrix with_constant(const Matrix& concepts) {
  Matrix out(concepts.rows(), concepts.cols() + 1);
  out << Eigen::VectorXd::Ones(concepts.rows()), concepts;
  return out;
}

constexpr auto kParameters =
    sdk::parameters(sdk::text("step", "perfect")
                        .choices({"perfect", "half", "random"})
                        .help("the share of the samples that is degraded: none, half, all"),
                    sdk::text("disturbance", "shuffled")
                        .choices({"shuffled", "mixed"})
                        .help("shuffled: samples exchange their values, so less is known; mixed: "
                              "values encode other concepts too, which they should not"),
                    sdk::integer("width", 1)
                        .between(1, 1024)
                        .help("how many numbers stand for one concept; more than 1: embeddings"));

class LadderConcepts final : public sdk::Model, public sdk::Intervene {
 public:
  explicit LadderConcepts(const sdk::ParamsOf<kParameters>& params)
      : share_(conoscope::models::spoilt_share(params.text("step"))),
        mixed_(params.text("disturbance") == "mixed"),
        width_(params.integer("width")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    const Truth truth(dataset.get("concepts"));
    const auto n = static_cast<std::size_t>(truth.samples);
    const auto k = static_cast<Eigen::Index>(truth.concepts);
    Matrix scores(truth.samples, k * width_);
    place(truth, context.seed(), scores);
    Matrix probabilities(truth.samples, k);
    for (Eigen::Index j = 0; j < k; ++j)
      probabilities.col(j) = scores.middleCols(j * width_, width_).rowwise().mean();

    write(out, "concept_scores", {truth.samples, k, width_}, scores);
    write(out, "concept_probabilities", {truth.samples, k}, probabilities);
    if (!dataset.has("labels")) return;
    const sdk::Tensor array = dataset.get("labels");
    if (array.rows() != truth.samples)
      throw std::invalid_argument("labels: " + array.shape_text() + " for " + std::to_string(n) +
                                  " rows of concepts");
    const auto values = array.values<const std::int64_t>();
    const std::vector<std::int64_t> labels(values.begin(), values.end());
    for (std::size_t i = 0; i < n; ++i)
      if (labels[i] < 0)
        throw std::invalid_argument("labels: row " + std::to_string(i) + " is " +
                                    std::to_string(labels[i]) + "; classes count from 0");
    const auto train = dataset.get("train_index").values<const std::int64_t>();
    if (train.empty())
      throw std::invalid_argument("train_index: no training row to fit the task head to");
    const Matrix features = with_constant(scores);
    const Matrix head = linear_head(features, labels, train, *std::ranges::max_element(labels) + 1);
    write(out, "task_outputs", {truth.samples, head.cols()}, features * head);
    const Matrix true_features = with_constant(truth.matrix());
    const Matrix reference = linear_head(true_features, labels, train, head.cols());
    write(out, "reference_outputs", {truth.samples, head.cols()}, true_features * reference);
    write(out, "state.head", {head.rows(), head.cols()}, head);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    if (!model.has("state.head"))
      throw sdk::NotApplicable("the dataset has no labels, so there is no task head");
    const Matrix head = sdk::to_matrix(model.get("state.head"));
    const Matrix rows = sdk::to_matrix(concepts);
    if (rows.cols() + 1 != head.rows())
      throw std::invalid_argument("concepts: " + concepts.shape_text() + ", expected m x " +
                                  std::to_string(head.rows() - 1));
    sdk::as_matrix(outputs, rows.rows(), head.cols()) = with_constant(rows) * head;
  }

 private:
  void place(const Truth& truth, sdk::Seed seed, Matrix& scores) const {
    const auto n = static_cast<std::size_t>(truth.samples);
    std::vector<bool> spelt(n, false);
    if (mixed_)
      for (const std::size_t row : drawn_rows(n, share_, seed.child("mixed"))) spelt[row] = true;
    sdk::Random random(seed.child("place"));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < truth.concepts; ++j) {
        const auto interval = concept_interval(truth.row(i), j, spelt[i]);
        for (std::int64_t d = 0; d < width_; ++d)
          scores(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j) * width_ + d) =
              random.uniform(interval.low, interval.high);
      }
    if (mixed_ || share_ == 0.0) return;
    const Matrix before = scores;
    for (std::size_t j = 0; j < truth.concepts; ++j) {
      const auto from = shuffled_column(n, share_, seed.child("shuffled").child(j));
      for (std::size_t i = 0; i < n; ++i)
        scores.row(static_cast<Eigen::Index>(i))
            .segment(static_cast<Eigen::Index>(j) * width_, width_) =
            before.row(static_cast<Eigen::Index>(from[i]))
                .segment(static_cast<Eigen::Index>(j) * width_, width_);
    }
  }

  static void write(sdk::Sink& out, const char* name, std::vector<std::int64_t> shape,
                    const Matrix& values) {
    sdk::as_matrix(out.create<double>(name, std::move(shape)), values.rows(), values.cols()) =
        values;
  }

  double share_;
  bool mixed_;
  std::int64_t width_;
};

}  // namespace

CONOSCOPE_MODEL(LadderConcepts, "ladder_concepts", "1.1.0", R"toml(
summary = "the annotated concepts as a concept view, perfect or degraded by a known amount: tests metrics, not models"
licence = "Apache-2.0"
citation = "intervals: Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, Table 1"
needs = ["concepts"]
offers = ["concept_view"]
seeded = true
)toml",
                kParameters)
