// SPDX-License-Identifier: Apache-2.0
#include "datasets/dsprites/task.h"

#include <stdexcept>

namespace conoscope::datasets::dsprites {

const std::array<ConditionalStep, 4> kSteps = {{
    {3, 6, 4, 2, 3},       // scale given shape
    {6, 40, 30, 10, 20},   // orientation given scale
    {40, 32, 20, 12, 16},  // posX given orientation
    {32, 32, 20, 12, 16},  // posY given posX
}};

namespace {

constexpr int kStrides[5][kFactors] = {
    {1, 2, 4, 2, 2}, {1, 1, 4, 2, 2}, {1, 1, 2, 2, 2}, {1, 1, 2, 1, 2}, {1, 1, 2, 1, 1}};
constexpr std::array<int, kFactors> kThresholds = {2, 3, 20, 16, 16};  ///< a concept: below it

bool allowed(std::span<const std::uint8_t> row, std::size_t step, const ConditionalSets& sets,
             Selection selection) {
  const int condition = row[step];
  const bool published = selection == Selection::kPublishedCode;
  const bool low = condition < (published && step == 3 ? 15 : kThresholds[step]);
  const bool looks_up_shape = published && step == 0 && !low;
  return sets.allows(condition, low, looks_up_shape ? condition : row[step + 1]);
}

/// For every factor and value: is it low? By threshold, or among the values that occur.
std::array<std::vector<std::uint8_t>, kFactors> low_values(const FactorTable& table,
                                                           std::span<const std::int64_t> rows,
                                                           Selection selection) {
  std::array<std::vector<std::uint8_t>, kFactors> low;
  for (std::size_t f = 0; f < kFactors; ++f) {
    low[f].assign(static_cast<std::size_t>(kSizes[f]), 0);
    if (selection == Selection::kConditional || f == 0) {  // the shape's number is its own
      for (int v = 0; v < kThresholds[f]; ++v) low[f][static_cast<std::size_t>(v)] = 1;
      continue;
    }
    std::vector<bool> occurs(static_cast<std::size_t>(kSizes[f]), false);
    for (const std::int64_t i : rows) occurs[table.row(i)[f]] = true;
    double count = 0.0;
    for (const bool does : occurs) count += does;
    // Half of an odd number of positions is rounded down, of the other factors' values it is not.
    const double half = f < 3 ? count / 2.0 : static_cast<double>(static_cast<int>(count) / 2);
    double number = 0.0;
    for (std::size_t v = 0; v < occurs.size(); ++v)
      if (occurs[v]) low[f][v] = number++ < half;
  }
  return low;
}

}  // namespace

std::vector<std::int64_t> select_rows(const FactorTable& table, std::int64_t gamma,
                                      std::span<const ConditionalSets> sets, Selection selection) {
  if (gamma < 0 || gamma > kStrongest || static_cast<std::int64_t>(sets.size()) < gamma)
    throw std::invalid_argument("dsprites: gamma is " + std::to_string(gamma) + " with " +
                                std::to_string(sets.size()) + " conditional sets, expected 0 to 4");
  return rows_on_strides(table, kStrides[gamma], gamma, [&](const auto row, std::size_t step) {
    return allowed(row, step, sets[step], selection);
  });
}

std::int64_t label(std::span<const std::uint8_t> concepts, LabelRule rule) {
  const std::int64_t c1 = concepts[0], c2 = concepts[1], c3 = concepts[2], c4 = concepts[3],
                     c5 = concepts[4];
  if (rule == LabelRule::kRobustMetrics) return c1 ? 2 * c2 + c4 : 4 + 2 * c3 + c5;
  const std::int64_t y = (1 - c1) * (4 + 2 * c4 + c5) + c1 * (2 * c2 + c3);
  if (rule == LabelRule::kLeakage) return y;
  return y - (1 - c1) * c3 * c4 - c1 * (c2 * c5 + c3 * c5 + c2 * c4);
}

ConceptsAndLabels annotate(const FactorTable& table, std::span<const std::int64_t> rows,
                           LabelRule rule, Selection selection) {
  if (rows.empty()) throw std::invalid_argument("dsprites: no rows to annotate");
  const auto low = low_values(table, rows, selection);
  ConceptsAndLabels out;
  out.concepts.reserve(rows.size() * kFactors);
  out.labels.reserve(rows.size());
  for (const std::int64_t i : rows) {
    const auto row = table.row(i);
    std::array<std::uint8_t, kFactors> bits;
    for (std::size_t f = 0; f < kFactors; ++f) bits[f] = low[f][row[f]];
    out.concepts.insert(out.concepts.end(), bits.begin(), bits.end());
    if (selection == Selection::kPublishedCode)  // the labels' own thresholds
      for (std::size_t f = 0; f < kFactors; ++f)
        bits[f] = row[f] < (f < 3 ? kThresholds[f] : 15) ? 1 : 0;
    out.labels.push_back(label(bits, rule));
  }
  return out;
}

}  // namespace conoscope::datasets::dsprites
