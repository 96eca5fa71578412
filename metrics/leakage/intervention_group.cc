#include "metrics/leakage/intervention_group.h"

#include <string>
#include <utility>

#include "metrics/catalogue.h"
#include "metrics/leakage/intervention.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::not_applicable, detail::number;

constexpr const char* kNames[] = {"intervention_random", "intervention_coop", "intervention_oracle",
                                  "reference_accuracy", "s_int"};
constexpr std::uint64_t kRepeats = 5;

std::string lacking(const Views& subject) {
  if (!subject.concepts) return "needs a concept view";
  const ConceptView& concepts = *subject.concepts;
  if (!concepts.intervene) return "the model answers no interventions";
  if (concepts.width != 1 && concepts.active.size() == 0)
    return "needs the vectors of a concept that is there and that is not: what one is to be set to "
           "is unknown";
  if (!subject.annotations || subject.annotations->concepts.size() == 0)
    return "needs annotations.concepts";
  const Matrix& truth = subject.annotations->concepts;
  if (truth.cols() * concepts.width != concepts.scores.cols())
    return "the model has " + std::to_string(concepts.scores.cols() / concepts.width) +
           " concepts, the annotations " + std::to_string(truth.cols());
  if (truth.minCoeff() < 0.0 || truth.maxCoeff() > 1.0)
    return "annotations.concepts do not lie in 0 ... 1";
  if (subject.annotations->labels.empty()) return "needs annotations.labels";
  if (concepts.outputs.cols() < 2) return "needs two or more task outputs";
  return "";
}

/// The accuracy that a head made for true concepts has, and how it was found.
std::pair<double, std::string> reference_of(const Views& subject) {
  const Annotations& judged = *subject.annotations;
  const Annotations* train = subject.train_annotations;
  if (train && train->concepts.size() > 0 && !train->labels.empty())
    return {reference_head_accuracy(train->concepts, train->labels, judged.concepts, judged.labels),
            "a head made on " + std::to_string(train->labels.size()) + " training samples"};
  const ReferenceAccuracy best = reference_accuracy(judged.concepts, judged.labels);
  return {best.value, std::to_string(best.combinations) + " combinations of concepts in " +
                          std::to_string(judged.labels.size()) + " samples"};
}

}  // namespace

std::vector<Score> intervention(const Views& subject) {
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
  problem.width = view.width;
  const Index n = problem.scores.rows(), k = problem.concepts();
  std::string message;
  if (view.active.size() > 0) {
    problem.own_active = view.active;
    problem.own_inactive = view.inactive;
  } else if (problem.scores.minCoeff() >= 0.0 && problem.scores.maxCoeff() <= 1.0) {
    problem.active = Vector::Ones(k);
    problem.inactive = Vector::Zero(k);
  } else {
    const ConceptView* train = subject.train_concepts;
    const InterventionValues values = intervention_values(train ? train->scores : problem.scores);
    problem.active = values.active;
    problem.inactive = values.inactive;
    message = std::string("logits were set to the 5th and 95th percentiles of the ") +
              (train ? "training samples" : "samples judged");
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
  const auto [reference, how] = reference_of(subject);
  scores.push_back(number("reference_accuracy", reference));
  scores.back().message = how;
  scores.push_back(number("s_int", s_int(reference, oracle)));
  scores.back().message = message;
  return scores;
}

std::vector<Metric> declare::intervention() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr std::string_view kGroup = "intervention";
  constexpr std::string_view kPaper =
      "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025";
  const std::vector<std::string_view> views{"concept_view", "concepts", "labels"};
  return from_pass<metrics::intervention>({
      {"intervention_random",
       kGroup,
       "How right is the model while told concepts at random?",
       kHigher,
       0.0,
       1.0,
       "",
       "Koh et al., Concept Bottleneck Models, ICML 2020",
       views,
       {"train_concept_view"}},
      {"intervention_coop",
       kGroup,
       "How right is it while told the most telling ones first?",
       kHigher,
       0.0,
       1.0,
       "",
       "Chauhan et al., Interactive Concept Bottleneck Models, AAAI 2023",
       views,
       {"train_concept_view"}},
      {"intervention_oracle",
       kGroup,
       "How right could it be, told the best one first?",
       kHigher,
       0.0,
       1.0,
       "",
       "conoscope; the upper mark of the policies",
       views,
       {"train_concept_view"}},
      {"reference_accuracy",
       kGroup,
       "How right is a head made for the true concepts?",
       Direction::kNone,
       0.0,
       1.0,
       "",
       kPaper,
       views,
       {"train_concept_view"}},
      {"s_int",
       kGroup,
       "How much accuracy is missing once all concepts are told?",
       kLower,
       -1.0,
       1.0,
       "",
       kPaper,
       views,
       {"train_concept_view"}},
  });
}

}  // namespace conoscope::metrics
