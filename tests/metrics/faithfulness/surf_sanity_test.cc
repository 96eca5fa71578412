// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Perfect, half randomised and fully randomised explanations must come out in that order, for every
// measure that ranks: the sanity check of Kumar and Ahuja, Table 3. Means over ten draws.
constexpr int kDraws = 10;

using Means = std::map<std::string, double>;

Means mean_scores(Output output, const auto& explain) {
  HeadView head = random_head(200, 4, 16, 8, Pooling::kMean);
  head.output = output;
  // Logits around 0, or one output would win every sample and no importance could change that.
  head.bias = -head.weight * head.activations.all().colwise().mean().transpose();
  Annotations annotations;
  for (Index i = 0; i < head.samples(); ++i) annotations.labels.push_back(i % head.outputs());
  Means means;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Explanation explanation = explain(head, sdk::Seed(draw));
    Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
    for (const auto& [name, score] : score_group(subject, "surf"))
      if (score.reason.empty()) means[name] += score.value / kDraws;
  }
  return means;
}

TEST_CASE("surf_sanity: the ladder") {
  for (const Output output : {Output::kSoftmax, Output::kSigmoid, Output::kRegression}) {
    const auto perfect_of = [](const HeadView& head, sdk::Seed) {
      return perfect_explanation(head);
    };
    const Means perfect = mean_scores(output, perfect_of);
    const Means half = mean_scores(output, half_random_explanation);
    const Means random = mean_scores(output, random_explanation);
    int ranked = 0;
    for (const auto& [key, value] : perfect) {
      const std::string& name = key;  // clang 14 captures no structured binding
      const Metric* const info = catalogue().metric(name);
      REQUIRE(info);
      if (info->direction == Direction::kNone || name == "surf_params" || name == "surf_flops")
        continue;  // the cost of an explanation says nothing of its quality
      CAPTURE(name);
      const double sign = info->direction == Direction::kLower ? 1.0 : -1.0;
      CHECK(sign * value < sign * half.at(name));
      CHECK(sign * half.at(name) < sign * random.at(name));
      const double best = info->direction == Direction::kLower ? info->low : info->high;
      CHECK(value == doctest::Approx(best).epsilon(1e-12));
      ++ranked;
    }
    CHECK(ranked == (output == Output::kSoftmax ? 10 : output == Output::kSigmoid ? 6 : 2));
  }
}

}  // namespace

}  // namespace conoscope::tests
