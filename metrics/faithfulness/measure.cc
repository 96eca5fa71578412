// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/measure.h"

#include <utility>

#include "metrics/faithfulness/explained_head.h"

namespace conoscope::metrics {

namespace {

void require_output(const Measure& measure, Output output) {
  if (output == Output::kSoftmax   ? measure.softmax
      : output == Output::kSigmoid ? measure.sigmoid
                                   : measure.regression)
    return;
  throw NotApplicable(measure.softmax ? "the outputs are not a softmax's"
                                      : "the outputs are not sigmoids of attributes");
}

}  // namespace

Metric declare_measure(std::string name, const Measure& measure, const Surrogate& surrogate) {
  Metric metric;
  metric.name = std::move(name);
  metric.group = surrogate.group;
  metric.question = measure.question;
  metric.question.replace(metric.question.find("{}"), 2, surrogate.text);
  metric.direction = measure.direction;
  metric.low = measure.low;
  metric.high = measure.high;
  metric.unit = measure.unit;
  metric.source = surrogate.source.empty() ? measure.source : surrogate.source;
  metric.needs = surrogate.needs;
  if (measure.compare_labelled) metric.needs.emplace_back("labels");
  const auto compare = [measure, logits = surrogate.logits, logits_with = surrogate.logits_with](
                           const Subject& subject, const std::vector<Setting>& settings) -> Result {
    require_output(measure, subject.head().output);
    const Logits& model = subject.once(model_logits_of);
    const Logits& found = logits_with ? logits_with(subject, settings) : logits(subject);
    if (measure.compare) return subject.once(measure.compare, model, found);
    return subject.once(measure.compare_labelled, model, found, subject.once(labels_of));
  };
  if (surrogate.settings.empty())
    metric.compute = [compare](const Subject& subject) { return compare(subject, {}); };
  else
    metric.compute_with = compare;
  metric.settings = surrogate.settings;
  return metric;
}

}  // namespace conoscope::metrics
