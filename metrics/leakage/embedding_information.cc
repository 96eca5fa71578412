// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/embedding_information.h"

#include <stdexcept>
#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ross.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/statistics/moments.h"

namespace conoscope::metrics {

namespace {

void require_shapes(const char* name, const char* argument, const MatrixRef& embeddings,
                    Index width, const ConceptColumns& concepts, std::span<const Index> labels) {
  const Matrix& truth = concepts.matrix();
  if (width < 1 || embeddings.rows() != truth.rows() || embeddings.cols() != truth.cols() * width)
    numerics::refuse(name, std::string(argument) + " is " + numerics::shape_of(embeddings) +
                               ", width " + std::to_string(width) + " and truth " +
                               numerics::shape_of(truth) +
                               "; they must be n x (k * width) and n x k");
  if (static_cast<Index>(labels.size()) != truth.rows())
    numerics::refuse(name, "truth has " + std::to_string(truth.rows()) + " samples and labels " +
                               std::to_string(labels.size()) + "; they must be as many");
  numerics::require_finite(name, argument, embeddings);
  if (!concepts.whole())
    numerics::refuse(name, "truth is not made of whole numbers; true concepts are labels");
}

double entropy_or_refuse(const char* name, const std::string& what, std::span<const Index> labels) {
  const double entropy = entropy_discrete(labels);
  if (entropy == 0.0)
    throw std::domain_error(std::string(name) + ": " + what + " is constant, so its entropy is 0");
  return entropy;
}

}  // namespace

EmbeddingInformation embedding_information(const MatrixRef& embeddings, Index width,
                                           const ConceptColumns& truth,
                                           std::span<const Index> labels,
                                           const KsgOptions& options) {
  constexpr const char* kName = "embedding_information";
  require_shapes(kName, "embeddings", embeddings, width, truth, labels);
  const Index k = truth.matrix().cols();
  const double h_task = entropy_or_refuse(kName, "labels", labels);
  EmbeddingInformation out;
  out.concepts.resize(k, k);
  for (Index j = 0; j < k; ++j) {
    const IndexVector& c = truth.labels()[static_cast<size_t>(j)];
    const double h = entropy_or_refuse(kName, "concept " + std::to_string(j) + " of truth", c);
    for (Index i = 0; i < k; ++i)
      out.concepts(i, j) = mi_ross(embeddings.middleCols(i * width, width), c, options).value / h;
  }
  for (Index i = 0; i < k; ++i)
    out.task.push_back(mi_ross(embeddings.middleCols(i * width, width), labels, options).value /
                       h_task);
  out.mi_ct = numerics::mean(out.task);
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
                   const ConceptColumns& truth, std::span<const Index> labels,
                   const KsgOptions& options) {
  constexpr const char* kName = "mi_align";
  require_shapes(kName, "positive", positive, width, truth, labels);
  require_shapes(kName, "negative", negative, width, truth, labels);
  Alignment out;
  for (Index j = 0; j < truth.matrix().cols(); ++j) {
    std::vector<Index> side[2];
    for (Index i = 0; i < truth.matrix().rows(); ++i) {
      const double c = truth.matrix()(i, j);
      if (c != 0.0 && c != 1.0)
        numerics::refuse(kName, "truth is " + std::to_string(c) + "; it must be 0 or 1");
      side[c == 1.0].push_back(i);
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
  out.mi_align = numerics::mean(out.concepts);
  return out;
}

namespace {

const ConceptView& vector_concepts(const Subject& subject) {
  const ConceptView& view = named_concepts(subject);
  if (view.width == 1) throw NotApplicable("needs concepts that are vectors");
  return view;
}

EmbeddingInformation information_of(const Subject& subject) {
  const ConceptView& view = vector_concepts(subject);
  const Annotations& known = subject.annotations();
  return embedding_information(view.scores, view.width, known.concepts, known.labels);
}

Result mi_ct_of(const Subject& subject) {
  const auto& found = subject.once(information_of);
  return {found.mi_ct, found.task};
}

Result mi_ic_of(const Subject& subject) {
  const auto& found = subject.once(information_of);
  if (found.concepts.cols() < 2) throw NotApplicable("one concept has no pairs");
  return {found.mi_ic, {found.concepts.data(), found.concepts.data() + found.concepts.size()}};
}

Result mi_self_of(const Subject& subject) {
  const auto& found = subject.once(information_of);
  const Vector own = found.concepts.diagonal();
  return {found.mi_self, {own.begin(), own.end()}};
}

Result mi_align_of(const Subject& subject) {
  const ConceptView& view = vector_concepts(subject);
  const Annotations& known = subject.annotations();
  if (view.active.size() == 0)
    throw NotApplicable("the model has no vectors of present and absent concepts");
  if (((known.concepts.array() != 0.0) && (known.concepts.array() != 1.0)).any())
    throw NotApplicable("the annotated concepts are not 0 and 1");
  const Alignment found =
      mi_align(view.active, view.inactive, view.width, known.concepts, known.labels);
  return {found.mi_align, found.concepts};
}

}  // namespace

std::vector<Metric> declare::embedding_information() {
  const auto row = [](const char* name, const char* question, Direction direction, double low,
                      double high, Result (*compute)(const Subject&)) {
    return Metric{
        .name = name,
        .group = "leakage",
        .question = question,
        .direction = direction,
        .low = low,
        .high = high,
        .source = "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025",
        .needs = {"concept_view", "concepts", "labels"},
        .parts = compute == mi_ic_of ? "concept x concept" : "concept",
        .compute = compute,
    };
  };
  return {
      row("mi_ct", "What share of the label's entropy does a concept's embedding account for?",
          Direction::kNone, 0.0, kUnbounded, mi_ct_of),
      row("mi_ic",
          "What share of another concept's entropy does a concept's embedding account for?",
          Direction::kLower, 0.0, kUnbounded, mi_ic_of),
      row("mi_self", "What share of its own concept's entropy does an embedding account for?",
          Direction::kHigher, 0.0, kUnbounded, mi_self_of),
      row("mi_align",
          "Of a concept's two embeddings, does the one that matches the true value say more about "
          "the label than the other?",
          Direction::kNone, -2.0, 2.0, mi_align_of),
  };
}

}  // namespace conoscope::metrics
