// SPDX-License-Identifier: Apache-2.0
#include "metrics/metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

/// What a metric may need of a subject: its name, in words, and when it is there.
struct Need {
  std::string_view name, text;
  bool (*offered)(const Views&);
};

template <auto Member>
bool is_annotated(const Views& views) {
  return views.annotations != nullptr && std::size(views.annotations->*Member) > 0;
}

constexpr std::array<Need, 17> kNeeds{{
    {"head_view", "a head view", [](const Views& v) { return v.head != nullptr; }},
    {"train_head_view", "a head view of the training split",
     [](const Views& v) { return v.train_head != nullptr; }},
    {"explanation", "an explanation", [](const Views& v) { return v.explanation != nullptr; }},
    {"concept_view", "a concept view", [](const Views& v) { return v.concepts != nullptr; }},
    {"train_concept_view", "a concept view of the training split",
     [](const Views& v) { return v.train_concepts != nullptr; }},
    {"latent_view", "a latent view", [](const Views& v) { return v.latent != nullptr; }},
    {"labels", "annotated labels", is_annotated<&Annotations::labels>},
    {"targets", "annotated targets", is_annotated<&Annotations::targets>},
    {"concepts", "annotated concepts", is_annotated<&Annotations::concepts>},
    {"factors", "annotated factors", is_annotated<&Annotations::factors>},
    {"truth", "a world whose features are known",
     [](const Views& v) { return v.truth != nullptr; }},
    {"inputs", "images", [](const Views& v) { return v.images != nullptr; }},
    {"forward", "a model that runs new inputs (forward)",
     [](const Views& v) { return v.images != nullptr && v.images->forward != nullptr; }},
    {"decode", "a model that turns codes back into inputs (decode)",
     [](const Views& v) { return v.latent != nullptr && v.latent->decode != nullptr; }},
    {"head", "a model that runs new activations (head)",
     [](const Views& v) { return v.above != nullptr; }},
    // Of peer metrics, which are told of other cells.
    {"other_seeds", "other seeds of the same cell", [](const Views&) { return false; }},
    {"clean_explanation", "a control that moves the training samples (poisoned or noisy)",
     [](const Views&) { return false; }},
}};

const Need& known_need(std::string_view name) {
  const auto found = std::find_if(kNeeds.begin(), kNeeds.end(),
                                  [&](const Need& need) { return need.name == name; });
  if (found == kNeeds.end())
    throw std::logic_error("no subject offers " + std::string(name) +
                           "; needs are listed in metric.cc");
  return *found;
}

/// Labels number the classes that the model tells apart. One beyond them is a mistake (they were
/// counted from 1), also where a metric would make a number of it.
/// returns  true
/// throws   std::invalid_argument: the first such label
bool labels_are_classes(const Subject& subject) {
  const IndexVector& labels = subject.annotations().labels;
  const auto require = [&labels](Index classes) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] < 0 || labels[i] >= classes)
        numerics::refuse("labels", "label " + std::to_string(labels[i]) + " of sample " +
                                       std::to_string(i) + " is outside 0 ... " +
                                       std::to_string(classes - 1) +
                                       ", the model's classes, which count from 0");
  };
  const Views& views = subject.views();
  if (views.head != nullptr && views.head->output == Output::kSoftmax)
    require(views.head->outputs());
  if (views.concepts != nullptr && views.concepts->outputs.size() > 0)
    require(std::max<Index>(2, views.concepts->outputs.cols()));  // one column: no or yes
  return true;
}

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

std::string_view need_text(std::string_view need) { return known_need(need).text; }

bool Subject::offers(std::string_view need) const { return known_need(need).offered(views_); }

bool Metric::asks_for(std::string_view view) const {
  return std::find(needs.begin(), needs.end(), view) != needs.end() ||
         std::find(uses.begin(), uses.end(), view) != uses.end();
}

Score score(const Metric& metric, const Subject& subject) {
  for (const std::string_view need : metric.needs)
    if (!subject.offers(need))
      return none(metric, "not_applicable", "needs " + std::string(need_text(need)));
  if (metric.asks_for("labels") && subject.offers("labels")) subject.once(labels_are_classes);
  try {
    Result result =
        metric.compute ? metric.compute(subject) : metric.compute_with(subject, metric.settings);
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
