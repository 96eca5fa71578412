#include "harness/core/border/score_collector.h"

#include <algorithm>
#include <cmath>

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

ScoreCollector::ScoreCollector(const Metadata& metadata) : metadata_(metadata) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  raw_.score = [](void* self, const char* name, double value, const char* reason,
                  const char* message, const double* parts, std::int64_t count) {
    return static_cast<ScoreCollector*>(self)->take(name, value, reason, message, parts, count);
  };
}

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

cono_status ScoreCollector::take(const char* name, double value, const char* reason,
                                 const char* message, const double* parts, std::int64_t count) {
  const auto refuse = [this](std::string why) {
    fault = std::move(why);
    return CONO_INVALID_ARGUMENT;
  };
  const std::string given = name == nullptr ? "" : name;
  for (const auto& score : scores)
    if (score.name == given) return refuse("score " + given + " was given twice");
  metrics::Score out;
  out.name = given;
  if (message != nullptr) out.message = message;
  if (reason != nullptr) out.reason = reason;
  if (reason == nullptr) out.value = value;
  if (auto why = score_refusal(metadata_, given,
                               reason == nullptr ? std::optional(value) : std::nullopt, out.reason);
      !why.empty())
    return refuse(std::move(why));
  if (parts != nullptr && count > 0) out.parts.assign(parts, parts + count);
  scores.push_back(std::move(out));
  return CONO_OK;
}

}  // namespace conoscope::core
