#include "metrics/leakage/embedding_information.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/information/concept_information.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ross.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void require_shapes(const char* name, const char* argument, const MatrixRef& embeddings,
                    Index width, const MatrixRef& truth, std::span<const Index> labels) {
  if (width < 1 || truth.rows() < 1 || truth.cols() < 1 || embeddings.rows() != truth.rows() ||
      embeddings.cols() != truth.cols() * width)
    numerics::refuse(name, std::string(argument) + " is " + std::to_string(embeddings.rows()) +
                               " x " + std::to_string(embeddings.cols()) + ", width " +
                               std::to_string(width) + " and truth " +
                               std::to_string(truth.rows()) + " x " + std::to_string(truth.cols()) +
                               "; they must be n x (k * width) and n x k");
  if (static_cast<Index>(labels.size()) != truth.rows())
    numerics::refuse(name, "truth has " + std::to_string(truth.rows()) + " samples and labels " +
                               std::to_string(labels.size()) + "; they must be as many");
  numerics::require_finite(name, argument, embeddings);
  numerics::require_finite(name, "truth", truth);
  if (!is_whole_valued(truth))
    numerics::refuse(name, "truth is not made of whole numbers; true concepts are labels");
}

IndexVector column(const MatrixRef& truth, Index j) {
  IndexVector out;
  for (Index i = 0; i < truth.rows(); ++i)
    out.push_back(static_cast<Index>(std::floor(truth(i, j))));
  return out;
}

double entropy_or_refuse(const char* name, const std::string& what, std::span<const Index> labels) {
  const double entropy = entropy_discrete(labels);
  if (entropy == 0.0)
    throw std::domain_error(std::string(name) + ": " + what + " is constant, so its entropy is 0");
  return entropy;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

EmbeddingInformation embedding_information(const MatrixRef& embeddings, Index width,
                                           const MatrixRef& truth, std::span<const Index> labels,
                                           const KsgOptions& options) {
  constexpr const char* kName = "embedding_information";
  require_shapes(kName, "embeddings", embeddings, width, truth, labels);
  const Index k = truth.cols();
  const double h_task = entropy_or_refuse(kName, "labels", labels);
  EmbeddingInformation out;
  out.concepts.resize(k, k);
  for (Index j = 0; j < k; ++j) {
    const IndexVector c = column(truth, j);
    const double h = entropy_or_refuse(kName, "concept " + std::to_string(j) + " of truth", c);
    for (Index i = 0; i < k; ++i)
      out.concepts(i, j) = mi_ross(embeddings.middleCols(i * width, width), c, options).value / h;
  }
  for (Index i = 0; i < k; ++i)
    out.task.push_back(mi_ross(embeddings.middleCols(i * width, width), labels, options).value /
                       h_task);
  out.mi_ct = mean(out.task);
  out.mi_self = out.concepts.trace() / static_cast<double>(k);
  if (k > 1) {
    const auto pairs = static_cast<double>(k * (k - 1));
    double below = 0.0;
    for (Index i = 0; i < k; ++i) below += out.concepts.row(i).head(i).sum();
    out.mi_ic = 2.0 * below / pairs;
    out.mi_ic_all = (out.concepts.sum() - out.concepts.trace()) / pairs;
  }
  return out;
}

Alignment mi_align(const MatrixRef& positive, const MatrixRef& negative, Index width,
                   const MatrixRef& truth, std::span<const Index> labels,
                   const KsgOptions& options) {
  constexpr const char* kName = "mi_align";
  require_shapes(kName, "positive", positive, width, truth, labels);
  require_shapes(kName, "negative", negative, width, truth, labels);
  Alignment out;
  for (Index j = 0; j < truth.cols(); ++j) {
    std::vector<Index> side[2];
    for (Index i = 0; i < truth.rows(); ++i) {
      if (truth(i, j) != 0.0 && truth(i, j) != 1.0)
        numerics::refuse(kName, "truth is " + std::to_string(truth(i, j)) + "; it must be 0 or 1");
      side[truth(i, j) == 1.0].push_back(i);
    }
    const size_t m = std::min(side[0].size(), side[1].size());
    if (m == 0)
      throw std::domain_error(std::string(kName) + ": concept " + std::to_string(j) +
                              " of truth is constant; it has no two sides");
    const auto tells = [&](const MatrixRef& embeddings, int c) {
      Matrix rows(static_cast<Index>(m), width);
      IndexVector y;
      for (size_t i = 0; i < m; ++i) {
        rows.row(static_cast<Index>(i)) = embeddings.row(side[c][i]).segment(j * width, width);
        y.push_back(labels[static_cast<size_t>(side[c][i])]);
      }
      const double h = entropy_or_refuse(
          kName, "labels, where concept " + std::to_string(j) + " is " + std::to_string(c) + ",",
          y);
      return mi_ross(rows, y, options).value / h;
    };
    out.positive_aligned.push_back(tells(positive, 1));
    out.positive_unaligned.push_back(tells(positive, 0));
    out.negative_aligned.push_back(tells(negative, 0));
    out.negative_unaligned.push_back(tells(negative, 1));
    out.concepts.push_back(out.positive_aligned.back() - out.positive_unaligned.back() +
                           out.negative_aligned.back() - out.negative_unaligned.back());
  }
  out.mi_align = mean(out.concepts);
  return out;
}

}  // namespace conoscope::metrics
