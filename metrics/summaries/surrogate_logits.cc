// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/surrogate_logits.h"

#include <algorithm>
#include <numeric>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/logit_row.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/summaries/shown_items.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostSamples = 300, kMostOutputs = 12, kMostConcepts = 12;

SummaryTable logits(const Subject& subject) {
  const Logits& model = subject.once(model_logits_of);
  const Logits surrogate = surf_surrogate(subject.once(explained_head));
  const detail::LogitRow row(model.outputs());
  const IndexVector shown = evenly(model.samples(), kMostSamples);
  SummaryTable out;
  if (static_cast<Index>(shown.size()) < model.samples())
    out.caveat = std::to_string(shown.size()) + " of " + std::to_string(model.samples()) +
                 " samples, evenly spaced";
  for (const Index i : shown) {
    const Index output = row.argmax(model.row(i));
    out.add({static_cast<double>(i), label_of(subject, i), static_cast<double>(output),
             static_cast<double>(row.argmax(surrogate.row(i))), model(i, output),
             surrogate(i, output)});
  }
  return out;
}

/// The largest entries in size, the largest first.
IndexVector largest(const Vector& sizes, Index most) {
  IndexVector out(static_cast<std::size_t>(sizes.size()));
  std::iota(out.begin(), out.end(), Index{0});
  std::ranges::stable_sort(out, {}, [&sizes](Index k) { return -std::abs(sizes[k]); });
  out.resize(std::min(out.size(), static_cast<std::size_t>(most)));
  return out;
}

SummaryTable importances(const Subject& subject) {
  const CheckedExplanation& of = subject.once(explained_head).explanation();
  IndexVector shared;
  if (of->class_agnostic)
    shared = largest(of->importance_by_output.cwiseAbs().colwise().maxCoeff(), kMostConcepts);
  Index most = of->class_agnostic ? of->importance_by_output.cols() : 0;
  SummaryTable out;
  const IndexVector outputs = evenly(of->outputs(), kMostOutputs);
  for (const Index c : outputs) {
    const Vector importance = of.importance(c);
    const IndexVector shown = of->class_agnostic ? shared : largest(importance, kMostConcepts);
    most = std::max(most, importance.size());
    for (std::size_t place = 0; place < shown.size(); ++place)
      out.add({static_cast<double>(c),
               static_cast<double>(of->class_agnostic ? shown[place] : static_cast<Index>(place)),
               importance[shown[place]]});
  }
  if (most > kMostConcepts)
    out.caveat = "the " + std::to_string(kMostConcepts) + " most important of " +
                 std::to_string(most) + " concepts";
  if (of->outputs() > kMostOutputs)
    out.caveat += (out.caveat.empty() ? "" : "; ") + std::to_string(kMostOutputs) + " of " +
                  std::to_string(of->outputs()) + " outputs, evenly spaced";
  return out;
}

}  // namespace

Summary declare::surrogate_logits() {
  return {.name = "surrogate_logits",
          .question = "What does the surrogate answer where the model answers what?",
          .source = "Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 3",
          .needs = {"head_view", "explanation"},
          .uses = {"labels"},
          .columns = {"sample", "label", "output", "surrogate_output", "logit", "surrogate_logit"},
          .compute = logits};
}

Summary declare::concept_importances() {
  return {.name = "concept_importances",
          .question = "How much does each concept count for each output?",
          .source = "ours",
          .needs = {"head_view", "explanation"},
          .columns = {"output", "concept", "importance"},
          .compute = importances};
}

}  // namespace conoscope::metrics
