// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_complexity.h"

#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr std::string_view kSource = "Kumar and Ahuja, arXiv 2504.10833, Table 3";

std::int64_t total(const char* name, const IndexVector& concepts) {
  if (concepts.empty()) numerics::refuse(name, "no output");
  std::int64_t sum = 0;
  for (const Index count : concepts) {
    if (count < 0) numerics::refuse(name, "an output has " + std::to_string(count) + " concepts");
    sum += count;
  }
  return sum;
}

}  // namespace

Complexity surf_complexity(const IndexVector& concepts) {
  return {0, 2 * total("surf_complexity", concepts)};
}

Complexity ice_complexity(const IndexVector& concepts, Index width) {
  if (width < 1) numerics::refuse("ice_complexity", "width is " + std::to_string(width));
  const std::int64_t sum = total("ice_complexity", concepts);
  return {0, width * (2 * sum + static_cast<std::int64_t>(concepts.size()))};
}

Complexity c_shap_complexity(Index outputs, Index concepts, Index width, Index hidden) {
  if (outputs < 1 || concepts < 1 || width < 1 || hidden < 1)
    numerics::refuse("c_shap_complexity", std::to_string(outputs) + " outputs, " +
                                              std::to_string(concepts) + " concepts, width " +
                                              std::to_string(width) + ", hidden " +
                                              std::to_string(hidden) + "; each must be >= 1");
  return {concepts * hidden + hidden + hidden * width + width,
          2 * outputs * (hidden * concepts + hidden * width + width)};
}

Metric declare_params(std::string name, const Surrogate& surrogate,
                      Complexity (*cost)(const Subject&)) {
  return {.name = std::move(name),
          .group = surrogate.group,
          .question = "How many parameters must be trained to evaluate " + surrogate.text + "?",
          .direction = Direction::kLower,
          .unit = "parameters",
          .source = kSource,
          .needs = surrogate.needs,
          .compute = [cost](const Subject& subject) -> Result {
            return {static_cast<double>(cost(subject).params)};
          }};
}

Metric declare_flops(std::string name, const Surrogate& surrogate,
                     Complexity (*cost)(const Subject&)) {
  return {.name = std::move(name),
          .group = surrogate.group,
          .question =
              "How many floating-point operations per sample, beyond those for the concept "
              "scores, does it take to evaluate " +
              surrogate.text + "?",
          .direction = Direction::kLower,
          .unit = "FLOP per sample",
          .source = kSource,
          .needs = surrogate.needs,
          .compute = [cost](const Subject& subject) -> Result {
            return {static_cast<double>(cost(subject).flops)};
          }};
}

}  // namespace conoscope::metrics
