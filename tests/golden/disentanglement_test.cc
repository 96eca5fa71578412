#include "tests/golden/disentanglement.h"

#include <doctest/doctest.h>

#include <cmath>

namespace conoscope::tests::golden {

namespace {

Summary run_family(const std::filesystem::path& folder) {
  AnswerKinds kinds;
  register_robustness(kinds);
  register_disentanglement(kinds);
  register_disentanglement_models(kinds);
  register_vae_losses(kinds);
  return run_answers(folder, kinds);
}

}  // namespace

TEST_CASE("disentanglement: the subset in the source tree") {
  check_subset("disentanglement", run_family);
}

TEST_CASE("disentanglement: the full set") {
  check_full_set("disentanglement", "disentanglement", run_family);
}

TEST_CASE("disentanglement: a wrong value and a missing output do not pass") {
  const Json one = Json::parse(R"({"id": "it", "inputs": {}, "params": {},
      "expected": {"x": 1.0, "m": {"array": [[1, 2]], "shape": [1, 2]}},
      "tolerance": {"abs": [0.1, 0.01], "rel": 0, "abs_wide": 3}})");
  const auto answered = [&one](const std::function<void(Answer&)>& answer) {
    Answer it("", one);
    answer(it);
    Summary summary;
    it.finish(summary);
    return summary.failed.empty() ? std::string() : summary.failed.front();
  };
  const metrics::Matrix right = (metrics::Matrix(1, 2) << 1.05, 2.005).finished();
  const metrics::Matrix wrong = (metrics::Matrix(1, 2) << 1.05, 2.05).finished();
  CHECK(answered([&](Answer& a) {
          a.number("x", 1.05);
          a.values("m", right);
        }) == "");
  CHECK(answered([&](Answer& a) {
          a.number("x", 1.2);
          a.values("m", right);
        }) == "it: x is 1.2, expected 1");
  CHECK(answered([&](Answer& a) {
          a.number("x", 1.0);
          a.values("m", wrong);
        }) == "it: m[1] is 2.05, expected 2");
  CHECK(answered([&](Answer& a) {
          a.number("x", 3.5, "wide");
          a.values("m", wrong, "wide");
        }) == "");
  CHECK(answered([&](Answer& a) { a.values("m", right); }) ==
        "it: x is expected, but not computed");
  CHECK(answered([&](Answer& a) {
          a.excuse("x", "why");
          a.values("m", right.leftCols(1));
        }) == "it: m has 1 entries, expected 2");
  CHECK(answered([&](Answer& a) {
          a.number("x", std::nan(""));
          a.values("m", right);
        }) != "");
}

}  // namespace conoscope::tests::golden
