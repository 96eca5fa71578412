// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `leakage` about the image datasets: labels and subsampling.

#include <array>

#include "datasets/dsprites/task.h"
#include "datasets/shapes3d/task.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

namespace dsprites = datasets::dsprites;
namespace shapes3d = datasets::shapes3d;

std::vector<std::int64_t> integers(const Npy& array) {
  const auto values = array.indices();
  return {values.begin(), values.end()};
}

bool is_dsprites(const Case& one) { return one.id().starts_with("dsprites"); }

Outputs labels_case(const Case& one) {
  const auto flat = integers(one.input("c"));
  const std::vector<std::uint8_t> bits(flat.begin(), flat.end());
  const std::size_t k = is_dsprites(one) ? dsprites::kFactors : shapes3d::kFactors;
  Outputs out;
  const auto all = [&](auto label, auto rule) {
    std::vector<double> labels;
    for (std::size_t i = 0; i < bits.size(); i += k)
      labels.push_back(static_cast<double>(label(std::span(bits).subspan(i, k), rule)));
    return labels;
  };
  const auto every_rule = [&](auto label, auto rules) {
    out.arrays["y_leakage_paper"] = all(label, rules[0]);
    out.arrays["y_robust_metrics_paper"] = all(label, rules[1]);
    out.arrays["y_misspecified"] = all(label, rules[2]);
  };
  if (is_dsprites(one))
    every_rule(dsprites::label,
               std::array{dsprites::LabelRule::kLeakage, dsprites::LabelRule::kRobustMetrics,
                          dsprites::LabelRule::kMisspecified});
  else
    every_rule(shapes3d::label,
               std::array{shapes3d::LabelRule::kLeakage, shapes3d::LabelRule::kRobustMetrics,
                          shapes3d::LabelRule::kMisspecified});
  return out;
}

/// The sets of each step, as the case gives them.
template <std::size_t n>
std::vector<datasets::ConditionalSets> given_sets(
    const Case& one, const std::array<const char*, n>& names,
    std::span<const datasets::ConditionalStep> steps) {
  std::vector<datasets::ConditionalSets> sets;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = names[i];
    sets.emplace_back(integers(one.input(name + "_sets_lower")),
                      integers(one.input(name + "_sets_upper")), steps[i]);
  }
  return sets;
}

void count(Outputs& out, const std::string& gamma, std::span<const std::uint8_t> concepts,
           std::size_t k, std::span<const std::int64_t> labels, std::size_t classes) {
  std::vector<double> positives(k, 0.0), counts(classes, 0.0);
  for (std::size_t i = 0; i < concepts.size(); ++i) positives[i % k] += concepts[i];
  for (const std::int64_t y : labels) ++counts.at(static_cast<std::size_t>(y));
  out.scalars["n_" + gamma] = labels.size();
  out.arrays["concept_positives_" + gamma] = positives;
  out.arrays["label_counts_" + gamma] = counts;
}

Outputs dsprites_case(const Case& one) {
  constexpr std::array names = {"scale_shape", "rotation_scale", "x_pos_rotation", "y_pos_x_pos"};
  const auto sets = given_sets(one, names, dsprites::kSteps);
  const auto table =
      datasets::every_combination({dsprites::kSizes.begin(), dsprites::kSizes.end()});
  constexpr auto kAs = dsprites::Selection::kPublishedCode;
  constexpr auto kRule = dsprites::LabelRule::kLeakage;
  Outputs out;
  for (std::int64_t gamma = 0; gamma <= dsprites::kStrongest; ++gamma) {
    const auto known = annotate(table, dsprites::select_rows(table, gamma, sets, kAs), kRule, kAs);
    count(out, std::to_string(gamma), known.concepts, dsprites::kFactors, known.labels, 8);
    int mismatch = 0;
    for (std::size_t i = 0; i < known.labels.size(); ++i)
      mismatch +=
          known.labels[i] != dsprites::label(std::span(known.concepts).subspan(i * 5, 5), kRule);
    out.scalars["label_concept_mismatch_" + std::to_string(gamma)] = mismatch;
  }
  return out;
}

Outputs shapes3d_case(const Case& one) {
  constexpr std::array names = {"floor_hue_wall_hue", "wall_hue_object_hue", "object_hue_scale",
                                "scale_shape", "shape_rotation"};
  const auto sets = given_sets(one, names, shapes3d::kSteps);
  const auto table =
      datasets::every_combination({shapes3d::kSizes.begin(), shapes3d::kSizes.end()});
  Outputs out;
  for (std::int64_t gamma = 0; gamma <= shapes3d::kStrongest; ++gamma) {
    std::vector<std::uint8_t> concepts;
    std::vector<std::int64_t> labels;
    for (const std::int64_t i : shapes3d::select_rows(table, gamma, sets)) {
      const auto bits = shapes3d::concepts_of(table.row(i));
      concepts.insert(concepts.end(), bits.begin(), bits.end());
      labels.push_back(shapes3d::label(bits, shapes3d::LabelRule::kLeakage));
    }
    count(out, std::to_string(gamma), concepts, shapes3d::kFactors, labels, 12);
  }
  return out;
}

Outputs subsampling_case(const Case& one) {
  return is_dsprites(one) ? dsprites_case(one) : shapes3d_case(one);
}

}  // namespace

void register_leakage_datasets_images(Kinds& kinds) {
  kinds.add("dataset_labels", labels_case);
  kinds.add("dataset_subsampling", subsampling_case);
}

}  // namespace conoscope::tests::golden
