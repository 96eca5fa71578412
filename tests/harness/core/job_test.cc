// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/job.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::Scratch;

namespace {

Job full() {
  Job job;
  job.stage = Stage::kScore;
  job.label = "a \"label\" with \\ and\ttab, ä";
  const Value odd[] = {std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::int64_t>::min(),
                       0.1,
                       1.0 / 3.0,
                       5.0,
                       -0.0,
                       std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::denorm_min(),
                       1e-300,
                       true,
                       false,
                       std::string(),
                       std::string("a\nb\t\"c\"\\'ü"),
                       std::string("5"),
                       std::vector<std::int64_t>{64, -1},
                       std::vector<double>{4.0, 0.1},
                       std::vector<std::string>{"a,b", ""}};
  job.plugin = PluginUse{"/p/plugin.so",
                         {std::begin(odd), std::end(odd)},
                         {{"/p/plugin.so", "ab", "1 2 3.4"}, {"/d/\"x\"", "cd", ""}}};
  job.model = PluginUse{"/p/model.so", {}};
  job.explainer = PluginUse{"/p/with space.so", {std::int64_t{3}}};
  job.dataset = "/cache/d";
  job.model_folder = "/cache/m";
  job.explanation = "/cache/e";
  job.work = "/cache/w";
  job.hashed_files = "/cache/hashed.txt";
  job.arrays = "/cache/arrays";
  job.seed = std::numeric_limits<std::uint64_t>::max();
  job.control_seed = 0x8000000000000001ULL;
  job.threads = 16;
  job.memory = (std::uint64_t{1} << 62) - 1;
  job.control = "random_concepts";
  job.peers = {{"/cache/m2", "/cache/e2", 0x8000000000000002ULL, 7},
               {"/cache/m \"3\"", "/cache/e3", 0}};
  job.metrics = {"surf_mae", "surf_emd"};
  job.calls = {"forward", "head"};
  job.sample_scores = true;
  job.repeat = true;
  return job;
}

void check_same(const std::optional<PluginUse>& a, const std::optional<PluginUse>& b) {
  REQUIRE(a.has_value() == b.has_value());
  if (!a) return;
  CHECK(a->file == b->file);
  REQUIRE(a->values.size() == b->values.size());
  for (std::size_t i = 0; i < a->values.size(); ++i) {
    CHECK(a->values[i].index() == b->values[i].index());  // 5.0 stays a real, "5" a text
    CHECK(a->values[i] == b->values[i]);
  }
  REQUIRE(a->inputs.size() == b->inputs.size());
  for (std::size_t i = 0; i < a->inputs.size(); ++i) {
    CHECK(a->inputs[i].path == b->inputs[i].path);
    CHECK(a->inputs[i].hash == b->inputs[i].hash);
    CHECK(a->inputs[i].stamp == b->inputs[i].stamp);
  }
}

}  // namespace

TEST_CASE("a job is read as it was written, to the last bit of seeds and reals") {
  const Scratch scratch;
  const auto file = scratch.path("job.toml");
  const Job job = full();
  write_job(job, file);
  const Job back = read_job(file);
  CHECK(back.stage == job.stage);
  CHECK(back.label == job.label);
  check_same(back.plugin, job.plugin);
  CHECK(std::signbit(std::get<double>(back.plugin->values[5])));
  check_same(back.model, job.model);
  check_same(back.explainer, job.explainer);
  CHECK(back.dataset == job.dataset);
  CHECK(back.model_folder == job.model_folder);
  CHECK(back.explanation == job.explanation);
  CHECK(back.work == job.work);
  CHECK(back.hashed_files == job.hashed_files);
  CHECK(back.arrays == job.arrays);
  CHECK(back.seed == job.seed);
  CHECK(back.control_seed == job.control_seed);
  CHECK(back.threads == job.threads);
  CHECK(back.memory == job.memory);
  CHECK(back.control == job.control);
  CHECK(back.metrics == job.metrics);
  CHECK(back.calls == job.calls);
  REQUIRE(back.peers.size() == job.peers.size());
  for (std::size_t i = 0; i < job.peers.size(); ++i) {
    CHECK(back.peers[i].model_folder == job.peers[i].model_folder);
    CHECK(back.peers[i].explanation == job.peers[i].explanation);
    CHECK(back.peers[i].control_seed == job.peers[i].control_seed);
    CHECK(back.peers[i].seed == job.peers[i].seed);
  }
  CHECK(back.sample_scores);
  CHECK(back.repeat);
}

TEST_CASE("what is not there stays not there") {
  const Scratch scratch;
  Job job;
  job.stage = Stage::kDataset;
  write_job(job, scratch.path("job.toml"));
  const Job back = read_job(scratch.path("job.toml"));
  CHECK(back.stage == Stage::kDataset);
  CHECK_FALSE(back.plugin.has_value());
  CHECK_FALSE(back.model.has_value());
  CHECK(back.dataset.empty());
  CHECK(back.seed == 0);
  CHECK(back.metrics.empty());
  CHECK(back.calls.empty());
  CHECK(back.peers.empty());
  CHECK_FALSE(back.repeat);
}

TEST_CASE("a job written over a longer one leaves nothing of it") {
  const Scratch scratch;
  const std::string file = scratch.path("job.toml");
  Job job;
  job.label = std::string(5000, 'x');
  job.metrics = {"surf_mae", "surf_emd"};
  write_job(job, file);
  write_job(Job(), file);
  CHECK(read_job(file).label.empty());
  CHECK(read_job(file).metrics.empty());
  CHECK(std::filesystem::file_size(file) < 5000);
}

TEST_CASE("what is no job is refused, never half read") {
  const Scratch scratch;
  CHECK_THROWS_SAYING(read_job(scratch.path("none")), std::runtime_error, "none", "not a job");
  CHECK_THROWS_SAYING(read_job(scratch.write("bad", "stage = ")), std::runtime_error, "bad",
                      "not a job");
  CHECK_THROWS_SAYING(read_job(scratch.write("stage", "stage = \"cook\"")), std::runtime_error,
                      "not a job: stage \"cook\"");
  // A seed that is missing or damaged must not become seed 0.
  const std::string start = "stage = \"score\"\ncontrol_seed = \"1\"\n";
  for (const char* seed : {"", "seed = 5", "seed = \"\"", "seed = \"xyz\"", "seed = \"1g\"",
                           "seed = \"11112222333344445\""})
    CHECK_THROWS_SAYING(read_job(scratch.write("seed", start + seed)), std::runtime_error,
                        "not a job: seed");
  CHECK_THROWS_SAYING(read_job(scratch.write("seed", "stage = \"score\"\nseed = \"1\"\n")),
                      std::runtime_error, "not a job: control_seed");
  CHECK_THROWS_SAYING(write_job(Job(), scratch.path("no/folder/job.toml")), std::runtime_error,
                      "job.toml: cannot be written");
}
