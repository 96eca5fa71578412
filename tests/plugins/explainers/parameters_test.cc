// SPDX-License-Identifier: Apache-2.0
// What the methods' functions take as int must fit in one.

#include <doctest/doctest.h>

#include <stdexcept>

#include "harness/core/border/metadata.h"
#include "tests/support/capture_binding.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/throws.h"

using namespace conoscope::testing;

TEST_CASE("explainers: a count that fits in no int is refused, not cut off") {
  const std::vector<std::pair<const char*, const char*>> counts = {
      {"c_shap", "epochs"}, {"craft", "max_iter"},  {"ice", "max_iter"},
      {"kmeans", "n_init"}, {"kmeans", "max_iter"}, {"ice", "max_no_improvement"},
      {"nmf", "max_iter"},  {"topk_sae", "epochs"}};
  for (const auto& [id, name] : counts) {
    CAPTURE_BINDING(id);
    CAPTURE_BINDING(name);
    const Plugin plugin(plugin_file(id));
    const auto metadata = conoscope::core::parse_metadata(plugin.metadata(), id);
    const auto* parameter = metadata.parameter(name);
    REQUIRE(parameter != nullptr);
    CHECK_NOTHROW(parameter->check(std::int64_t{2147483647}));
    CHECK_THROWS_SAYING(parameter->check(std::int64_t{4294967297}), std::invalid_argument,
                        std::string(name) + " = 4294967297", " to 2147483647");
  }
}
