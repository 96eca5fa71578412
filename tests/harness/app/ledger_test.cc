// SPDX-License-Identifier: Apache-2.0
#include "harness/app/ledger.h"

#include <doctest/doctest.h>

#include "harness/core/plan/run_file.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using conoscope::app::read_ledger;
using conoscope::core::RunFileError;

namespace {

std::string with(const std::string& line) {
  return "paper = \"p\"\n[[item]]\nname = \"Table 1\"\nabout = \"a\"\nrun = \"r\"\n" + line +
         "\n[[item.claim]]\nsays = \"s\"\nrule = \"above\"\nbound = 0.5\nmetric = \"m\"\n";
}

}  // namespace

TEST_CASE("ledger: an item's seeds split one sample of so many test rows for each training row") {
  const conoscope::testing::Scratch here;
  CHECK(read_ledger(here.write("a.toml", with(""))).items[0].resampled == 0.0);
  CHECK(read_ledger(here.write("b.toml", with("resampled = 0.25"))).items[0].resampled == 0.25);
  for (const char* value : {"-1", "inf", "nan"})
    CHECK_THROWS_SAYING(
        read_ledger(here.write("c.toml", with(std::string("resampled = ") + value))), RunFileError,
        "resampled: expected test rows for each training row, 0 or more");
}

TEST_CASE("ledger: a file that TOML's parser must not be given is refused") {
  const conoscope::testing::Scratch here;
  std::string key = "a";
  for (int part = 1; part < 40; ++part) key += ".a";
  CHECK_THROWS_SAYING(read_ledger(here.write("deep.toml", with("") + key + " = 1\n")), RunFileError,
                      "deep.toml:12: error: a key of more than 32 parts");
  CHECK_THROWS_SAYING(read_ledger(here.write("long.toml", with("") + std::string(1 << 20, '#'))),
                      RunFileError, "long.toml: error: a ledger has at most 1 MiB");
  CHECK_THROWS_SAYING(read_ledger(here / "none.toml"), RunFileError,
                      "none.toml: error: the ledger cannot be read");
}

TEST_CASE("ledger: what is correlated with what belongs to the rules that correlate") {
  const conoscope::testing::Scratch here;
  const auto claim = [](const std::string& lines) {
    return "paper = \"p\"\n[[item]]\nname = \"Fig. 3\"\nabout = \"a\"\nrun = \"r\"\n"
           "profile = \"authored\"\n[[item.claim]]\nsays = \"s\"\nmetric = \"m\"\n" +
           lines;
  };
  const auto read =
      read_ledger(here.write("a.toml", claim("rule = \"parts_correlate\"\nwith = \"n\"\n")));
  CHECK(read.items[0].claims[0].with == "n");
  CHECK(read.items[0].claims[0].bound == 0.0);
  CHECK(read.items[0].run == conoscope::app::LedgerRun{"r", "authored"});
  for (const char* bad : {"rule = \"parts_correlate\"\n", "rule = \"correlates\"\n",
                          "rule = \"above\"\nbound = 1\nwith = \"n\"\n"})
    CHECK_THROWS_SAYING(read_ledger(here.write("b.toml", claim(bad))), RunFileError,
                        "with goes with the rules correlates and parts_correlate, which need it");
}

TEST_CASE("ledger: published standard deviations become half-widths of intervals") {
  const conoscope::testing::Scratch here;
  const auto read = read_ledger(here.write(
      "a.toml", with("") + "theirs = [0.0469]\ntheirs_sd = [0.0043]\ntheirs_seeds = 5\n"));
  // t(0.975, 4) = 2.776445; the standard error is sd / sqrt(5 - 1).
  CHECK(read.items[0].claims[0].theirs_half_width.at(0) ==
        doctest::Approx(2.776445 * 0.0043 / 2.0).epsilon(1e-6));
  for (const char* bad : {"theirs_sd = [0.1]\n", "theirs_sd = [0.1]\ntheirs_seeds = 1\n",
                          "theirs_sd = [0.1]\ntheirs_seeds = 5\ntheirs_half_width = [0.1]\n"})
    CHECK_THROWS_SAYING(read_ledger(here.write("b.toml", with("") + "theirs = [1.0]\n" + bad)),
                        RunFileError,
                        "theirs_sd needs theirs_seeds, two or more, and no half-width");
}
