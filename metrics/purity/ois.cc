#include "metrics/purity/ois.h"

#include <string>

#include "metrics/auc.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/purity/helper_networks.h"
#include "numerics/checks.h"

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
  Matrix shares = logits;
  for (Index i = 0; i < shares.rows(); ++i) {
    shares.row(i) = (shares.row(i).array() - shares.row(i).maxCoeff()).exp();
    shares.row(i) /= shares.row(i).sum();
  }
  return auc_one_vs_rest(here, shares);
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
                                std::to_string(oracle.rows()) + " x " +
                                std::to_string(oracle.cols()) + "; both must be k x k");
  for (const auto* matrix : {&purity, &oracle})
    if (!(matrix->array() >= 0.0 && matrix->array() <= 1.0).all())
      numerics::refuse("ois", std::string(matrix == &purity ? "purity" : "oracle") +
                                  " has an entry that is no AUC in 0 ... 1");
  Matrix difference = purity - oracle;
  if (!include_diagonal) difference.diagonal().setZero();
  return 2.0 / static_cast<double>(k) * difference.norm();
}

}  // namespace conoscope::metrics
