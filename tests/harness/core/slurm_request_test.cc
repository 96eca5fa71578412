// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/slurm_request.h"

#include <doctest/doctest.h>

#include "harness/app/slurm_script.h"
#include "harness/core/plan/run_file.h"
#include "tests/support/scratch.h"

using namespace conoscope::core;

TEST_CASE("time limits as Slurm writes them") {
  CHECK(slurm_seconds("90") == 5400);
  CHECK(slurm_seconds("1:30") == 90);
  CHECK(slurm_seconds("04:00:00") == 14400);
  CHECK(slurm_seconds("2-3") == 2 * 86400 + 3 * 3600);
  CHECK(slurm_seconds("2-3:04") == 2 * 86400 + 3 * 3600 + 4 * 60);
  CHECK(slurm_seconds("2-3:04:05") == 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
  for (const char* text : {"", "0", "x", "1:2:3:4", "1-", "-1", "1-2-3", "1:", ":1", "1.5", " 1",
                           "99999999999999999999", "00:00:00"}) {
    CAPTURE(text);
    CHECK_FALSE(slurm_seconds(text));
  }
}

TEST_CASE("what can stand in a job script") {
  for (const char* text : {"cpu", "gpu:a100:2", "n[1-4,7]", "fast&(intel|amd)", "04:00:00"})
    CHECK(is_slurm_value(text));
  for (const char* text : {"", "a b", "a\nb", "a\"b", "a'b", "a\\b", "a#b", "a\tb"})
    CHECK_FALSE(is_slurm_value(text));
  CHECK(is_script_line("module load \"gcc\"\t# 'a'"));
  CHECK_FALSE(is_script_line("a\nb"));
  CHECK_FALSE(is_script_line(""));
}

TEST_CASE("an array is written in ranges") {
  using conoscope::app::array_text;
  CHECK(array_text({3}, 0) == "3");
  CHECK(array_text({1, 2, 3, 7, 9, 10}, 0) == "1-3,7,9-10");
  CHECK(array_text({1, 3}, 5) == "1,3%5");
}

TEST_CASE("[slurm] of the chosen profile") {
  const conoscope::testing::Scratch scratch;
  const auto path = scratch.write("run.toml", R"(profiles = ["quick", "paper"]
[slurm]
shards = { quick = 2, paper = 20 }
mem_per_cpu = "4G"
setup = ["a", "b"]
[[dataset]]
id = "x"
[[model]]
id = "y"
)");
  const auto read = [&](const std::string& profile) {
    Diagnostics diagnostics(path);
    const RunFile run_file = parse_run_file(path, diagnostics, profile);
    diagnostics.throw_if_any();
    return read_slurm_request(run_file);
  };
  CHECK(read("").shards == 2);
  const SlurmRequest paper = read("paper");
  CHECK(paper.shards == 20);
  CHECK(paper.cpus == 1);
  CHECK(paper.mem_per_cpu == "4G");
  CHECK(paper.setup == std::vector<std::string>{"a", "b"});
}
