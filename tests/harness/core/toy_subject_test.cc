// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/toy_subject.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "tests/support/scratch.h"

namespace conoscope::tests {

namespace {

using core::ArrayBag;

std::vector<double> values(const ArrayBag& bag, const char* name) {
  const auto all = bag.get(name).values<const double>();
  return {all.begin(), all.end()};
}

/// Of each output, the largest importance as a share of all.
std::vector<double> largest_shares(const ArrayBag& explanation) {
  const auto importance = values(explanation, "importance");
  std::vector<double> out;
  auto at = importance.begin();
  const auto counts = explanation.get("counts").values<const std::int64_t>();
  for (const std::int64_t count : counts) {
    double sum = 0.0;
    for (auto i = at; i != at + count; ++i) sum += *i;
    out.push_back(*std::max_element(at, at + count) / sum);
    at += count;
  }
  return out;
}

TEST_CASE("toy explanations: several concepts for an output, which add up to the head's weights") {
  const testing::Scratch scratch;
  core::write_toy_model({}, scratch.path("model"));
  core::write_toy_explanation(core::ToyExplanation::kPerfect, scratch.path("perfect"));
  core::write_toy_explanation(core::ToyExplanation::kRandom, scratch.path("random"));
  const ArrayBag model = ArrayBag::open(scratch.path("model")),
                 perfect = ArrayBag::open(scratch.path("perfect")),
                 random = ArrayBag::open(scratch.path("random"));
  const auto counts = perfect.get("counts").values<const std::int64_t>();
  CHECK(std::vector<std::int64_t>(counts.begin(), counts.end()) ==
        std::vector<std::int64_t>{2, 3, 2});
  const auto weight = values(model, "head_weight"), cavs = values(perfect, "cavs"),
             importance = values(perfect, "importance");
  const std::size_t width = weight.size() / counts.size();
  std::size_t row = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::vector<double> sum(width);
    for (const std::size_t end = row + static_cast<std::size_t>(counts[c]); row < end; ++row)
      for (std::size_t d = 0; d < width; ++d) sum[d] += importance[row] * cavs[row * width + d];
    for (std::size_t d = 0; d < width; ++d)
      CHECK(sum[d] == doctest::Approx(weight[c * width + d]).epsilon(1e-14));
  }
  // A metric of sparsity has a good end and a bad one, too.
  const auto good = largest_shares(perfect), bad = largest_shares(random);
  for (std::size_t c = 0; c < good.size(); ++c) CHECK(good[c] > bad[c]);
}

}  // namespace

}  // namespace conoscope::tests
