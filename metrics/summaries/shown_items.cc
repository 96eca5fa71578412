// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/shown_items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/summaries/summary.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

IndexVector evenly(Index count, Index most) {
  const Index shown = std::min(count, most);
  IndexVector out;
  for (Index i = 0; i < shown; ++i) out.push_back(i * count / shown);
  return out;
}

IndexVector most_important_first(const VectorRef& importance, const IndexVector& output) {
  IndexVector order(static_cast<std::size_t>(importance.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index j) { return -std::abs(importance[j]); });
  if (output.empty()) return order;
  std::map<Index, Index> taken;  // by output
  std::vector<std::pair<Index, Index>> turns;
  for (const Index j : order) turns.emplace_back(taken[output[static_cast<std::size_t>(j)]]++, j);
  std::ranges::stable_sort(turns, {}, &std::pair<Index, Index>::first);
  std::ranges::transform(turns, order.begin(), &std::pair<Index, Index>::second);
  return order;
}

std::string shown_of(Index shown, Index all, const char* what) {
  if (shown >= all) return {};
  return "the first " + std::to_string(shown) + " of " + std::to_string(all) + " " + what;
}

const Matrix& scalar_scores(const char* summary, const Subject& subject) {
  const ConceptView& view = subject.concepts();
  const Matrix& scores = view.width == 1 ? view.scores : view.probabilities;
  if (scores.size() == 0)
    throw NotApplicable("concepts are vectors, and there are no probabilities of them");
  numerics::require_finite(summary, "scores", scores);
  return scores;
}

const Matrix* truth_of(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  const Matrix& truth = subject.annotations().concepts;
  const bool named = subject.offers("concepts") && has_names(view) &&
                     truth.rows() == view.scores.rows() &&
                     truth.cols() * view.width == view.scores.cols();
  return named ? &truth : nullptr;
}

double label_of(const Subject& subject, Index sample) {
  if (!subject.offers("labels")) return kNoNumber;
  return static_cast<double>(subject.annotations().labels.at(static_cast<std::size_t>(sample)));
}

}  // namespace conoscope::metrics
