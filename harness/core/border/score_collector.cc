// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/score_collector.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace conoscope::core {

std::string score_refusal(const Metadata& metadata, const std::string& name,
                          std::optional<double> value, const std::string& reason) {
  const auto it = std::find_if(metadata.scores.begin(), metadata.scores.end(),
                               [&](const ScoreSpec& spec) { return spec.name == name; });
  if (it == metadata.scores.end()) return "score " + name + " is not in its metadata";
  if (!value)
    return reason == "undefined" || reason == "not_applicable"
               ? ""
               : "score " + name + ": reason \"" + reason +
                     "\" is neither undefined nor not_applicable";
  if (!std::isfinite(*value))
    return "score " + name + " is not a finite number: " + std::to_string(*value);
  if ((it->low && *value < *it->low) || (it->high && *value > *it->high))
    return "score " + name + " = " + to_text(*value) + " is outside its declared range";
  return "";
}

ScoreCollector::ScoreCollector(const Metadata& metadata) : metadata_(metadata) {}

void ScoreCollector::give_rest(const std::string& reason, const std::string& message) {
  for (const ScoreSpec& spec : metadata_.scores) {
    if (std::ranges::any_of(scores, [&](const auto& given) { return given.name == spec.name; }))
      continue;
    metrics::Score out;
    out.name = spec.name;
    out.reason = reason;
    out.message = message;
    scores.push_back(std::move(out));
  }
}

void ScoreCollector::take(const std::string& name, std::optional<double> value,
                          const std::string& reason, const std::string& message,
                          std::vector<double> parts) {
  std::string why = score_refusal(metadata_, name, value, reason);
  if (std::ranges::any_of(scores, [&](const auto& given) { return given.name == name; }))
    why = "score " + name + " was given twice";
  if (!why.empty()) {
    if (fault.empty()) fault = std::move(why);
    return;
  }
  metrics::Score out;
  out.name = name;
  out.value = value.value_or(out.value);
  out.reason = reason;
  out.message = message;
  out.parts = std::move(parts);
  scores.push_back(std::move(out));
}

}  // namespace conoscope::core
