// SPDX-License-Identifier: Apache-2.0
// Every broken plugin fails the conformance suite for its own reason; sound ones pass.

#include <doctest/doctest.h>

#include <algorithm>

#include "harness/core/artifacts/sha256.h"
#include "harness/core/border/functions.h"
#include "harness/core/conformance/plugin_check.h"
#include "tests/harness/zoo/environment.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

namespace conoscope::testing {

namespace {

using core::CheckResult;
using core::Verdict;

struct Checker {
  Scratch scratch;
  core::Cache cache{scratch.path("cache")};
  core::Quarantine quarantine{scratch.path("quarantine.tsv")};
  core::CheckOptions options;

  Checker() {
    let_workers_die_naturally();
    options.worker = CONOSCOPE_TEST_COMMAND;
    options.memory = std::uint64_t{512} << 20;
    options.seconds = 60;
  }

  std::vector<CheckResult> operator()(const std::string& file) {
    return core::check_plugin(file, options, cache, quarantine);
  }
};

std::string text(const std::vector<CheckResult>& results) {
  std::string out;
  for (const auto& r : results)
    out += std::string(core::to_string(r.verdict)) + " " + r.name + ": " + r.reason + "\n";
  return out;
}

struct Member {
  const char* name;
  const char* check;   ///< the check that it must fail
  const char* reason;  ///< part of what is said
  double seconds = 60;
};

// One fault, one check, one reason. Those that hang get two seconds.
const Member kZoo[] = {
    {"segfault", "fit softmax", "fit: killed by SIGSEGV, Segmentation fault"},
    {"abort", "fit softmax", "fit: killed by SIGABRT, Aborted"},
    {"hang_in_fit", "fit softmax", "fit: still running after", 2},
    {"hang_at_load", "load", "did not finish loading: still running after", 2},
    {"crash_at_load", "load", "load: killed by SIGSEGV"},
    {"exit_zero", "fit softmax",
     "the process exited with code 0 before its work was finished (no completion record)"},
    {"throws_runtime_error", "fit softmax", "fit: the tape has run out"},
    {"throws_five", "fit softmax", "fit: threw something that is not a std::exception"},
    {"throws_in_constructor", "load", "load: no licence server"},
    {"nan_output", "fit softmax", "cavs[0, 1] is NaN"},
    {"nondeterministic", "same bits in another process",
     "not deterministic: another process with the same seed gives another result (importance)"},
    {"address_dependent", "same bits in another process", "not deterministic: another process"},
    {"seed_dependent", "ignores the seed",
     "seeded = false, but another seed gives another result (importance)"},
    {"strides_ignored", "strided input", "the result is another when the input is not contiguous"},
    {"no_half", "float16 input", "fit: what numbers are these?"},
    {"deaf", "cancellation", "still running after", 2},
    {"wrong_abi", "file", "built for plugin border 99.0, this conoscope has 2.0"},
    {"old_border", "file",
     "built for plugin border 1.0, this conoscope has 2.0; build it again: cmake --fresh -B "
     "build "},
    {"undeclared_parameter", "load", "load: parameter k is not in the plugin's metadata"},
    {"head_differs", "head", "head() of the activations that fit() left is not what the head view"},
    {"redrawn_ignores_seed", "redrawn head", "redrawn_head() ignores the seed"},
    {"redrawn_is_head", "redrawn head",
     "redrawn_head() answers as the network that was not drawn anew"},
    {"vjp_differs", "head", "vjp() of sample 0 is not the derivative of head(): "},
    {"bad_metadata", "file", "metadata:1: "},
    {"no_entry", "load", "exports no symbol conoscope_plugin_entry although it has metadata"},
    {"undefined_symbol", "load", "undefined symbol: conoscope_nobody_has_this"},
    {"truncated", "file", "cut short: it has 6000 bytes"},
    {"text_file", "file", "not a shared library: it does not start as an ELF file"},
    {"ordinary", "file", "no conoscope plugin: it has no .note.conoscope section"},
    {"fast_math", "load", "changed the floating-point control word of the process (flush-to-zero)"},
    {"contradiction", "load", "its table contradicts its metadata in kind, id or version"},
    {"stdout_noise", "standard output", "wrote 13 bytes to standard output (fit)"},
    {"wrong_shape", "fit softmax", "cavs is 3 x 7, expected 3 x 8"},
    {"leak_without_end", "fit softmax", "used more than --memory = 512 MiB"},
    {"leak_each_call", "memory", "memory grew steadily, by "},
    {"score_out_of_range", "score softmax",
     "score score_out_of_range = 1.5 is outside its declared range"},
    {"score_upside_down", "good end above bad end",
     "score_upside_down says higher is better, but gives "},
    {"score_missing", "declared scores", "declared in its metadata, but never given: withheld"},
    {"overlapping_split", "load data", "test_index[0]: sample 3 is in the split twice"},
    {"forward_differs", "forward", "forward() of sample 0 is not what fit() left"},
    {"forward_gradient_differs", "forward",
     "forward_gradient() of sample 0 is not the derivative of forward(): "},
    {"intervene_counts", "intervention", "intervene() gives different results for equal input"},
    {"project_unwritten", "projection", "project() left NaN or infinity"},
    {"reconstruct_counts", "reconstruction",
     "reconstruct(), output 0 gives different results for equal input"},
    {"nan_activations", "fit softmax", "activations[2, 0, 3] is NaN"},
};

}  // namespace

TEST_CASE("every broken plugin fails the check that is about its fault, and says what it is") {
  Checker check;
  for (const Member& member : kZoo) {
    CAPTURE(member.name);
    // Freed memory is kept in such builds, so a leak cannot be told from none.
    if (kSanitized && std::string(member.name) == "leak_each_call") continue;
    check.options.seconds = member.seconds;
    const auto results = check(broken_plugin(member.name));
    CHECK_FALSE(core::passed(results));
    const auto failed = std::find_if(results.begin(), results.end(), [](const CheckResult& r) {
      return r.verdict == Verdict::kFail;
    });
    REQUIRE(failed != results.end());
    INFO(text(results));
    CHECK(failed->name == member.check);
    CHECK(failed->reason.find(member.reason) != std::string::npos);
  }
}

TEST_CASE("what has one harmless fault passes everything else") {
  Checker check;
  for (const char* name : {"stdout_noise", "seed_dependent", "strides_ignored"}) {
    const auto results = check(broken_plugin(name));
    INFO(text(results));
    CHECK(std::count_if(results.begin(), results.end(),
                        [](const CheckResult& r) { return r.verdict == Verdict::kFail; }) == 1);
  }
}

TEST_CASE("sound plugins pass, and the checks that matter were not skipped") {
  Checker check;
  for (const char* name :
       {"kmeans", "svd", "nmf", "perfect", "random_concepts", "precomputed_model",
        "precomputed_codes_model", "precomputed_concepts", "digits", "soft_concepts"}) {
    CAPTURE(name);
    const auto results = check(good_plugin(name));
    INFO(text(results));
    CHECK(core::passed(results));
    for (const auto& result : results) {
      const auto calls = core::functions();
      const bool may_be_skipped =
          std::ranges::find(calls, result.name, &core::Function::checked_as) != calls.end() ||
          result.name == "more concepts than rows" || (kSanitized && result.name == "memory");
      if (!may_be_skipped) CHECK_MESSAGE(result.verdict == Verdict::kPass, result.name);
    }
    CHECK(results.size() >= 9);
  }
}

TEST_CASE("what needs known features is loaded, and not tried") {
  Checker check;
  const auto results = check(good_plugin("true_dictionary"));
  INFO(text(results));
  CHECK(core::passed(results));
  CHECK(std::any_of(results.begin(), results.end(), [](const CheckResult& r) {
    return r.name == "fit" && r.verdict == Verdict::kSkipped &&
           r.reason.find("it needs truth") != std::string::npos;
  }));
}

TEST_CASE("nmf has a projection, and it is tried") {
  Checker check;
  const auto results = check(good_plugin("nmf"));
  CHECK(std::any_of(results.begin(), results.end(), [](const CheckResult& r) {
    return r.name == "projection" && r.verdict == Verdict::kPass;
  }));
}

TEST_CASE("cnn: what lies above a layer in the middle can be drawn anew") {
  if (!std::filesystem::exists(good_plugin("cnn"))) return;  // a build without libtorch
  Checker check;
  check.options.memory = std::uint64_t{4} << 30;  // libtorch
  check.options.params = {{"layer", "1"}, {"channels", "3,4"}, {"epochs", "1"}};
  const auto results = check(good_plugin("cnn"));
  INFO(text(results));
  for (const char* name : {"head", "redrawn head"})
    CHECK(std::any_of(results.begin(), results.end(), [&](const CheckResult& r) {
      return r.name == name && r.verdict == Verdict::kPass;
    }));
}

TEST_CASE("parameters are given as on a command line") {
  Checker check;
  check.options.params = {{"k", "2"}, {"n_init", "1"}};
  CHECK(core::passed(check(good_plugin("kmeans"))));
  check.options.params = {{"archive", CONOSCOPE_TEST_DIGITS}};
  const auto results = check(good_plugin("precomputed_dataset"));
  INFO(text(results));
  CHECK(core::passed(results));
  // This archive holds its split, so no seed can change it.
  CHECK(std::any_of(results.begin(), results.end(), [](const CheckResult& r) {
    return r.name == "follows the seed" && r.verdict == Verdict::kSkipped;
  }));
}

TEST_CASE("wrong parameters are refused, with their names") {
  Checker check;
  check.options.params = {{"kk", "2"}};
  CHECK_THROWS_SAYING(check(good_plugin("kmeans")), std::invalid_argument, "no parameter kk",
                      "did you mean k");
  check.options.params = {{"k", "two"}};
  CHECK_THROWS_SAYING(check(good_plugin("kmeans")), std::invalid_argument, "k = \"two\"",
                      "expected a whole number");
  check.options.params = {{"k", "0"}};
  CHECK_THROWS_SAYING(check(good_plugin("kmeans")), std::invalid_argument, "k = 0",
                      "expected at least 1");
  check.options.params = {{"archive", "/no/such.npz"}};
  CHECK_THROWS_SAYING(check(good_plugin("precomputed_dataset")), std::invalid_argument,
                      "archive = /no/such.npz: no such file");
  const std::string too_long(300, 'x');
  check.options.params = {{"archive", too_long}};
  CHECK_THROWS_SAYING(check(good_plugin("precomputed_dataset")), std::invalid_argument,
                      "archive = " + too_long + ": File name too long");
}

TEST_CASE("loading that kills the process puts the file in quarantine; passing lifts it") {
  Checker check;
  const auto hash = core::sha256_of_file(broken_plugin("crash_at_load"));
  check(broken_plugin("crash_at_load"));
  CHECK(check.quarantine.reason(hash).find("killed by SIGSEGV") != std::string::npos);
  const core::Quarantine again(check.scratch.path("quarantine.tsv"));
  CHECK_FALSE(again.reason(hash).empty());
  // A fault in fit() is no reason not to load.
  check(broken_plugin("segfault"));
  CHECK(check.quarantine.reason(core::sha256_of_file(broken_plugin("segfault"))).empty());

  const auto good = core::sha256_of_file(good_plugin("perfect"));
  check.quarantine.add(good, "it crashed once");
  CHECK(core::passed(check(good_plugin("perfect"))));
  CHECK(check.quarantine.reason(good).empty());
  // Not passing does not lift.
  const auto noisy = core::sha256_of_file(broken_plugin("stdout_noise"));
  check.quarantine.add(noisy, "it crashed once");
  check(broken_plugin("stdout_noise"));
  CHECK_FALSE(check.quarantine.reason(noisy).empty());
}

TEST_CASE("a quarantine that cannot be written fails the check, which would be of no use") {
  Checker check;
  const std::string folder = check.scratch.path("folder"), file = folder + "/quarantine.tsv";
  check.quarantine = core::Quarantine(file);
  const auto good = core::sha256_of_file(good_plugin("perfect"));
  check.quarantine.add(good, "it crashed once");
  std::filesystem::remove_all(folder);
  check.scratch.write("folder", "in its place");
  auto results = check(good_plugin("perfect"));
  CHECK_FALSE(core::passed(results));
  CHECK(results.back().name == "quarantine");
  CHECK(results.back().verdict == Verdict::kFail);
  CHECK(results.back().reason.starts_with(file + ": cannot be written: Not a directory"));

  results = check(broken_plugin("crash_at_load"));
  INFO(text(results));
  CHECK(std::any_of(results.begin(), results.end(), [&](const CheckResult& r) {
    return r.name == "quarantine" && r.reason.starts_with(file + ": cannot be written: ");
  }));
  CHECK(results.back().name == "load");
}

TEST_CASE("results are reported as they come, and nothing is left in the cache") {
  Checker check;
  std::vector<std::string> told;
  check.options.report = [&](const CheckResult& r) { told.push_back(r.name); };
  const auto results = check(good_plugin("perfect"));
  CHECK(told.size() == results.size());
  // The folder of this process stays, and the lock on it.
  for (const auto& own : std::filesystem::directory_iterator(check.cache.root() / "work"))
    CHECK((own.path().extension() == ".lock" || std::filesystem::is_empty(own.path())));
}

}  // namespace conoscope::testing
