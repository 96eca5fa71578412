// What a projection says of a sample must not depend on where the sample stands: equal rows have equal
// bits, or ties between samples are broken by row number.

#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;

TEST_CASE("precomputed: equal rows have equal concept scores, however many there are") {
  constexpr std::int64_t kFeatures = 12, kConcepts = 5;
  const Plugin plugin(plugin_file("precomputed_explainer"));
  const Scratch scratch;
  const auto text_of = [](const Rows& rows) {
    std::string text;
    for (const auto row : rows.rowwise())
      for (Eigen::Index j = 0; j < row.size(); ++j)
        text += std::to_string(row[j]) + (j + 1 < row.size() ? "," : "\n");
    return text;
  };
  const Arguments files{
      {"cavs", scratch.write("v.csv", text_of(normal_rows(kConcepts, kFeatures, 3)))},
      {"importance", scratch.write("a.csv", text_of(normal_rows(2, kConcepts, 4)))},
      {"mean", scratch.write("m.csv", text_of(normal_rows(kFeatures, 1, 6)))}};
  const Outcome fit = plugin.fit_explainer(files, random_head_bundle(20, 1, kFeatures, 2, 1));
  REQUIRE(fit.error == "");
  const Rows row = normal_rows(1, kFeatures, 5, true);
  for (std::int64_t n = 1; n <= 130; ++n) {
    const Outcome projected = plugin.project(
        files, fit.out, 0, OwnedArray::of<double>({n, kFeatures}, flat(row.replicate(n, 1))),
        kConcepts);
    REQUIRE(projected.error == "");
    const Rows scores = matrix_of(projected.out, "scores");
    std::int64_t other = 0;
    for (std::int64_t i = 0; i < n; ++i) other += scores.row(i) != scores.row(0);
    INFO("n = ", n);
    CHECK(other == 0);
    CHECK(!scores.isZero(0.0));
  }
}

TEST_CASE("equal rows have equal concept scores, however many there are") {
  constexpr std::int64_t kFeatures = 12, kOutputs = 3;
  const Bundle head = random_head_bundle(300, 4, kFeatures, kOutputs, 1);
  for (const char* name : {"craft", "ice", "mcd", "nmf", "topk_sae"}) {
    const Plugin plugin(plugin_file(name));
    const bool is_sae = std::string(name) == "topk_sae";
    const Arguments quick{{is_sae ? "epochs" : "k", std::int64_t{2}}};
    const Outcome fit = plugin.fit_explainer(quick, head);
    REQUIRE(fit.error == "");
    const std::int64_t concepts = fit.out.texts.at("scope") == "class_agnostic"
                                      ? fit.out.shape("cavs")[0]
                                      : fit.out.values<std::int64_t>("counts")[0];
    REQUIRE(concepts > 0);
    const Rows row = normal_rows(1, kFeatures, 5, true);
    for (std::int64_t n = 1; n <= 130; ++n) {
      const Outcome projected = plugin.project(
          quick, fit.out, 0, OwnedArray::of<double>({n, kFeatures}, flat(row.replicate(n, 1))),
          concepts);
      REQUIRE(projected.error == "");
      const Rows scores = matrix_of(projected.out, "scores");
      std::int64_t other = 0;
      for (std::int64_t i = 0; i < n; ++i) other += scores.row(i) != scores.row(0);
      INFO(std::string(name), ", n = ", n);
      CHECK(other == 0);
      CHECK(!scores.isZero(0.0));
      const Outcome rebuilt =
          plugin.reconstruct(quick, fit.out, 0, projected.out.arrays.at("scores"), kFeatures);
      REQUIRE(rebuilt.error == "");
      const Rows rows = matrix_of(rebuilt.out, "rows");
      for (std::int64_t i = 0; i < n; ++i) other += rows.row(i) != rows.row(0);
      CHECK(other == 0);
    }
  }
}
