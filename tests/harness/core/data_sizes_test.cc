// SPDX-License-Identifier: Apache-2.0
// The datasets that the run files ask for hold as many samples as they ask for, in every profile.

#include <doctest/doctest.h>

#include <filesystem>

#include "harness/core/border/registry.h"
#include "harness/core/plan/plan.h"
#include "harness/core/plan/profiles.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;
namespace core = conoscope::core;
namespace fs = std::filesystem;

namespace {

core::Plan plan_of(const fs::path& file, const std::string& profile, const core::Registry& registry,
                   const core::Quarantine& quarantine) {
  core::Diagnostics diagnostics(file.string());
  const core::RunFile run = core::parse_run_file(file, diagnostics, profile);
  return core::make_plan(run, registry, quarantine, diagnostics);
}

Arguments arguments_of(const core::Component& dataset) {
  Arguments out;
  for (std::size_t i = 0; i < dataset.values.size(); ++i)
    std::visit([&](const auto& value) { out[dataset.plugin.metadata->parameters[i].name] = value; },
               dataset.values[i]);
  return out;
}

/// A dataset looks at its sizes before it does its work, at the first step of which it is cancelled.
void check_sizes(const core::Plan& plan) {
  for (const auto& dataset : plan.datasets) {
    CAPTURE(dataset.name);
    REQUIRE(dataset.usable());
    const Outcome outcome =
        Plugin(dataset.plugin.file).load(arguments_of(dataset), {.cancelled = [] { return true; }});
    CHECK_MESSAGE((outcome.status == CONO_OK || outcome.status == CONO_CANCELLED), outcome.error);
  }
}

}  // namespace

TEST_CASE("every run file that ships, in each of its sizes, asks for samples that there are") {
  const Scratch scratch;
  const core::Quarantine quarantine(scratch.path("quarantine.tsv"));
  const core::Registry registry({fs::path(CONOSCOPE_TEST_PLUGIN_FOLDER)}, quarantine);
  if (registry.find(core::Kind::kModel, "cnn") == nullptr) {
    MESSAGE("skipped: this build has no libtorch, and with it no models to be trained");
    return;
  }
  for (const auto& entry : fs::directory_iterator(CONOSCOPE_TEST_SHARE "/runs")) {
    CAPTURE(entry.path().string());
    const std::string path = entry.path().string();
    auto profiles = core::profile_names(toml::parse_file(path), path);
    if (profiles.empty()) profiles.emplace_back();
    for (const std::string& profile : profiles)
      check_sizes(plan_of(entry.path(), profile, registry, quarantine));
  }
}
