#include "metrics/faithfulness/effective_concepts.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explained_head.h"

namespace conoscope::metrics {

namespace {

/// 0 where there is no importance at all.
double hill_number(const Vector& importance) {
  const double largest = importance.size() == 0 ? 0.0 : importance.cwiseAbs().maxCoeff();
  if (largest == 0.0) return 0.0;
  const Vector weight = importance.cwiseAbs() / largest;  // their sum cannot overflow
  double entropy = 0.0;
  for (const double share : Vector(weight / weight.sum()))
    if (share > 0.0) entropy -= share * std::log(share);
  return std::exp(entropy);
}

}  // namespace

Result effective_concepts(const CheckedExplanation& explanation) {
  const Index outputs = explanation->outputs();
  Result result;
  Index counted = 0;
  for (Index c = 0; c < outputs; ++c) {
    result.parts.push_back(hill_number(explanation.importance(c)));
    result.value += result.parts.back();
    counted += result.parts.back() > 0.0;
  }
  if (counted == 0) throw std::domain_error("effective_concepts: every importance is 0");
  result.value /= static_cast<double>(counted);
  if (counted < outputs)
    result.caveat = std::to_string(outputs - counted) +
                    " outputs left out: they have no concept of importance other than 0";
  return result;
}

std::vector<Metric> declare::effective_concepts() {
  return {{.name = "effective_concepts",
           .group = "parsimony",
           .question = "Among how many concepts is the importance of a class spread?",
           .direction = Direction::kNone,  // few that mislead are no better than many that hold
           .low = 1.0,
           .unit = "concepts",
           .source = "Hill, Ecology 54(2), 1973 (order 1)",
           .needs = {"head_view", "explanation"},
           .compute = [](const Subject& subject) {
             return metrics::effective_concepts(subject.once(explained_head).explanation());
           }}};
}

}  // namespace conoscope::metrics
