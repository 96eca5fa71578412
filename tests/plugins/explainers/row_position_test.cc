// SPDX-License-Identifier: Apache-2.0
// What a projection says of a sample must not depend on where the sample stands: equal rows have equal
// bits, or ties between samples are broken by row number.

#include <doctest/doctest.h>

#include "tests/support/head_bundle.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;

namespace {

bool equal_rows(const Rows& rows) { return rows == rows.row(0).replicate(rows.rows(), 1); }

/// The scores of n equal rows, which are equal, too.
OwnedArray scores_of_equal_rows(const Plugin& plugin, const Arguments& arguments,
                                const Outcome& fit, std::int64_t n, std::int64_t features,
                                std::int64_t concepts) {
  const Rows row = normal_rows(1, features, 5, true);
  const Outcome projected =
      plugin.project(arguments, fit.out, 0,
                     OwnedArray::of<double>({n, features}, flat(row.replicate(n, 1))), concepts);
  REQUIRE(projected.error == "");
  const Rows scores = matrix_of(projected.out, "scores");
  CHECK(equal_rows(scores));
  CHECK(!scores.isZero(0.0));
  return projected.out.arrays.at("scores");
}

}  // namespace

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
  for (std::int64_t n = 1; n <= 130; ++n) {
    INFO("n = ", n);
    scores_of_equal_rows(plugin, files, fit, n, kFeatures, kConcepts);
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
    for (std::int64_t n = 1; n <= 130; ++n) {
      INFO(std::string(name), ", n = ", n);
      const OwnedArray scores = scores_of_equal_rows(plugin, quick, fit, n, kFeatures, concepts);
      const Outcome rebuilt = plugin.reconstruct(quick, fit.out, 0, scores, kFeatures);
      REQUIRE(rebuilt.error == "");
      CHECK(equal_rows(matrix_of(rebuilt.out, "rows")));
    }
  }
}
