#include "harness/core/border/score_collector.h"

#include <algorithm>
#include <cmath>

namespace conoscope::core {

ScoreCollector::ScoreCollector(const Metadata& metadata) : metadata_(metadata) {
  raw_.struct_size = sizeof(raw_);
  raw_.self = this;
  raw_.score = [](void* self, const char* name, double value, const char* reason,
                  const char* message, const double* parts, std::int64_t count) {
    return static_cast<ScoreCollector*>(self)->take(name, value, reason, message, parts, count);
  };
}

cono_status ScoreCollector::take(const char* name, double value, const char* reason,
                                 const char* message, const double* parts, std::int64_t count) {
  const auto refuse = [this](std::string why) {
    fault = std::move(why);
    return CONO_INVALID_ARGUMENT;
  };
  const std::string given = name == nullptr ? "" : name;
  const auto it = std::find_if(metadata_.scores.begin(), metadata_.scores.end(),
                               [&](const ScoreSpec& spec) { return spec.name == given; });
  if (it == metadata_.scores.end()) return refuse("score " + given + " is not in its metadata");
  for (const auto& score : scores)
    if (score.name == given) return refuse("score " + given + " was given twice");
  metrics::Score out;
  out.name = given;
  if (message != nullptr) out.message = message;
  if (reason != nullptr) {
    out.reason = reason;
    if (out.reason != "undefined" && out.reason != "not_applicable")
      return refuse("score " + given + ": reason \"" + out.reason +
                    "\" is neither undefined nor not_applicable");
  } else {
    out.value = value;
    if (!std::isfinite(value))
      return refuse("score " + given + " is not a finite number: " + std::to_string(value));
    if ((it->low && value < *it->low) || (it->high && value > *it->high))
      return refuse("score " + given + " = " + to_text(value) + " is outside its declared range");
  }
  if (parts != nullptr && count > 0) out.parts.assign(parts, parts + count);
  scores.push_back(std::move(out));
  return CONO_OK;
}

}  // namespace conoscope::core
