// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/dataset.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "datasets/list_text.h"
#include "datasets/samples.h"

namespace conoscope::datasets {

FactorialDataset::FactorialDataset(const sdk::ParamsOf<kFactorialParameters>& params,
                                   std::string classes_key, Kind kind)
    : gamma_(params.integer("gamma")),
      selection_(params.text("selection")),
      label_rule_(params.text("label_rule") == "leakage"          ? LabelRule::kLeakage
                  : params.text("label_rule") == "robust_metrics" ? LabelRule::kRobustMetrics
                                                                  : LabelRule::kMisspecified),
      kind_(std::move(kind)),
      strides_(checked_strides(params.integers("every"), kind_.sizes, kind_.name + ": every")),
      test_strides_(params.integers("test_every").empty()
                        ? std::vector<int>()
                        : checked_strides(params.integers("test_every"), kind_.sizes,
                                          kind_.name + ": test_every")),
      sets_seed_(static_cast<std::uint64_t>(params.integer("sets_seed"))),
      samples_(params.integer("samples")),
      incomplete_(params.boolean("incomplete")),
      test_share_(params.real("test_share")),
      file_(params.file("file")),
      images_key_(params.text("images_key")),
      classes_key_(std::move(classes_key)) {
  const bool whole_grid = selection_ == "grid";
  if (whole_grid && gamma_ != 0)
    throw std::invalid_argument(kind_.name + ": gamma is " + std::to_string(gamma_) +
                                ", but selection = \"grid\" ties no factors together");
  if (!whole_grid && !params.integers("every").empty())
    throw std::invalid_argument(kind_.name + ": every goes with selection = \"grid\" only");
}

std::vector<std::int64_t> FactorialDataset::keep(const FactorTable& table) const {
  if (selection_ == "grid") return rows_on_strides(table, strides_);
  if (selection_ == "published_text")
    return select_rows_by_text(table, gamma_, kind_.deciding, sets_seed_);
  return select(table, draw_conditional_sets(kind_.steps, sets_seed_));
}

sdk::Split FactorialDataset::crossed_split(const FactorTable& table,
                                           std::span<const std::int64_t> rows) const {
  const FactorGrid grid(table, rows);
  sdk::Split split;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (grid.is_on(table.row(rows[i]), test_strides_) ? split.test : split.train)
        .push_back(static_cast<std::int64_t>(i));
  const std::int64_t combinations = grid.combinations(test_strides_);
  if (static_cast<std::int64_t>(split.test.size()) != combinations)
    throw std::invalid_argument(
        kind_.name + ": test_every takes " + std::to_string(split.test.size()) + " of " +
        std::to_string(combinations) +
        " combinations of the factors, which are not crossed; keep all images (samples = 0) of "
        "selection = \"grid\", or of gamma = 0");
  if (split.train.empty())
    throw std::invalid_argument(kind_.name +
                                ": test_every takes all images, and none is left to train");
  return split;
}

void FactorialDataset::load(const sdk::Context& context, sdk::Sink& out) {
  std::optional<OfficialFile> official;
  if (!file_.empty()) official.emplace(file_, images_key_, classes_key_, kind_.official);
  const FactorTable table = official ? official->table() : every_combination(kind_.sizes);
  const auto kept = keep(table);
  const auto rows = draw_rows(kept, samples_, context.seed().child("samples"),
                              kind_.name + (file_.empty() ? "" : " (" + file_ + ")"));
  const ConceptsAndLabels known = annotate(table, kept, rows);

  const std::size_t factors = table.sizes.size();
  std::vector<std::size_t> columns(factors);
  std::iota(columns.begin(), columns.end(), 0);
  if (incomplete_) columns = kind_.incomplete;
  const auto n = static_cast<std::int64_t>(rows.size());
  const auto to_factors = out.create<float>("factors", {n, static_cast<std::int64_t>(factors)});
  const auto to_concepts =
      out.create<float>("concepts", {n, static_cast<std::int64_t>(columns.size())});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(table.row(rows[i]), to_factors.begin() + i * factors);
    for (std::size_t j = 0; j < columns.size(); ++j)
      to_concepts[i * columns.size() + j] = known.concepts[i * factors + columns[j]];
  }
  std::ranges::copy(known.labels, out.create<std::int64_t>("labels", {n}).begin());
  std::vector<std::string> concept_names;
  for (const std::size_t column : columns) concept_names.push_back(kind_.factor_names[column]);
  out.text("factor_names", list_text(kind_.factor_names));
  out.text("concept_names", list_text(concept_names));
  out.text("task", "classification");
  const sdk::Split split = test_strides_.empty()
                               ? sdk::stratified_split(known.labels, test_share_, context.seed())
                               : crossed_split(table, rows);
  sdk::write_split(out, split);
  write_images(table, official ? &*official : nullptr, rows, known.labels, split, context, out);
}

}  // namespace conoscope::datasets
