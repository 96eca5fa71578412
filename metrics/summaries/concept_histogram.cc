// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/concept_histogram.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "metrics/summaries/shown_items.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kBins = 20, kMostConcepts = 12;
constexpr std::size_t kMostLabels = 10;

SummaryTable histograms(const Subject& subject) {
  const Matrix& all = scalar_scores("concept_histogram", subject);
  const Matrix* const truth = truth_of(subject);
  const IndexVector& labels = subject.annotations().labels;
  const bool by_label =
      !labels.empty() && std::set<Index>(labels.begin(), labels.end()).size() <= kMostLabels;
  const Index shown = std::min(all.cols(), kMostConcepts);
  SummaryTable out{{}, shown_of(shown, all.cols(), "concepts")};
  for (Index j = 0; j < shown; ++j) {
    const double low = all.col(j).minCoeff(), high = all.col(j).maxCoeff();
    // Ordered by pairs of numbers: what is not annotated is one value.
    std::map<std::pair<double, double>, std::vector<double>> counts;
    for (Index i = 0; i < all.rows(); ++i) {
      const double value = truth ? (*truth)(i, j) : 0.0,
                   label = by_label ? label_of(subject, i) : 0.0;
      auto& bins = counts[{value, label}];
      bins.resize(kBins);
      const double share = high > low ? (all(i, j) - low) / (high - low) : 0.0;
      const auto bin = static_cast<Index>(share * static_cast<double>(kBins));
      bins[static_cast<std::size_t>(std::clamp<Index>(bin, 0, kBins - 1))] += 1.0;
    }
    for (const auto& [key, bins] : counts) {
      out.add({static_cast<double>(j), truth ? key.first : kNoNumber,
               by_label ? key.second : kNoNumber, low, high});
      out.cells.insert(out.cells.end(), bins.begin(), bins.end());
    }
  }
  return out;
}

}  // namespace

Summary declare::concept_histogram() {
  Summary out{
      .name = "concept_histogram",
      .question =
          "How are the activations of each concept distributed, by the concept's true value and "
          "the label?",
      .source =
          "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, Fig. 2",
      .needs = {"concept_view"},
      .uses = {"concepts", "labels"},
      .columns = {"concept", "truth", "label", "low", "high"},
      .compute = histograms,
  };
  for (Index b = 0; b < kBins; ++b) out.columns.push_back("bin_" + std::to_string(b));
  return out;
}

}  // namespace conoscope::metrics
