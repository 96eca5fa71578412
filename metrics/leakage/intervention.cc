// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/intervention.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string>

#include "metrics/caveat.h"
#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/calibration.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/softmax.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "intervention";

void require_problem(const InterventionProblem& problem) {
  const Index n = problem.scores.rows(), k = problem.concepts(), columns = k * problem.width;
  if (n < 1 || k < 1 || problem.width < 1 || problem.scores.cols() != columns ||
      problem.truth.rows() != n)
    numerics::refuse(kName, "scores is " + numerics::shape_of(problem.scores) + ", truth " +
                                numerics::shape_of(problem.truth) + " and width " +
                                std::to_string(problem.width) +
                                "; they must be n x (k * width), n x k and >= 1");
  const bool vectors = problem.own_active.size() > 0 || problem.own_inactive.size() > 0;
  if (!vectors &&
      (problem.width != 1 || problem.active.size() != k || problem.inactive.size() != k))
    numerics::refuse(kName, "active " + std::to_string(problem.active.size()) + " and inactive " +
                                std::to_string(problem.inactive.size()) + " entries for " +
                                std::to_string(k) +
                                " concepts; as many are needed, or own_active and own_inactive");
  if (vectors && (problem.own_active.rows() != n || problem.own_active.cols() != columns ||
                  problem.own_inactive.rows() != n || problem.own_inactive.cols() != columns))
    numerics::refuse(kName, "own_active is " + numerics::shape_of(problem.own_active) +
                                " and own_inactive " + numerics::shape_of(problem.own_inactive) +
                                "; both must be " + std::to_string(n) + " x " +
                                std::to_string(columns));
  if (vectors && (problem.active.size() > 0 || problem.inactive.size() > 0))
    numerics::refuse(kName, "active and inactive are given beside own_active and own_inactive");
  numerics::require_finite(kName, "scores", problem.scores);
  numerics::require_finite(kName, "truth", problem.truth);
  numerics::require_finite_vector(kName, "active", problem.active);
  numerics::require_finite_vector(kName, "inactive", problem.inactive);
  numerics::require_finite(kName, "own_active", problem.own_active);
  numerics::require_finite(kName, "own_inactive", problem.own_inactive);
  if (problem.truth.minCoeff() < 0.0 || problem.truth.maxCoeff() > 1.0)
    numerics::refuse(kName,
                     "truth holds " +
                         std::to_string(problem.truth.minCoeff() < 0.0 ? problem.truth.minCoeff()
                                                                       : problem.truth.maxCoeff()) +
                         "; it must lie in 0 ... 1");
  if (!problem.head) numerics::refuse(kName, "head is empty");
}

void require_softmax_head(const CheckedIntervention& problem) {
  if (problem.untold().cols() < 2)
    numerics::refuse(kName, "head has one output; a softmax needs two or more");
}

Index count_of(const ConceptGroups& groups) { return static_cast<Index>(groups.size()); }

const IndexVector& members(const ConceptGroups& groups, Index group) {
  return groups[static_cast<size_t>(group)];
}

/// All samples told concept j, with this presence.
ToldConcepts all_told(const CheckedIntervention& problem, ToldConcepts concepts, Index j,
                      double presence) {
  for (Index i = 0; i < problem->samples(); ++i) concepts.tell(*problem, i, j, presence);
  return concepts;
}

/// The sample told the truth of these concepts.
void tell_truth(const CheckedIntervention& problem, ToldConcepts& concepts, Index sample,
                const IndexVector& of) {
  for (const Index j : of) concepts.tell(*problem, sample, j, problem->truth(sample, j));
}

/// n x k numbers of concepts -> n x G of groups, by `of` a group's in one sample.
template <typename Of>
Matrix of_groups(const Matrix& of_concepts, const ConceptGroups& groups, const Of& of) {
  Matrix out(of_concepts.rows(), count_of(groups));
  for (Index g = 0; g < out.cols(); ++g)
    for (Index i = 0; i < out.rows(); ++i) out(i, g) = of(of_concepts(i, members(groups, g)));
  return out;
}

// Tells each sample, step by step, the group of the largest value of `merit`; the first of ties.
template <typename Merit>
InterventionOrder greedy_order(const CheckedIntervention& problem, const Merit& merit) {
  const ConceptGroups& groups = problem.groups();
  const Index n = problem->samples(), count = count_of(groups);
  InterventionOrder order(n, count);
  ToldConcepts concepts(*problem);
  for (Index step = 0; step < count; ++step) {
    const Matrix merits = merit(concepts);
    for (Index i = 0; i < n; ++i) {
      Index best = -1;
      for (Index g = 0; g < count; ++g)
        if (concepts.told(i, members(groups, g).front()) == 0.0 &&
            (best < 0 || merits(i, g) > merits(i, best)))
          best = g;
      order(i, step) = best;
      tell_truth(problem, concepts, i, members(groups, best));
    }
  }
  return order;
}

}  // namespace

ConceptGroups concept_groups(const IndexVector& groups, Index concepts) {
  if (!groups.empty() && static_cast<Index>(groups.size()) != concepts)
    numerics::refuse(kName, "groups has " + std::to_string(groups.size()) + " entries for " +
                                std::to_string(concepts) + " concepts");
  std::map<Index, IndexVector> by_number;
  for (Index j = 0; j < concepts; ++j) {
    const Index group = groups.empty() ? j : groups[static_cast<size_t>(j)];
    if (group < 0)
      numerics::refuse(kName, "groups has " + std::to_string(group) + " for concept " +
                                  std::to_string(j) + "; groups count from 0");
    by_number[group].push_back(j);
  }
  ConceptGroups out;
  for (auto& [number, members] : by_number) out.push_back(std::move(members));
  return out;
}

CheckedIntervention::CheckedIntervention(InterventionProblem problem)
    : problem_(std::move(problem)) {
  require_problem(problem_);
  groups_ = concept_groups(problem_.groups, problem_.concepts());
  untold_ = answer(ToldConcepts(problem_));
  numerics::require_labels(kName, problem_.labels, problem_.samples(),
                           std::max<Index>(2, untold_.cols()));
}

Matrix CheckedIntervention::answer(const ToldConcepts& concepts) const {
  Matrix out = problem_.head(concepts.scores, concepts.told);
  if (out.rows() != concepts.scores.rows() || out.cols() < 1 ||
      (untold_.size() > 0 && out.cols() != untold_.cols()))
    numerics::refuse(kName, "head answers " + numerics::shape_of(out) + " for " +
                                std::to_string(concepts.scores.rows()) +
                                " samples, without interventions " + numerics::shape_of(untold_));
  numerics::require_finite(kName, "what head answers", out);
  return out;
}

ToldConcepts::ToldConcepts(const InterventionProblem& problem)
    : scores(problem.scores), told(Matrix::Zero(problem.samples(), problem.concepts())) {}

void ToldConcepts::tell(const InterventionProblem& problem, Index sample, Index concept_id,
                        double presence) {
  told(sample, concept_id) = 1.0;
  if (problem.own_active.size() == 0) {
    scores(sample, concept_id) =
        presence * problem.active(concept_id) + (1.0 - presence) * problem.inactive(concept_id);
    return;
  }
  const Index width = problem.width, first = concept_id * width;
  scores.row(sample).segment(first, width) =
      presence * problem.own_active.row(sample).segment(first, width) +
      (1.0 - presence) * problem.own_inactive.row(sample).segment(first, width);
}

InterventionValues intervention_values(const MatrixRef& logits) {
  constexpr const char* kOfValues = "intervention_values";
  const Index n = logits.rows(), k = logits.cols();
  if (n < 1 || k < 1)
    numerics::refuse(kOfValues, "logits is " + std::to_string(n) + " x " + std::to_string(k) +
                                    "; it must be n x k with n, k >= 1");
  numerics::require_finite(kOfValues, "logits", logits);
  InterventionValues out{Vector(k), Vector(k)};
  for (Index j = 0; j < k; ++j) {
    Vector values = logits.col(j);
    std::sort(values.begin(), values.end());
    const auto at = [&](double q) {
      const double place = static_cast<double>(n - 1) * q / 100.0;
      const auto low = static_cast<Index>(place);
      const Index high = std::min(low + 1, n - 1);
      return values(low) + (place - static_cast<double>(low)) * (values(high) - values(low));
    };
    out.inactive(j) = at(5.0);
    out.active(j) = at(95.0);
  }
  return out;
}

double area_under(const std::vector<double>& curve) {
  if (curve.size() < 2) return curve.empty() ? 0.0 : curve.front();
  const double sum = std::accumulate(curve.begin(), curve.end(), 0.0);
  return (sum - 0.5 * (curve.front() + curve.back())) / static_cast<double>(curve.size() - 1);
}

InterventionCurve intervention_curve(const CheckedIntervention& problem,
                                     const InterventionOrder& order) {
  const Index n = problem->samples(), count = count_of(problem.groups());
  if (order.rows() != n || order.cols() != count)
    numerics::refuse(kName, "order is " + numerics::shape_of(order) + "; it must be " +
                                std::to_string(n) + " x " + std::to_string(count));
  for (Index i = 0; i < n; ++i) {
    std::vector<bool> seen(static_cast<size_t>(count), false);
    for (Index j = 0; j < count; ++j) {
      const Index told = order(i, j);
      if (told < 0 || told >= count || seen[static_cast<size_t>(told)])
        numerics::refuse(kName, "order's row " + std::to_string(i) + " is no permutation: " +
                                    std::to_string(told) + " at place " + std::to_string(j));
      seen[static_cast<size_t>(told)] = true;
    }
  }
  InterventionCurve out;
  ToldConcepts concepts(*problem);
  for (Index step = 0;; ++step) {
    const Matrix answers = step == 0 ? problem.untold() : problem.answer(concepts);
    const Matrix probabilities = class_probabilities(answers);
    out.predictions.push_back(predicted_classes(answers));
    out.accuracy.push_back(accuracy(problem->labels, out.predictions.back()));
    out.ece.push_back(class_calibration(probabilities, problem->labels).ece);
    out.brier.push_back(brier(probabilities, problem->labels));
    if (step == count) return out;
    for (Index i = 0; i < n; ++i)
      tell_truth(problem, concepts, i, members(problem.groups(), order(i, step)));
  }
}

double intervention_gain(const CheckedIntervention& problem) {
  ToldConcepts told(*problem);
  for (const IndexVector& group : problem.groups())
    for (Index i = 0; i < problem->samples(); ++i) tell_truth(problem, told, i, group);
  return accuracy(problem->labels, predicted_classes(problem.answer(told))) -
         accuracy(problem->labels, predicted_classes(problem.untold()));
}

InterventionOrder random_order(Index samples, Index groups, std::uint64_t seed,
                               std::uint64_t stream) {
  if (samples < 1 || groups < 1)
    numerics::refuse("random_order", "samples is " + std::to_string(samples) + " and groups " +
                                         std::to_string(groups) + "; both must be >= 1");
  numerics::Random random(seed, stream);
  InterventionOrder out(samples, groups);
  for (Index i = 0; i < samples; ++i) {
    IndexVector row(static_cast<size_t>(groups));
    std::iota(row.begin(), row.end(), 0);
    random.shuffle(row);
    for (Index j = 0; j < groups; ++j) out(i, j) = row[static_cast<size_t>(j)];
  }
  return out;
}

InterventionOrder coop_order(const CheckedIntervention& problem, const MatrixRef& probabilities,
                             const CoopOptions& options) {
  require_softmax_head(problem);
  const Index n = problem->samples(), k = problem->concepts();
  if (probabilities.rows() != n || probabilities.cols() != k)
    numerics::refuse(kName, "probabilities is " + numerics::shape_of(probabilities) +
                                "; it must be " + std::to_string(n) + " x " + std::to_string(k));
  numerics::require_finite(kName, "probabilities", probabilities);
  if (probabilities.minCoeff() < 0.0 || probabilities.maxCoeff() > 1.0)
    numerics::refuse(kName, "probabilities has entries outside 0 ... 1");
  numerics::require_weight(kName, "entropy_weight", options.entropy_weight);
  numerics::require_weight(kName, "importance_weight", options.importance_weight);
  const Eigen::ArrayXXd p = probabilities.array(), q = 1.0 - p;
  const Matrix unsure = -(p * (p + 1e-8).log() + q * (q + 1e-8).log()) / std::numbers::ln2;
  return greedy_order(problem, [&](const ToldConcepts& concepts) {
    const Matrix now = numerics::softmax(problem.answer(concepts));
    const IndexVector answers = predicted_classes(now);
    Matrix merits = options.entropy_weight * unsure;
    for (Index j = 0; j < k; ++j) {
      const auto told = [&](double presence) {
        return numerics::softmax(problem.answer(all_told(problem, concepts, j, presence)));
      };
      const Matrix on = told(1.0), off = told(0.0);
      for (Index i = 0; i < n; ++i) {
        const Index y = answers[static_cast<size_t>(i)];
        const double expected = p(i, j) * on(i, y) + q(i, j) * off(i, y);
        merits(i, j) += options.importance_weight * std::abs(expected - now(i, y));
      }
    }
    return of_groups(merits, problem.groups(),
                     [](const auto& of_members) { return of_members.mean(); });
  });
}

InterventionOrder uncertainty_order(const MatrixRef& probabilities, const IndexVector& groups) {
  numerics::require_filled(kName, "probabilities", probabilities);
  if (probabilities.minCoeff() < 0.0 || probabilities.maxCoeff() > 1.0)
    numerics::refuse(kName, "probabilities has entries outside 0 ... 1");
  const Matrix unsure = of_groups((1.0 / (probabilities.array() - 0.5 + 1e-8).abs()).matrix(),
                                  concept_groups(groups, probabilities.cols()),
                                  [](const auto& of_members) { return of_members.maxCoeff(); });
  InterventionOrder out(unsure.rows(), unsure.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    IndexVector row(static_cast<size_t>(out.cols()));
    std::iota(row.begin(), row.end(), 0);
    std::ranges::stable_sort(row, [&](Index a, Index b) { return unsure(i, a) > unsure(i, b); });
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = row[static_cast<size_t>(j)];
  }
  return out;
}

Matrix expert_answers(const MatrixRef& truth, const VectorRef& competence, const MatrixRef& draws) {
  if (competence.size() != truth.cols() || draws.rows() != truth.rows() ||
      draws.cols() != truth.cols())
    numerics::refuse(kName, "truth is " + numerics::shape_of(truth) + ", competence has " +
                                std::to_string(competence.size()) + " entries and draws are " +
                                numerics::shape_of(draws) + "; they must be n x k, k and n x k");
  for (const double c : competence)
    if (!(c >= 0.0 && c <= 1.0))
      numerics::refuse(kName, "competence is " + std::to_string(c) + "; it must lie in 0 ... 1");
  Matrix out = truth;
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      if (draws(i, j) >= competence(j)) out(i, j) = 1.0 - out(i, j);
  return out;
}

InterventionOrder greedy_oracle_order(const CheckedIntervention& problem) {
  require_softmax_head(problem);
  const Index n = problem->samples(), count = count_of(problem.groups());
  return greedy_order(problem, [&](const ToldConcepts& concepts) {
    Matrix merits(n, count);
    for (Index g = 0; g < count; ++g) {
      ToldConcepts more = concepts;
      for (Index i = 0; i < n; ++i) tell_truth(problem, more, i, members(problem.groups(), g));
      const Matrix told = numerics::softmax(problem.answer(more));
      for (Index i = 0; i < n; ++i) merits(i, g) = told(i, problem->labels[static_cast<size_t>(i)]);
    }
    return merits;
  });
}

namespace {

constexpr std::uint64_t kRepeats = 5;

Result area_of(const Subject& subject, const std::vector<double>& curve) {
  const SubjectIntervention& of = subject.once(subject_intervention);
  Result out{area_under(curve), curve, of.caveat};
  if (!of.problem->groups.empty())
    add_note(out.caveat,
             "concepts were told in " + std::to_string(of.problem.groups().size()) + " groups");
  return out;
}

/// The problem with what an expert of the settings' competence says in place of the truth.
CheckedIntervention with_expert(const Subject& subject, const std::vector<Setting>& settings,
                                std::uint64_t repeat = 0) {
  const CheckedIntervention& problem = subject.once(subject_intervention).problem;
  const Index percent = settings.front().value;
  if (percent > 100) throw NotApplicable("competence is a percentage, at most 100");
  if (percent == 100) return problem;
  numerics::Random random(numerics::Seed(subject.seed()).child("expert").child(repeat));
  InterventionProblem told = *problem;
  Matrix draws(told.samples(), told.concepts());
  for (double& draw : draws.reshaped()) draw = random.uniform();
  told.truth = expert_answers(
      told.truth, Vector::Constant(told.concepts(), static_cast<double>(percent) / 100.0), draws);
  return told;
}

/// The mean of the curves of five random orders, without predictions.
InterventionCurve random_curve(const Subject& subject, const std::vector<Setting>& settings) {
  const CheckedIntervention& problem = subject.once(subject_intervention).problem;
  InterventionCurve mean;
  for (std::uint64_t repeat = 0; repeat < kRepeats; ++repeat) {
    const InterventionCurve curve = intervention_curve(
        with_expert(subject, settings, repeat),
        random_order(problem->samples(), count_of(problem.groups()), subject.seed(), repeat));
    for (const auto of :
         {&InterventionCurve::accuracy, &InterventionCurve::ece, &InterventionCurve::brier}) {
      (mean.*of).resize((curve.*of).size(), 0.0);
      for (size_t j = 0; j < (curve.*of).size(); ++j)
        (mean.*of)[j] += (curve.*of)[j] / static_cast<double>(kRepeats);
    }
  }
  return mean;
}

template <std::vector<double> InterventionCurve::*of>
Result random_of(const Subject& subject, const std::vector<Setting>& settings) {
  return area_of(subject, subject.once(random_curve, settings).*of);
}

Result uncertainty_of(const Subject& subject, const std::vector<Setting>& settings) {
  const Matrix& probabilities = subject.concepts().probabilities;
  if (probabilities.size() == 0)
    throw NotApplicable("the model gives no probabilities of concepts");
  const CheckedIntervention problem = with_expert(subject, settings);
  return area_of(
      subject,
      intervention_curve(problem, uncertainty_order(probabilities, problem->groups)).accuracy);
}

Result coop_of(const Subject& subject, const std::vector<Setting>& settings) {
  const CheckedIntervention problem = with_expert(subject, settings);
  return area_of(
      subject,
      intervention_curve(problem, coop_order(problem, subject.concepts().probabilities)).accuracy);
}

Result oracle_of(const Subject& subject) {
  return area_of(subject, subject.once(oracle_curve).accuracy);
}

Result gain_of(const Subject& subject) {
  const SubjectIntervention& of = subject.once(subject_intervention);
  return {intervention_gain(of.problem), {}, of.caveat};
}

}  // namespace

SubjectIntervention subject_intervention(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  const Matrix& truth = subject.annotations().concepts;
  if (!view.intervene) throw NotApplicable("the model answers no interventions");
  if (view.width != 1 && view.active.size() == 0)
    throw NotApplicable(
        "the model does not say which vectors stand for a present and an absent "
        "concept, so that an intervention has nothing to write");
  if (truth.cols() * view.width != view.scores.cols())
    throw NotApplicable("the model has " + std::to_string(view.scores.cols() / view.width) +
                        " concepts, the annotations " + std::to_string(truth.cols()));
  if (truth.minCoeff() < 0.0 || truth.maxCoeff() > 1.0)
    throw NotApplicable("the annotated concepts do not lie in 0 ... 1");
  if (view.outputs.cols() < 2) throw NotApplicable("needs two or more task outputs");
  InterventionProblem problem;
  std::string caveat;
  problem.scores = view.scores;
  problem.truth = truth;
  problem.labels = subject.annotations().labels;
  problem.head = view.intervene;
  problem.width = view.width;
  problem.groups = subject.annotations().concept_groups;
  if (view.active.size() > 0) {
    problem.own_active = view.active;
    problem.own_inactive = view.inactive;
  } else if (problem.scores.minCoeff() >= 0.0 && problem.scores.maxCoeff() <= 1.0) {
    problem.active = Vector::Ones(problem.concepts());
    problem.inactive = Vector::Zero(problem.concepts());
  } else {
    const ConceptView* train = subject.views().train_concepts;
    const InterventionValues values = intervention_values(train ? train->scores : problem.scores);
    problem.active = values.active;
    problem.inactive = values.inactive;
    caveat = std::string("logits were set to the 5th and 95th percentiles of the ") +
             (train ? "training samples" : "samples judged");
  }
  return {std::move(problem), std::move(caveat)};
}

InterventionCurve oracle_curve(const Subject& subject) {
  const CheckedIntervention& problem = subject.once(subject_intervention).problem;
  return intervention_curve(problem, greedy_oracle_order(problem));
}

std::vector<Metric> declare::intervention() {
  const auto row = [](const char* name, const char* question, std::string_view source,
                      Result (*compute)(const Subject&)) {
    return Metric{
        .name = name,
        .group = "intervention",
        .question = question,
        .direction = Direction::kHigher,
        .high = 1.0,
        .source = source,
        .needs = {"concept_view", "concepts", "labels"},
        .uses = {"train_concept_view"},
        .compute = compute,
    };
  };
  const auto told_by_expert = [&](const char* name, const char* question, std::string_view source,
                                  Result (*compute)(const Subject&, const std::vector<Setting>&)) {
    Metric metric = row(name, question, source, nullptr);
    metric.settings = {{"competence", 100, 0}};
    metric.compute_with = compute;
    return metric;
  };
  Metric gain = row("intervention_gain",
                    "How much accuracy does the model gain by being told all true concepts?",
                    "Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation "
                    "Evaluation, AAAI 2023, Figs. 5 and A.5",
                    gain_of);
  gain.low = -1.0;
  gain.direction = Direction::kNone;  // a model that knows its concepts has nothing to win
  const auto calibrated = [&](const char* name, const char* question, double high,
                              std::string_view source,
                              Result (*compute)(const Subject&, const std::vector<Setting>&)) {
    Metric metric = told_by_expert(name, question, source, compute);
    metric.direction = Direction::kLower;
    metric.high = high;
    return metric;
  };
  return {
      told_by_expert(
          "intervention_random",
          "How accurate is the model on average while it is told the true concepts in random "
          "order?",
          "Koh et al., Concept Bottleneck Models, ICML 2020",
          random_of<&InterventionCurve::accuracy>),
      calibrated("intervention_ece",
                 "Does the probability of the predicted class say how often it is right, while the "
                 "model is told the true concepts in random order?",
                 1.0, "Guo et al., On Calibration of Modern Neural Networks, ICML 2017",
                 random_of<&InterventionCurve::ece>),
      calibrated("intervention_brier",
                 "How far are the probabilities of classes from the label, while the model is told "
                 "the true concepts in random order?",
                 2.0, "Brier, Monthly Weather Review 78, 1950",
                 random_of<&InterventionCurve::brier>),
      told_by_expert(
          "intervention_uncertainty",
          "How accurate is the model on average while it is told the true concepts, those first of "
          "which it is least sure?",
          "Shin et al., ICML 2023; as in the code of Parisini et al., 2025", uncertainty_of),
      told_by_expert(
          "intervention_coop",
          "How accurate is the model on average while it is told the true concepts in the order "
          "that CooP chooses?",
          "Chauhan et al., Interactive Concept Bottleneck Models, AAAI 2023", coop_of),
      row("intervention_oracle",
          "How accurate would the model be on average if it were always told the true concept that "
          "helps most?",
          "conoscope; the upper mark of the policies", oracle_of),
      gain,
  };
}

}  // namespace conoscope::metrics
