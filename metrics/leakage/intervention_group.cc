#include "metrics/leakage/intervention_group.h"

#include <string>
#include <utility>

#include "metrics/leakage/intervention.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::not_applicable, detail::number;

constexpr const char* kNames[] = {"intervention_random", "intervention_coop", "intervention_oracle",
                                  "reference_accuracy", "s_int"};
constexpr std::uint64_t kRepeats = 5;

std::string lacking(const Subject& subject) {
  if (!subject.concepts) return "needs a concept view";
  const ConceptView& concepts = *subject.concepts;
  if (!concepts.intervene) return "the model answers no interventions";
  if (concepts.width != 1) return "needs scalar concepts: what a vector is to be set to is unknown";
  if (!subject.annotations || subject.annotations->concepts.size() == 0)
    return "needs annotations.concepts";
  const Matrix& truth = subject.annotations->concepts;
  if (truth.cols() != concepts.scores.cols())
    return "the model has " + std::to_string(concepts.scores.cols()) +
           " concepts, the annotations " + std::to_string(truth.cols());
  if (truth.minCoeff() < 0.0 || truth.maxCoeff() > 1.0)
    return "annotations.concepts do not lie in 0 ... 1";
  if (subject.annotations->labels.empty()) return "needs annotations.labels";
  if (concepts.outputs.cols() < 2) return "needs two or more task outputs";
  return "";
}

}  // namespace

std::vector<Score> intervention(const Subject& subject) {
  std::vector<Score> scores;
  if (const std::string why = lacking(subject); !why.empty()) {
    for (const char* name : kNames) scores.push_back(not_applicable(name, why));
    return scores;
  }
  const ConceptView& view = *subject.concepts;
  InterventionProblem problem;
  problem.scores = view.scores;
  problem.truth = subject.annotations->concepts;
  problem.labels = subject.annotations->labels;
  problem.head = view.intervene;
  const Index n = problem.scores.rows(), k = problem.scores.cols();
  std::string message;
  if (problem.scores.minCoeff() >= 0.0 && problem.scores.maxCoeff() <= 1.0) {
    problem.active = Vector::Ones(k);
    problem.inactive = Vector::Zero(k);
  } else {
    const InterventionValues values = intervention_values(problem.scores);
    problem.active = values.active;
    problem.inactive = values.inactive;
    message = "logits were set to the 5th and 95th percentiles of the samples judged";
  }

  InterventionCurve mean;
  mean.accuracy.assign(static_cast<size_t>(k) + 1, 0.0);
  for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
    const InterventionCurve curve =
        intervention_curve(problem, random_order(n, k, subject.seed, repeat));
    for (size_t j = 0; j < curve.accuracy.size(); ++j)
      mean.accuracy[j] += curve.accuracy[j] / static_cast<double>(kRepeats);
  }
  const auto add = [&](const char* name, const InterventionCurve& curve) {
    scores.push_back(number(name, curve.area(), curve.accuracy));
    scores.back().message = message;
  };
  add("intervention_random", mean);
  add("intervention_coop", intervention_curve(problem, coop_order(problem, view.probabilities)));
  const InterventionCurve oracle = intervention_curve(problem, greedy_oracle_order(problem));
  add("intervention_oracle", oracle);
  const ReferenceAccuracy reference = reference_accuracy(problem.truth, problem.labels);
  scores.push_back(number("reference_accuracy", reference.value));
  scores.back().message = std::to_string(reference.combinations) + " combinations of concepts in " +
                          std::to_string(n) + " samples";
  scores.push_back(number("s_int", s_int(reference.value, oracle)));
  scores.back().message = message;
  return scores;
}

void add_intervention(Catalogue& catalogue) {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr std::string_view kGroup = "intervention";
  constexpr std::string_view kPaper =
      "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025";
  const std::vector<std::string_view> views{"concept_view", "concepts", "labels"};
  catalogue.add(
      {kGroup, intervention},
      {
          {"intervention_random", kGroup, "How right is the model while told concepts at random?",
           kHigher, 0.0, 1.0, "", "Koh et al., Concept Bottleneck Models, ICML 2020", views},
          {"intervention_coop", kGroup, "How right is it while told the most telling ones first?",
           kHigher, 0.0, 1.0, "",
           "Chauhan et al., Interactive Concept Bottleneck Models, AAAI 2023", views},
          {"intervention_oracle", kGroup, "How right could it be, told the best one first?",
           kHigher, 0.0, 1.0, "", "conoscope; the upper mark of the policies", views},
          {"reference_accuracy", kGroup, "How right could any head be on the true concepts?",
           Direction::kNone, 0.0, 1.0, "", kPaper, views},
          {"s_int", kGroup, "How much accuracy is missing once all concepts are told?", kLower,
           -1.0, 1.0, "", kPaper, views},
      });
}

}  // namespace conoscope::metrics
