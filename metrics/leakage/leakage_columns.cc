// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/leakage_columns.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_noise.h"
#include "numerics/checks.h"
#include "numerics/digamma.h"

namespace conoscope::metrics {

ConceptColumns predicted_columns(const Subject& subject) { return predicted_concepts(subject); }

ConceptColumns true_columns(const Subject& subject) { return subject.annotations().concepts; }

namespace {

constexpr double kMostLostToTies = 0.01;  // nats

std::optional<TiedConcept> find_tied(const ConceptColumns& predicted) {
  const Index n = predicted.matrix().rows(), k = ConceptInformationOptions().neighbours;
  if (predicted.whole() || n <= k) return std::nullopt;
  const std::vector<double> psi = numerics::digamma_table(n);
  const double untied = psi[static_cast<size_t>(n - 1)] - psi[static_cast<size_t>(k - 1)];
  Index j = 0;
  for (const SortedValues& column : predicted.sorted()) {
    const MiEstimate self = mi_ksg_self(column);
    if (untied - self.raw > kMostLostToTies) return TiedConcept{j, self.tied};
    ++j;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TiedConcept> tied_concept(const Subject& subject) {
  return find_tied(subject.once(predicted_columns));
}

ConceptColumns untied_columns(const Subject& subject) {
  Matrix columns = subject.once(predicted_columns).matrix();
  if (!subject.once(tied_concept)) return columns;
  const Draws noise = normal_draws(subject.seed());
  for (Index j = 0; j < columns.cols(); ++j)
    columns.col(j) = with_noise(Matrix(columns.col(j)), noise);
  ConceptColumns untied(std::move(columns));
  if (const auto tied = find_tied(untied))
    throw std::domain_error("concept " + std::to_string(tied->index) +
                            " has ties that the reference's noise, 1e-10 times the mean, is too "
                            "small to break, for the mean is near 0");
  return untied;
}

void require_same_concepts(const char* name, const ConceptColumns& predicted,
                           const ConceptColumns& truth) {
  const Matrix &p = predicted.matrix(), &t = truth.matrix();
  if (p.rows() != t.rows() || p.cols() != t.cols())
    numerics::refuse(name, "predicted is " + numerics::shape_of(p) + " and truth " +
                               numerics::shape_of(t) + "; both must be n x k");
  if (!truth.whole())
    numerics::refuse(name, "truth is not made of whole numbers; true concepts are labels");
}

void require_pairs(const Subject& subject) {
  if (predicted_concepts(subject).cols() < 2) throw NotApplicable("one concept has no pairs");
}

Metric leakage_row(const char* name, const char* question, Direction direction, const char* source,
                   bool labelled, std::string_view parts, Result (*compute)(const Subject&)) {
  Metric metric{
      .name = name,
      .group = "leakage",
      .question = question,
      .direction = direction,
      .source = source,
      .needs = {"concept_view", "concepts"},
      .parts = parts,
      .compute = compute,
  };
  if (labelled) metric.needs.push_back("labels");
  return metric;
}

}  // namespace conoscope::metrics
