// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/ctl_icl.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "metrics/leakage/leakage_columns.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/statistics/moments.h"

namespace conoscope::metrics {

namespace {

// How far each entry rises above the other's, where it does.
std::vector<double> excess(const std::vector<double>& predicted, const std::vector<double>& truth) {
  std::vector<double> out;
  for (size_t i = 0; i < predicted.size(); ++i)
    out.push_back(std::max(0.0, predicted[i] - truth[i]));
  return out;
}

}  // namespace

Ctl ctl(const ConceptColumns& predicted, const ConceptColumns& truth, std::span<const Index> labels,
        const ConceptInformationOptions& options) {
  require_same_concepts("ctl", predicted, truth);
  Ctl out;
  out.predicted = mi_concepts_task(predicted, labels, options);
  out.truth = mi_concepts_task(truth, labels, options);
  out.concepts = excess(out.predicted.normalised, out.truth.normalised);
  out.value = numerics::mean(out.concepts);
  return out;
}

namespace {

/// What follows from the pairs.
void take_means(Icl& out) {
  const size_t k = out.truth.self.size();
  out.concepts.assign(k, 0.0);
  size_t at = 0;
  for (size_t i = 0; i < k; ++i)
    for (size_t j = i + 1; j < k; ++j, ++at) {
      out.concepts[i] += out.pairs[at] / static_cast<double>(k - 1);
      out.concepts[j] += out.pairs[at] / static_cast<double>(k - 1);
    }
  out.value = numerics::mean(out.concepts);
}

}  // namespace

Icl icl(const ConceptColumns& predicted, const ConceptColumns& truth,
        const ConceptInformationOptions& options) {
  require_same_concepts("icl", predicted, truth);
  const Index k = predicted.matrix().cols();
  if (k < 2)
    numerics::refuse("icl",
                     "predicted has " + std::to_string(k) + " concept; pairs need at least two");
  Icl out;
  out.predicted = mi_interconcept(predicted, options);
  out.truth = mi_interconcept(truth, options);
  out.pairs = excess(out.predicted.normalised, out.truth.normalised);
  take_means(out);
  return out;
}

Icl icl_true_entropy(Icl found) {
  const std::vector<double>& entropy = found.truth.self;
  for (size_t i = 0; i < entropy.size(); ++i)
    if (entropy[i] == 0.0)
      throw std::domain_error("icl_true_entropy: true concept " + std::to_string(i) +
                              " is constant, so its entropy is 0");
  found.pairs = excess(found.predicted.pair, found.truth.pair);
  size_t at = 0;
  for (size_t i = 0; i < entropy.size(); ++i)
    for (size_t j = i + 1; j < entropy.size(); ++j)
      found.pairs[at++] /= std::sqrt(entropy[i] * entropy[j]);
  take_means(found);
  return found;
}

namespace {

constexpr std::uint64_t kRepeats = 5;  // the reference's

/// What is said of a number for which noise was needed; empty: it was not.
std::string noise_caveat(const Subject& subject) {
  const auto& tied = subject.once(tied_concept);
  if (!tied) return "";
  const Matrix& predicted = subject.once(predicted_columns).matrix();
  const auto column = predicted.col(tied->index).array();
  const Index saturated = (column == 0.0 || column == 1.0).count();
  return "noise breaks ties: concept " + std::to_string(tied->index) +
         " has the value of at least " + std::to_string(ConceptInformationOptions().neighbours) +
         " others in " + std::to_string(tied->samples) + " of " + std::to_string(predicted.rows()) +
         " samples" +
         (saturated > 0 ? " (it is saturated: exactly 0 or 1 in " + std::to_string(saturated) + ")"
                        : "") +
         "; give the logits, or probabilities that are computed in float64";
}

/// value(options): without noise, or where there are ties with each of five draws of it.
template <typename Value>
auto with_noise_where_tied(const Subject& subject, const Value& value) {
  std::vector<decltype(value(ConceptInformationOptions()))> out;
  if (!subject.once(tied_concept)) {
    out.push_back(value(ConceptInformationOptions()));
    return out;
  }
  subject.once(untied_columns);  // refuses ties that noise does not break
  for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat)
    out.push_back(value(ConceptInformationOptions{.noise = normal_draws(subject.seed(), repeat)}));
  return out;
}

/// The means of results(found), with what is said of noise.
template <typename Found, typename Results>
Result mean_result(const Subject& subject, const std::vector<Found>& found,
                   const Results& results) {
  Result out;
  for (const Found& one : found) {
    const Result result = results(one);
    out.value += result.value;
    out.parts.resize(result.parts.size());
    for (size_t i = 0; i < out.parts.size(); ++i) out.parts[i] += result.parts[i];
  }
  const auto count = static_cast<double>(found.size());
  out.value /= count;
  for (double& part : out.parts) part /= count;
  out.caveat = noise_caveat(subject);
  return out;
}

}  // namespace

Result subject_ctl(const Subject& subject) {
  const auto found = with_noise_where_tied(subject, [&](const auto& options) {
    return ctl(subject.once(predicted_columns), subject.once(true_columns),
               subject.annotations().labels, options);
  });
  return mean_result(subject, found, [](const Ctl& one) {
    return Result{one.value, one.concepts};
  });
}

namespace {

std::vector<Icl> derive_icl(const Subject& subject) {
  require_pairs(subject);
  return with_noise_where_tied(subject, [&](const auto& options) {
    return icl(subject.once(predicted_columns), subject.once(true_columns), options);
  });
}

Result icl_of(const Subject& subject) {
  return mean_result(subject, subject.once(derive_icl), [](const Icl& one) {
    return Result{one.value, one.concepts};
  });
}

Result icl_true_entropy_of(const Subject& subject) {
  return mean_result(subject, subject.once(derive_icl), [](const Icl& one) {
    const Icl found = icl_true_entropy(one);
    return Result{found.value, found.pairs};
  });
}

Result icl_ij_of(const Subject& subject) {
  Result out = mean_result(subject, subject.once(derive_icl), [](const Icl& one) {
    return Result{0.0, one.pairs};
  });
  out.value = *std::ranges::max_element(out.parts);
  return out;
}

}  // namespace

std::vector<Metric> declare::ctl_icl() {
  const auto row = [](const char* name, const char* question, bool labelled, std::string_view parts,
                      Result (*compute)(const Subject&)) {
    return leakage_row(
        name, question, Direction::kLower,
        "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025", labelled,
        parts, compute);
  };
  return {
      row("ctl", "Do predicted concepts say more about the label than true ones?", true, "concept",
          [](const Subject& subject) { return subject.once(subject_ctl); }),
      row("icl", "Do predicted concepts say more about each other than true ones?", false,
          "concept", icl_of),
      row("icl_ij",
          "How much more, at most, do two predicted concepts say about each other than the true "
          "ones?",
          false, "concept pair", icl_ij_of),
      row("icl_true_entropy",
          "How much more do predicted concepts say about each other than true ones, as a share of "
          "the true ones' entropy?",
          false, "concept pair", icl_true_entropy_of),
  };
}

}  // namespace conoscope::metrics
