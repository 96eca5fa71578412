#pragma once

// What the plugins of the datasets with a full grid of factors share: the parameters that say
// which images there are, and the arrays that say what is on them.

#include <algorithm>
#include <stdexcept>
#include <string>

#include "conoscope/sdk/dataset.h"
#include "datasets/factorial/conditional_sets.h"
#include "datasets/factorial/table.h"
#include "datasets/samples.h"

namespace conoscope::datasets {

/// What GridParameters reads; the plugins have it with ranges, choices and words of their own.
inline constexpr auto kGridParameters =
    sdk::parameters(sdk::integer("gamma"), sdk::text("selection"), sdk::integer("sets_seed"),
                    sdk::integers("every", {}), sdk::integer("samples"));

/// gamma, selection, sets_seed, every, samples.
struct GridParameters {
  std::int64_t gamma;
  std::string selection;
  sdk::Seed sets_seed;
  std::vector<int> strides;
  std::int64_t samples;

  bool whole_grid() const { return selection == "grid"; }
  bool by_text() const { return selection == "published_text"; }

  /// throws  std::invalid_argument, beginning with `who`: parameters that do not go together
  GridParameters(const sdk::ParamsOf<kGridParameters>& params, std::span<const int> sizes,
                 const std::string& who)
      : gamma(params.integer("gamma")),
        selection(params.text("selection")),
        sets_seed(static_cast<std::uint64_t>(params.integer("sets_seed"))),
        strides(checked_strides(params.integers("every"), sizes, who + ": every")),
        samples(params.integer("samples")) {
    if (whole_grid() && gamma != 0)
      throw std::invalid_argument(who + ": gamma is " + std::to_string(gamma) +
                                  ", but selection = \"grid\" ties no factors together");
    if (!whole_grid() && !params.integers("every").empty())
      throw std::invalid_argument(who + ": every goes with selection = \"grid\" only");
  }
};

/// Writes factors, concepts and labels of the rows. concepts: rows x (as many columns as factors),
/// of which only `columns` are written.
inline void write_annotations(const FactorTable& table, std::span<const std::int64_t> rows,
                              std::span<const std::uint8_t> concepts,
                              std::span<const std::size_t> columns,
                              std::span<const std::int64_t> labels, sdk::Sink& out) {
  const auto n = static_cast<std::int64_t>(rows.size());
  const std::size_t factors = table.sizes.size();
  const auto to_factors = out.create<float>("factors", {n, static_cast<std::int64_t>(factors)});
  const auto to_concepts =
      out.create<float>("concepts", {n, static_cast<std::int64_t>(columns.size())});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(table.row(rows[i]), to_factors.begin() + i * factors);
    for (std::size_t j = 0; j < columns.size(); ++j)
      to_concepts[i * columns.size() + j] = concepts[i * factors + columns[j]];
  }
  std::ranges::copy(labels, out.create<std::int64_t>("labels", {n}).begin());
  out.text("task", "classification");
}

}  // namespace conoscope::datasets
