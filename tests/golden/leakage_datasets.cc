// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `leakage` that are datasets: formulas that plugins share with us.

#include <span>

#include "datasets/soft_concepts/representation.h"
#include "datasets/tabular_toy/formula.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::datasets;

Outputs tabular_toy_case(const Case& one) {
  const std::vector<double> latents = one.input("z").values;
  const std::size_t k = tabular_toy_latents(TabularToyTask::majority);
  const std::size_t width = tabular_toy_width(k);
  Outputs out;
  std::vector<std::int64_t> row(k);
  std::vector<double> inputs(width);
  for (std::size_t at = 0; at < latents.size(); at += k) {
    const auto z = std::span(latents).subspan(at, k);
    tabular_toy_inputs(z, inputs);
    out.arrays["x"].insert(out.arrays["x"].end(), inputs.begin(), inputs.end());
    for (std::size_t j = 0; j < k; ++j) {
      row[j] = tabular_toy_concept(z[j]);
      out.arrays["c"].push_back(static_cast<double>(row[j]));
    }
    const auto label = [&](const char* output, const char* task) {
      out.arrays[output].push_back(
          static_cast<double>(tabular_toy_label(row, tabular_toy_task(task))));
    };
    label("y", "majority");
    label("y_two_concepts", "two_concepts");
    label("y_misspecified_as_printed", "misspecified_as_printed");
    label("y_misspecified_coefficient_2", "misspecified_coefficient_2");
  }
  return out;
}

Outputs table1_representation_case(const Case& one) {
  const Npy truth = one.input("c");
  const std::vector<double> draws = one.input("u").values;
  const auto k = static_cast<std::size_t>(truth.shape.at(1));
  Outputs out;
  std::vector<std::int64_t> row(k);
  for (std::size_t at = 0; at < truth.values.size(); at += k) {
    for (std::size_t j = 0; j < k; ++j) row[j] = static_cast<std::int64_t>(truth.values[at + j]);
    for (std::size_t j = 0; j < k; ++j)
      for (const bool impure : {false, true}) {
        const std::string name = impure ? "impure" : "pure";
        const Interval interval = concept_interval(row, j, impure);
        out.arrays[name + "_low"].push_back(interval.low);
        out.arrays[name + "_high"].push_back(interval.high);
        out.arrays[name].push_back(interval.low + (interval.high - interval.low) * draws[at + j]);
      }
  }
  return out;
}

}  // namespace

void register_leakage_datasets(Kinds& kinds) {
  kinds.add("dataset_tabulartoy", tabular_toy_case);
  kinds.add("table1_representation", table1_representation_case);
}

}  // namespace conoscope::tests::golden
