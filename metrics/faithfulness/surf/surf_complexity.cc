#include "metrics/faithfulness/surf/surf_complexity.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

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

std::vector<Metric> declare_complexity(const Surrogate& surrogate,
                                       Complexity (*cost)(const Subject&)) {
  Metric params;
  params.name = surrogate.prefix + "params";
  params.group = surrogate.group;
  params.question = "How many parameters must be trained to evaluate " + surrogate.text + "?";
  params.direction = Direction::kLower;
  params.unit = "parameters";
  params.source = "Kumar and Ahuja, arXiv 2504.10833, Table 3";
  params.needs = surrogate.needs;
  Metric flops = params;
  params.compute = [cost](const Subject& subject) -> Result {
    return {static_cast<double>(cost(subject).params)};
  };
  flops.name = surrogate.prefix + "flops";
  flops.question =
      "How many floating-point operations per sample, beyond those for the concept scores, does it "
      "take to evaluate " +
      surrogate.text + "?";
  flops.unit = "FLOP per sample";
  flops.compute = [cost](const Subject& subject) -> Result {
    return {static_cast<double>(cost(subject).flops)};
  };
  return {params, flops};
}

}  // namespace conoscope::metrics
