// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/ois.h"

#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/alignment/concept_alignment.h"
#include "metrics/auc.h"
#include "metrics/metric.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/purity/helper_networks.h"
#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::metrics {

namespace {

enum Stream : std::uint64_t { kSplit, kTraining, kOracleSplit, kOracleTraining };

void require_options(const char* function, const PurityOptions& options) {
  for (const auto& [name, value] :
       {std::pair("epochs", options.epochs), std::pair("batch", options.batch),
        std::pair("hidden", options.hidden)})
    if (value < 1)
      numerics::refuse(function,
                       std::string(name) + " is " + std::to_string(value) + ", less than 1");
}

/// Binary concepts as they are, others one-hot; begin: first column of each.
Matrix targets_of(const detail::ConceptLabels& labels, IndexVector& begin) {
  Index columns = 0;
  for (const Index cardinality : labels.cardinality) {
    begin.push_back(columns);
    columns += cardinality == 2 ? 1 : cardinality;
  }
  Matrix targets = Matrix::Zero(labels.samples(), columns);
  for (std::size_t j = 0; j < labels.of.size(); ++j)
    for (std::size_t i = 0; i < labels.of[j].size(); ++i) {
      const Index label = labels.of[j][i], row = static_cast<Index>(i);
      if (labels.cardinality[j] == 2)
        targets(row, begin[j]) = static_cast<double>(label);
      else
        targets(row, begin[j] + label) = 1.0;
    }
  return targets;
}

double test_auc(const detail::ConceptLabels& labels, std::size_t j, const IndexVector& test,
                const MatrixRef& logits) {
  IndexVector here;
  for (const Index row : test) here.push_back(labels.of[j][static_cast<std::size_t>(row)]);
  if (labels.cardinality[j] == 2) {
    const Vector scores = logits.col(0);
    return auc(here, scores);
  }
  return auc_one_vs_rest(here, numerics::softmax(logits));
}

Matrix matrix_of(const char* function, const MatrixRef& c_hat, Index width,
                 const detail::ConceptLabels& labels, const PurityOptions& options,
                 bool leave_diagonal, Stream split_stream, Stream training_stream) {
  require_options(function, options);
  if (options.joint && !labels.binary())
    numerics::refuse(function, "joint networks need binary concepts");
  const detail::TrainTest rows =
      detail::split_80_20(function, labels.samples(), options.seed, split_stream);
  detail::require_classes(function, labels, rows.test);
  IndexVector begin;
  const Matrix targets = targets_of(labels, begin);
  const Index inputs = c_hat.cols() / width, concepts = labels.concepts();
  std::vector<detail::HelperTask> tasks;
  IndexVector predicts;  // the concept of each pairwise task
  for (Index i = 0; i < inputs; ++i) {
    if (options.joint) {
      tasks.push_back({i, 0, concepts, false});
      continue;
    }
    for (std::size_t j = 0; j < labels.of.size(); ++j) {
      if (leave_diagonal && static_cast<std::size_t>(i) == j) continue;
      const bool binary = labels.cardinality[j] == 2;
      tasks.push_back({i, begin[j], binary ? 1 : labels.cardinality[j], !binary});
      predicts.push_back(static_cast<Index>(j));
    }
  }
  const detail::HelperOptions helper{options.hidden, options.epochs, options.batch, 1e-3};
  Matrix out = Matrix::Ones(inputs, concepts);
  const auto judge = [&](std::size_t task, const MatrixRef& logits) {
    const Index i = tasks[task].input;
    if (!options.joint) {
      const Index j = predicts[task];
      out(i, j) = test_auc(labels, static_cast<std::size_t>(j), rows.test, logits);
      return;
    }
    for (Index j = 0; j < concepts; ++j)
      out(i, j) = test_auc(labels, static_cast<std::size_t>(j), rows.test, logits.middleCols(j, 1));
  };
  detail::train_helper_networks(c_hat, width, targets, rows, tasks, helper, options.seed,
                                training_stream, judge);
  return out;
}

}  // namespace

Matrix purity_matrix(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                     const PurityOptions& options) {
  constexpr const char* kName = "purity_matrix";
  const detail::ConceptLabels labels = detail::concept_labels(kName, concepts);
  detail::require_representations(kName, c_hat, width, labels.samples());
  return matrix_of(kName, c_hat, width, labels, options, false, kSplit, kTraining);
}

Matrix oracle_matrix(const MatrixRef& concepts, const PurityOptions& options) {
  constexpr const char* kName = "oracle_matrix";
  const detail::ConceptLabels labels = detail::concept_labels(kName, concepts);
  return matrix_of(kName, concepts, 1, labels, options, !options.joint, kOracleSplit,
                   kOracleTraining);
}

double ois(const MatrixRef& purity, const MatrixRef& oracle, bool include_diagonal) {
  const Index k = purity.rows();
  if (k < 1 || purity.cols() != k || oracle.rows() != k || oracle.cols() != k)
    numerics::refuse("ois", "purity is " + std::to_string(k) + " x " +
                                std::to_string(purity.cols()) + " and oracle " +
                                numerics::shape_of(oracle) + "; both must be k x k");
  for (const auto* matrix : {&purity, &oracle})
    if (!(matrix->array() >= 0.0 && matrix->array() <= 1.0).all())
      numerics::refuse("ois", std::string(matrix == &purity ? "purity" : "oracle") +
                                  " has an entry that is no AUC in 0 ... 1");
  Matrix difference = purity - oracle;
  if (!include_diagonal) difference.diagonal().setZero();
  return 2.0 / static_cast<double>(k) * difference.norm();
}

namespace {

PurityOptions options_of(const std::vector<Setting>& settings) {
  return {.epochs = settings[1].value, .batch = settings[2].value, .hidden = settings[0].value};
}

/// In the order of options_of.
std::vector<Setting> published() {
  const PurityOptions options;
  return {{"hidden", options.hidden}, {"epochs", options.epochs}, {"batch", options.batch}};
}

PurityMatrices trained(const Subject& subject, PurityOptions options) {
  const ConceptView& view = subject.concepts();
  const Matrix& truth = subject.annotations().concepts;
  if (truth.cols() < 2) throw NotApplicable("purity is between concepts, and there is one");
  if (view.width >= 1 && view.scores.cols() / view.width < truth.cols())
    throw NotApplicable(std::to_string(view.scores.cols() / view.width) +
                        " representations cannot stand for " + std::to_string(truth.cols()) +
                        " concepts");
  options.seed = subject.seed();
  PurityMatrices out{.purity = purity_matrix(view.scores, view.width, truth, options),
                     .oracle = oracle_matrix(truth, options)};
  out.optimal = optimal_alignment(out.purity);
  const Index k = truth.cols();
  const bool aligned = out.purity.rows() != k || !has_names(view);
  const Matrix own = aligned ? aligned_rows(out.purity, out.optimal) : out.purity;
  out.failed = (own.diagonal().array() < 0.5).count();
  if (out.failed > 0)
    out.caveat = std::to_string(out.failed) + " of " + std::to_string(k) +
                 " networks came out worse than chance at a representation's own concept";
  return out;
}

}  // namespace

PurityMatrices purity_matrices(const Subject& subject) { return trained(subject, {}); }

namespace {

constexpr Index kBatchOfTheCode = 512;

PurityMatrices reference_matrices(const Subject& subject) {
  return trained(subject, {.batch = kBatchOfTheCode});
}

/// What other metrics ask for as well is trained once.
PurityMatrices matrices_with(const Subject& subject, const std::vector<Setting>& settings) {
  const PurityOptions options = options_of(settings), usual;
  if (options.epochs == usual.epochs && options.hidden == usual.hidden) {
    if (options.batch == usual.batch) return subject.once(purity_matrices);
    if (options.batch == kBatchOfTheCode) return subject.once(reference_matrices);
  }
  return trained(subject, options);
}

/// Of representations whose order says which concept each stands for.
void require_names(const Subject& subject) {
  if (!has_names(subject.concepts()))
    throw NotApplicable("representations without names have to be aligned first");
}

Result as_it_stands(const PurityMatrices& m, bool include_diagonal) {
  if (m.purity.rows() != m.purity.cols())
    throw NotApplicable(std::to_string(m.purity.rows()) + " representations of " +
                        std::to_string(m.purity.cols()) + " concepts have to be aligned first");
  return {ois(m.purity, m.oracle, include_diagonal),
          {m.purity.data(), m.purity.data() + m.purity.size()},
          m.caveat};
}

Result ois_of(const Subject& subject) {
  require_names(subject);
  return as_it_stands(subject.once(purity_matrices), true);
}

Result off_diagonal_of(const Subject& subject) {
  require_names(subject);
  return as_it_stands(subject.once(purity_matrices), false);
}

Result reference_of(const Subject& subject) {
  require_names(subject);
  return as_it_stands(subject.once(reference_matrices), true);
}

Result aligned(const PurityMatrices& m, const IndexVector& alignment) {
  return {ois(aligned_rows(m.purity, alignment), m.oracle),
          {alignment.begin(), alignment.end()},
          m.caveat};
}

}  // namespace

std::vector<Metric> declare::ois() {
  const auto row = [](const char* name, const char* question, Result (*compute)(const Subject&)) {
    return Metric{
        .name = name,
        .group = "purity",
        .question = question,
        .direction = Direction::kLower,
        .high = 2.0,
        .source = "Espinosa Zarlenga et al., AAAI 2023",
        .needs = {"concept_view", "concepts"},
        .compute = compute,
    };
  };
  Metric failed =
      row("ois_failed_fits",
          "How many helper networks predict a representation's own concept worse than chance?",
          [](const Subject& subject) -> Result {
            return {static_cast<double>(subject.once(purity_matrices).failed)};
          });
  Metric reference = row("ois_reference",
                         "How much more does each representation know about other concepts than "
                         "the concepts themselves do, by networks trained in batches of 512?",
                         reference_of);
  reference.source = "Espinosa Zarlenga et al., AAAI 2023, code c09d125";
  failed.direction = Direction::kNone;
  failed.high = kUnbounded;
  failed.unit = "concepts";
  failed.settings = published();
  failed.compute_with = [](const Subject& subject, const std::vector<Setting>& settings) -> Result {
    return {static_cast<double>(matrices_with(subject, settings).failed)};
  };
  Metric own = row("ois",
                   "How much more does each representation know about other concepts than the "
                   "concepts themselves do?",
                   ois_of);
  own.parts = reference.parts = "concept x concept";
  own.settings = published();
  own.compute_with = [](const Subject& subject, const std::vector<Setting>& settings) {
    require_names(subject);
    return as_it_stands(matrices_with(subject, settings), true);
  };
  Metric others = row("ois_off_diagonal",
                      "How much more does each representation know about other concepts than the "
                      "concepts themselves do, whatever it knows about its own?",
                      off_diagonal_of);
  others.parts = own.parts;
  return {
      own,
      others,
      row("ois_aligned_greedy",
          "How impure are unnamed representations when they are aligned with the concepts "
          "greedily?",
          [](const Subject& subject) {
            const PurityMatrices& m = subject.once(purity_matrices);
            return aligned(m, greedy_alignment(m.purity));
          }),
      row("ois_aligned_optimal",
          "How impure are unnamed representations when they are aligned with the concepts so that "
          "the sum of AUCs is largest?",
          [](const Subject& subject) {
            const PurityMatrices& m = subject.once(purity_matrices);
            return aligned(m, m.optimal);
          }),
      failed,
      reference,
  };
}

}  // namespace conoscope::metrics
