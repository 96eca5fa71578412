// SPDX-License-Identifier: Apache-2.0
#include "metrics/causal/cace.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "metrics/causal/causal_effects.h"
#include "metrics/caveat.h"
#include "metrics/left_out.h"
#include "metrics/purity/concept_labels.h"
#include "numerics/checks.h"
#include "numerics/statistics/correlation.h"

namespace conoscope::metrics {

namespace {

constexpr double kLeastCoverage = 0.9;

/// The rows of concepts that change, of both.
struct KnownEffects {
  Matrix truth, claim;
  IndexVector unknown;  ///< rows that were left out
};

KnownEffects known(const char* metric, const MatrixRef& truth, const MatrixRef& claim) {
  if (truth.rows() != claim.rows() || truth.cols() != claim.cols())
    numerics::refuse(
        metric, "truth is " + numerics::shape_of(truth) + ", claim " + numerics::shape_of(claim));
  IndexVector rows, unknown;
  for (Index j = 0; j < truth.rows(); ++j)
    (truth.row(j).array().isNaN().any() ? unknown : rows).push_back(j);
  KnownEffects out{truth(rows, Eigen::all), claim(rows, Eigen::all), std::move(unknown)};
  numerics::require_finite(metric, "truth", out.truth);
  numerics::require_finite(metric, "claim", out.claim);
  if (out.truth.size() == 0) throw std::domain_error("no annotated concept changes");
  return out;
}

}  // namespace

Result cace_error(const MatrixRef& truth, const MatrixRef& claim) {
  const KnownEffects effects = known("cace_error", truth, claim);
  const double norm = effects.truth.norm();
  if (norm == 0.0) throw std::domain_error("no concept has an effect on an output");
  const Matrix error = effects.claim - effects.truth;
  Result result{error.norm() / norm};
  for (const auto of_concept : error.rowwise())
    result.parts.push_back(std::sqrt(of_concept.array().square().mean()));
  result.parts = with_gaps(result.parts, effects.unknown);
  return result;
}

Result cace_correlation(const MatrixRef& truth, const MatrixRef& claim) {
  const KnownEffects effects = known("cace_correlation", truth, claim);
  const Index pairs = effects.truth.size();
  if (pairs < 3) throw std::domain_error(std::to_string(pairs) + " effects have no correlation");
  if (effects.truth.minCoeff() == effects.truth.maxCoeff())
    throw std::domain_error("all effects are the same");
  if (effects.claim.minCoeff() == effects.claim.maxCoeff())
    throw std::domain_error("all claims are the same");
  return {numerics::pearson(Eigen::Map<const Vector>(effects.truth.data(), pairs),
                            Eigen::Map<const Vector>(effects.claim.data(), pairs))
              .r};
}

namespace {

struct EffectsOfSubject {
  Matrix truth, claim;
  std::string caveat;
};

Matrix observed(const Subject& subject, const MatrixRef& values, std::string& caveat) {
  const Matrix& concepts = detail::binary_concepts(subject);
  const CausalEffects found = causal_effects(values, concepts);
  if (found.coverage < kLeastCoverage)
    throw std::domain_error(
        "a concept occurs in only " + std::to_string(std::lround(100.0 * found.coverage)) +
        " % of the combinations of the others; below " +
        std::to_string(std::lround(100.0 * kLeastCoverage)) + " % its effect is not known");
  Index constant = 0;
  for (const auto of_concept : found.effect.rowwise()) constant += of_concept.array().isNaN().any();
  if (constant > 0) caveat = left_out(constant, "concept", "annotated alike in all samples");
  return found.effect;
}

/// Effects on what a softmax reads: a number that is added to all logits changes no probability.
void centre_outputs(EffectsOfSubject& effects) {
  for (Matrix* effect : {&effects.truth, &effects.claim})
    *effect = effect->colwise() - effect->rowwise().mean().eval();
}

EffectsOfSubject effects_of(const Subject& subject) {
  EffectsOfSubject out;
  if (subject.offers("explanation") && subject.offers("head_view")) {
    require_pooled(subject);
    out.truth = observed(subject, subject.once(model_logits_of).matrix(), out.caveat);
    out.claim = claimed_effects(subject.once(explained_head), subject.annotations().concepts);
    if (subject.head().output == Output::kSoftmax) centre_outputs(out);
    return out;
  }
  if (!subject.offers("labels")) throw NotApplicable("needs labels to ask a concept model's head");
  const SubjectIntervention& model = subject.once(subject_intervention);
  out.truth = observed(subject, model.problem.untold(), out.caveat);
  out.claim = claimed_effects(model.problem);
  if (out.claim.cols() > 1) centre_outputs(out);  // classes
  add_note(out.caveat, model.caveat);
  return out;
}

template <Result (*Measure)(const MatrixRef&, const MatrixRef&)>
Result measured(const Subject& subject) {
  const EffectsOfSubject& effects = subject.once(effects_of);
  Result result = Measure(effects.truth, effects.claim);
  result.caveat = effects.caveat;
  return result;
}

}  // namespace

std::vector<Metric> declare::cace() {
  Metric error{
      .name = "cace_error",
      .group = "causal",
      .question =
          "How far are the effects on the model's outputs that an explanation claims for concepts "
          "from those of changing the concepts?",
      .direction = Direction::kLower,
      .source = "ours; the causal concept effect of Goyal et al., arXiv 1907.07165",
      .needs = {"concept_view", "concepts"},
      .uses = {"head_view", "explanation", "labels", "train_concept_view"},
      .parts = "concept",
      .compute = measured<metrics::cace_error>,
  };
  Metric correlation = error;
  correlation.name = "cace_correlation";
  correlation.question =
      "Do the effects on the model's outputs that an explanation claims for concepts correlate "
      "with those of changing the concepts, whatever their unit?";
  correlation.parts = "";
  correlation.direction = Direction::kHigher;
  correlation.low = -1.0;
  correlation.high = 1.0;
  correlation.compute = measured<metrics::cace_correlation>;
  return {error, correlation};
}

}  // namespace conoscope::metrics
