// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/golden.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

// The runner itself: a wrong value, a missing output and an unknown kind must not pass for a
// success.

namespace conoscope::tests::golden {

namespace {

std::string one_case(const std::string& kind, const std::string& expected,
                     const std::string& tolerance = R"({"abs": 0.01, "rel": 0.0})",
                     const std::string& more = "") {
  return R"({"id": "it", "kind": ")" + kind + R"(", "params": {}, "inputs": {}, "expected": )" +
         expected + R"(, "tolerance": )" + tolerance + more + "}";
}

Summary run_one(const std::string& json) {
  const testing::Scratch folder;
  folder.write("cases.json", R"({"cases": [)" + json + "]}");
  folder.write("a.npy", testing::npy_bytes("<i4", "(2,)", std::vector<std::int32_t>{7, -8}));
  Kinds kinds;
  kinds.add("known", [](const Case&) {
    Outputs out;
    out.scalars = {{"x", 1.0}, {"x_step5", 1.0}, {"none", nullptr}, {"text", "error"}};
    out.arrays["a"] = {7.0, -8.0};
    out.not_compared["left_out"] = "for this reason";
    return out;
  });
  kinds.add("throws", [](const Case&) -> Outputs { throw std::runtime_error("broken"); });
  kinds.add("answers", [](Answer& answer) {
    answer.number("x", 1.2, "wide");
    answer.values("m", (metrics::Matrix(1, 2) << 1.05, 2.05).finished());
  });
  return kinds.run(folder.path());
}

std::string failure(const std::string& json) {
  const Summary summary = run_one(json);
  CHECK(summary.passed == (summary.failed.empty() ? 1 : 0));
  return summary.failed.empty() ? "" : summary.failed.front();
}

std::string known(const std::string& expected) { return failure(one_case("known", expected)); }

TEST_CASE("runner: values are compared at the case's tolerance, however they are written") {
  CHECK(known(R"({"x": 1.009, "none": null, "a": {"file": "a.npy"}})") == "");
  CHECK(known(R"({"x": {"value": 1.009}, "none": {"value": "nan"}, "text": {"value": "error"},
                  "a": {"array": [[7, -8]], "shape": [1, 2]}})") == "");
  CHECK(known(R"({"x": 1.02})") == "it: x is 1, expected 1.02");
  CHECK(known(R"({"x": {"value": "inf"}})") == "it: x is 1, expected inf");
  CHECK(known(R"({"x": null})") == "it: x is 1, expected nan");
  CHECK(known(R"({"none": 0.0})") == "it: none is nan, expected 0");
  CHECK(known(R"({"x": "error"})") == R"(it: x is 1.0, expected "error")");
  CHECK(known(R"({"text": 1})") == R"(it: text is "error", expected 1)");
  CHECK(known(R"({"a": [7, -9]})") == "it: a[1] is -8, expected -9");
  CHECK(known(R"({"a": [7]})") == "it: a has 2 entries, expected 1");
  CHECK(failure(one_case("known", "{}", "{}", R"(, "expected_files": {"a": "a.npy"})")) ==
        "it: a states no tolerance");
}

TEST_CASE("runner: a tolerance by name overrides the case's") {
  const std::string tight = R"({"abs": 0, "rel": 0, "step5": {"abs": 0.1}})";
  CHECK(failure(one_case("known", R"({"x_step5": 1.05})", tight)) == "");
  CHECK(failure(one_case("known", R"({"x": 1.05})", tight)) != "");
  CHECK(failure(one_case("known", R"({"x": 1.05})", R"({"per_metric": {"x": {"abs": 0.1}}})")) ==
        "");
  const std::string per_output = R"(, "tolerance_per_output": {"x": 0.1})";
  CHECK(failure(one_case("known", R"({"x": 1.05})", R"({"abs": null})", per_output)) == "");
  CHECK(failure(one_case("known", R"({"x_step5": 1.05})", R"({"abs": null})", per_output)) ==
        "it: x_step5 states no tolerance");
}

TEST_CASE("runner: what is expected must be computed or named as left out") {
  CHECK(known(R"({"y": 1.0})") == "it: y is expected, but not computed");
  CHECK(known(R"({"b": {"file": "a.npy"}})") == "it: b is expected, but not computed");
  const Summary summary = run_one(one_case("known", R"({"left_out": 3.0})"));
  CHECK(summary.passed == 1);
  CHECK(summary.not_compared == std::vector<std::string>{"it: left_out: for this reason"});
}

TEST_CASE("runner: a kind that compares by itself, with a tolerance for each entry") {
  const auto answered = [](const std::string& expected) {
    return failure(one_case("answers", expected, R"({"abs": [0.1, 0.01], "abs_wide": 3})"));
  };
  CHECK(answered(R"({"x": 4, "m": [1, 2.045]})") == "");
  CHECK(answered(R"({"x": 4, "m": [1, 2]})").starts_with("it: m[1] is 2.0"));
  CHECK(answered(R"({"x": 5, "m": [1, 2.045]})").starts_with("it: x is 1."));
  CHECK(answered(R"({"m": [1, 2.045]})") == "it: x is no expected number");
  CHECK(answered(R"({"x": 4})") == "it: m is not expected");
  CHECK(answered(R"({"x": 4, "m": [1, 2.045], "z": 1})") == "it: z is expected, but not computed");
}

TEST_CASE("runner: unknown kinds are skipped with a reason, exceptions fail") {
  CHECK(run_one(one_case("unknown", "{}")).skipped ==
        std::vector<std::string>{"unknown: nothing is registered for this kind of 1"});
  CHECK(failure(one_case("throws", "{}")) == "it: threw: broken");
  CHECK_THROWS_AS(Kinds().run("/nonexistent"), std::runtime_error);
  Kinds twice;
  const auto kind = [](const Case&) { return Outputs(); };
  twice.add("k", kind);
  CHECK_THROWS_AS(twice.add("k", kind), std::logic_error);
}

}  // namespace

}  // namespace conoscope::tests::golden
