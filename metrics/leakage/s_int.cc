#include "metrics/leakage/s_int.h"

#include <string>

#include "metrics/leakage/accuracy.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double s_int(double reference_accuracy, const InterventionCurve& curve) {
  if (curve.accuracy.empty()) numerics::refuse("s_int", "curve is empty");
  if (!(reference_accuracy >= 0.0 && reference_accuracy <= 1.0))
    numerics::refuse("s_int", "reference_accuracy is " + std::to_string(reference_accuracy) +
                                  "; it must lie in 0 ... 1");
  return reference_accuracy - curve.accuracy.back();
}

namespace {

Result reference_of(const Subject& subject) {
  const Matrix& outputs = subject.concepts().reference_outputs;
  if (outputs.size() == 0)
    throw NotApplicable("the model trained no head of its own kind on the true concepts");
  if (outputs.cols() < 2) throw NotApplicable("needs two or more task outputs");
  return {accuracy(subject.annotations().labels, predicted_classes(outputs))};
}

}  // namespace

std::vector<Metric> declare::s_int() {
  Metric reference{
      .name = "reference_accuracy",
      .group = "intervention",
      .question =
          "How accurate is a head of the model's kind that is trained separately on true concepts?",
      .high = 1.0,
      .source = "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025",
      .needs = {"concept_view", "concepts", "labels"},
      .compute = [](const Subject& subject) { return subject.once(reference_of); },
  };
  Metric lost = reference;
  lost.name = "s_int";
  lost.question =
      "How much less accurate is the model, told all true concepts, than a head of its kind "
      "trained on them?";
  lost.direction = Direction::kLower;
  lost.low = -1.0;
  lost.uses = {"train_concept_view"};
  lost.compute = [](const Subject& subject) -> Result {
    const InterventionCurve& curve = subject.once(oracle_curve);
    return {metrics::s_int(subject.once(reference_of).value, curve),
            {},
            subject.once(subject_intervention).caveat};
  };
  return {reference, lost};
}

}  // namespace conoscope::metrics
