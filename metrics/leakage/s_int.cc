// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/s_int.h"

#include <cmath>
#include <limits>
#include <string>

#include "metrics/caveat.h"
#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/best_table_accuracy.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/logistic_regression.h"

namespace conoscope::metrics {

double s_int(double reference_accuracy, const InterventionCurve& curve) {
  if (curve.accuracy.empty()) numerics::refuse("s_int", "curve is empty");
  if (!(reference_accuracy >= 0.0 && reference_accuracy <= 1.0))
    numerics::refuse("s_int", "reference_accuracy is " + std::to_string(reference_accuracy) +
                                  "; it must lie in 0 ... 1");
  return reference_accuracy - curve.accuracy.back();
}

std::vector<double> wrong_share_by_present(const MatrixRef& truth, const IndexVector& labels,
                                           const IndexVector& predictions) {
  constexpr const char* kName = "wrong_share_by_present";
  const auto n = static_cast<std::size_t>(truth.rows());
  if (n < 1 || labels.size() != n || predictions.size() != n)
    numerics::refuse(kName, "truth has " + std::to_string(n) + " rows, labels " +
                                std::to_string(labels.size()) + " and predictions " +
                                std::to_string(predictions.size()) + "; all must be n >= 1");
  if (((truth.array() != 0.0) && (truth.array() != 1.0)).any())
    numerics::refuse(kName, "truth has entries other than 0 and 1");
  const auto counts = static_cast<std::size_t>(truth.cols()) + 1;
  std::vector<double> samples(counts, 0.0), wrong(counts, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto present = static_cast<std::size_t>(truth.row(static_cast<Index>(i)).sum());
    samples[present] += 1.0;
    wrong[present] += predictions[i] != labels[i];
  }
  for (std::size_t present = 0; present < counts; ++present)
    wrong[present] = samples[present] > 0.0 ? wrong[present] / samples[present]
                                            : std::numeric_limits<double>::quiet_NaN();
  return wrong;
}

namespace {

/// So small a penalty that it only makes the optimum unique where classes can be separated.
constexpr double kInversePenalty = 1e6;

/// A linear head on the true concepts, and its caveat.
Result fitted_reference(const Subject& subject) {
  const CheckedIntervention& problem = subject.once(subject_intervention).problem;
  const Annotations& judged = subject.annotations();
  const Annotations* train = subject.views().train_annotations;
  const bool trained = train && train->concepts.size() > 0 && !train->labels.empty();
  const Annotations& shown = trained ? *train : judged;
  const auto head = numerics::logistic_regression(shown.concepts, shown.labels,
                                                  problem.untold().cols(), kInversePenalty);
  return {accuracy(judged.labels, head.classify(judged.concepts)),
          {},
          "the model brings no head that was trained on true concepts: the reference is a linear "
          "one, fitted to the " +
              std::to_string(shown.labels.size()) +
              (trained ? " training samples" : " samples judged")};
}

Result brought_reference(const Subject& subject) {
  const Matrix& outputs = subject.concepts().reference_outputs;
  if (outputs.cols() < 2) throw NotApplicable("needs two or more task outputs");
  return {accuracy(subject.annotations().labels, predicted_classes(outputs))};
}

Result reference_of(const Subject& subject) {
  Result out = subject.concepts().reference_outputs.size() > 0 ? brought_reference(subject)
                                                               : fitted_reference(subject);
  const double table = subject.once(table_of).value;
  if (out.value < table) {
    const auto n = static_cast<double>(subject.annotations().labels.size());
    const auto right = [n](double share) { return std::to_string(std::llround(share * n)); };
    add_note(out.caveat, "the reference head is right of " + right(out.value) + " of " +
                             right(1.0) + " samples, a table of true concepts of " + right(table));
  }
  return out;
}

Result s_int_of(const Subject& subject) {
  const InterventionCurve& curve = subject.once(oracle_curve);
  const Result& reference = subject.once(reference_of);
  const Annotations& known = subject.annotations();
  Result out{s_int(reference.value, curve), {}, subject.once(subject_intervention).caveat};
  if (((known.concepts.array() == 0.0) || (known.concepts.array() == 1.0)).all())
    out.parts = wrong_share_by_present(known.concepts, known.labels, curve.predictions.back());
  add_note(out.caveat, reference.caveat);
  return out;
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
      .uses = {"train_concept_view"},
      .compute = [](const Subject& subject) { return subject.once(reference_of); },
  };
  Metric lost = reference;
  lost.name = "s_int";
  lost.question =
      "How much less accurate is the model, told all true concepts, than a head of its kind "
      "trained on them?";
  lost.direction = Direction::kLower;
  lost.low = -1.0;
  lost.compute = s_int_of;
  return {reference, lost};
}

}  // namespace conoscope::metrics
