#include "metrics/metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace conoscope::metrics {

namespace {

struct NeedText {
  std::string_view need, text;
};

constexpr std::array<NeedText, 15> kNeeds{{
    {"head_view", "a head view"},
    {"train_head_view", "a head view of the training split"},
    {"explanation", "an explanation"},
    {"concept_view", "a concept view"},
    {"train_concept_view", "a concept view of the training split"},
    {"latent_view", "a latent view"},
    {"labels", "annotated labels"},
    {"targets", "annotated targets"},
    {"concepts", "annotated concepts"},
    {"factors", "annotated factors"},
    {"inputs", "images"},
    {"forward", "a model that runs new inputs (forward)"},
    {"other_seeds", "other seeds of the same cell"},
    {"clean_explanation", "a control that moves the training samples (poisoned or noisy)"},
    {"head", "a model that runs new activations (head)"},
}};

Score none(const Metric& metric, const char* reason, std::string message) {
  return {metric.name, 0.0, reason, std::move(message), {}};
}

/// More than the last digits of a sum.
bool outside(double value, const Metric& metric) {
  constexpr double kRounding = 1e-9;
  const double slack = kRounding * std::max(1.0, std::abs(value));
  return value < metric.low - slack || value > metric.high + slack;
}

}  // namespace

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::kLower:
      return "lower";
    case Direction::kHigher:
      return "higher";
    case Direction::kNone:
      break;
  }
  return "none";
}

std::string_view need_text(std::string_view need) {
  const auto found = std::find_if(kNeeds.begin(), kNeeds.end(),
                                  [&](const NeedText& known) { return known.need == need; });
  if (found == kNeeds.end())
    throw std::logic_error("no subject offers " + std::string(need) +
                           "; needs are listed in metric.cc");
  return found->text;
}

bool Subject::offers(std::string_view need) const {
  const Annotations* known = views_.annotations;
  if (need == "head_view") return views_.head != nullptr;
  if (need == "train_head_view") return views_.train_head != nullptr;
  if (need == "explanation") return views_.explanation != nullptr;
  if (need == "concept_view") return views_.concepts != nullptr;
  if (need == "train_concept_view") return views_.train_concepts != nullptr;
  if (need == "latent_view") return views_.latent != nullptr;
  if (need == "labels") return known && !known->labels.empty();
  if (need == "targets") return known && known->targets.size() > 0;
  if (need == "concepts") return known && known->concepts.size() > 0;
  if (need == "factors") return known && known->factors.size() > 0;
  if (need == "inputs") return views_.images != nullptr;
  if (need == "forward") return views_.images != nullptr && views_.images->forward != nullptr;
  if (need == "head") return views_.above != nullptr;
  return false;
}

bool Metric::asks_for(std::string_view view) const {
  return std::find(needs.begin(), needs.end(), view) != needs.end() ||
         std::find(uses.begin(), uses.end(), view) != uses.end();
}

Score score(const Metric& metric, const Subject& subject) {
  for (const std::string_view need : metric.needs)
    if (!subject.offers(need))
      return none(metric, "not_applicable", "needs " + std::string(need_text(need)));
  try {
    Result result = metric.compute(subject);
    if (!std::isfinite(result.value) || outside(result.value, metric))
      throw std::logic_error(metric.name + " = " + std::to_string(result.value) +
                             " lies outside its declared range " + std::to_string(metric.low) +
                             " ... " + std::to_string(metric.high));
    return {metric.name, result.value, "", std::move(result.caveat), std::move(result.parts)};
  } catch (const NotApplicable& error) {
    return none(metric, "not_applicable", error.what());
  } catch (const std::domain_error& error) {
    return none(metric, "undefined", error.what());
  }
}

}  // namespace conoscope::metrics
