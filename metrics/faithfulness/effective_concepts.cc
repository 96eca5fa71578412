// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/effective_concepts.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/left_out.h"

namespace conoscope::metrics {

namespace {

constexpr double kRounding = 1e-12;  // of an output's largest importance: what rounding leaves of 0

}  // namespace

Result effective_concepts(const CheckedExplanation& explanation) {
  const Index outputs = explanation->outputs();
  Result result;
  Index counted = 0;
  for (Index c = 0; c < outputs; ++c) {
    const auto size = explanation.importance(c).array().abs().eval();
    const double least = size.size() > 0 ? kRounding * size.maxCoeff() : 0.0;
    result.parts.push_back(static_cast<double>((size > least).count()));
    result.value += result.parts.back();
    counted += result.parts.back() > 0.0;
  }
  if (counted == 0) throw std::domain_error("effective_concepts: every importance is 0");
  result.value /= static_cast<double>(counted);
  if (counted < outputs)
    result.caveat = left_out(outputs - counted, "output", "no importance other than 0");
  return result;
}

std::vector<Metric> declare::effective_concepts() {
  return {{.name = "effective_concepts",
           .group = "parsimony",
           .question =
               "How many concepts, or dimensions of concepts, does an explanation use for a class?",
           .direction = Direction::kNone,  // few that mislead are no better than many that hold
           .low = 1.0,
           .unit = "effective concepts",
           .source = "Srivastava et al., arXiv 2408.01432 (number of effective concepts)",
           .needs = {"head_view", "explanation"},
           .parts = "output",
           .compute = [](const Subject& subject) {
             return metrics::effective_concepts(subject.once(explained_head).explanation());
           }}};
}

}  // namespace conoscope::metrics
