#include <doctest/doctest.h>

#include "tests/support/golden.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

// The runner itself: a wrong value, a missing output and an unknown kind must not pass for a
// success.

namespace conoscope::tests::golden {

namespace {

std::string one_case(const std::string& kind, const std::string& expected,
                     const std::string& expected_files = "{}",
                     const std::string& tolerance = R"({"abs": 0.01, "rel": 0.0})") {
  return R"({"id": "it", "kind": ")" + kind + R"(", "params": {}, "inputs": {}, "expected": )" +
         expected + R"(, "expected_files": )" + expected_files + R"(, "tolerance": )" + tolerance +
         "}";
}

Summary run_one(const std::string& json) {
  const testing::Scratch folder;
  folder.write("cases.json", R"({"cases": [)" + json + "]}");
  folder.write("a.npy", testing::npy_bytes("<i4", "(2,)", std::vector<std::int32_t>{7, -8}));
  Kinds kinds;
  kinds.add("known", [](const Case&) {
    Outputs out;
    out.scalars = {{"x", 1.0}, {"x_step5", 1.0}, {"none", nullptr}};
    out.arrays["a"] = {7.0, -8.0};
    out.not_compared["left_out"] = "for this reason";
    return out;
  });
  kinds.add("throws", [](const Case&) -> Outputs { throw std::runtime_error("broken"); });
  return run(folder.path(), kinds);
}

std::string failure(const std::string& json) {
  const Summary summary = run_one(json);
  CHECK(summary.passed == (summary.failed.empty() ? 1 : 0));
  return summary.failed.empty() ? "" : summary.failed.front();
}

TEST_CASE("runner: values are compared at the case's tolerance") {
  CHECK(failure(one_case("known", R"({"x": 1.009, "none": null})", R"({"a": "a.npy"})")) == "");
  CHECK(failure(one_case("known", R"({"x": 1.02})")) == "it: x is 1.0, expected 1.02");
  CHECK(failure(one_case("known", R"({"x": null})")) == "it: x is 1.0, expected null");
  CHECK(failure(one_case("known", R"({"none": 0.0})")) == "it: none is null, expected 0.0");
}

TEST_CASE("runner: a tolerance by name overrides the case's") {
  const std::string tight = R"({"abs": 0, "rel": 0, "step5": {"abs": 0.1}})";
  CHECK(failure(one_case("known", R"({"x_step5": 1.05})", "{}", tight)) == "");
  CHECK(failure(one_case("known", R"({"x": 1.05})", "{}", tight)) != "");
  CHECK(failure(one_case("known", R"({"x": 1.05})", "{}",
                         R"({"per_metric": {"x": {"abs": 0.1}}})")) == "");
  CHECK(failure(one_case("known", R"({"x": 1.0})", "{}", R"({"statistical": true})")) ==
        "it: x states no tolerance");
}

TEST_CASE("runner: what is expected must be computed or named as left out") {
  CHECK(failure(one_case("known", R"({"y": 1.0})")) == "it: y is expected, but not computed");
  CHECK(failure(one_case("known", "{}", R"({"b": "a.npy"})")) ==
        "it: b is expected, but not computed");
  const Summary summary = run_one(one_case("known", R"({"left_out": 3.0})"));
  CHECK(summary.passed == 1);
  CHECK(summary.not_compared == std::vector<std::string>{"it: left_out: for this reason"});
}

TEST_CASE("runner: unknown kinds are skipped with a reason, exceptions fail") {
  CHECK(run_one(one_case("unknown", "{}")).skipped ==
        std::vector<std::string>{"it: nothing is registered for kind unknown"});
  CHECK(failure(one_case("throws", "{}")) == "it: threw: broken");
  CHECK_THROWS_AS(run("/nonexistent", Kinds()), std::runtime_error);
  Kinds twice;
  twice.add("k", nullptr);
  CHECK_THROWS_AS(twice.add("k", nullptr), std::logic_error);
}

}  // namespace

}  // namespace conoscope::tests::golden
