// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// Of a board of submissions.
inline constexpr const char* kOriginColumn = "origin";

/// The keys of dataset, model and explainer; that of the explainer may be empty.
using BoardSubject = std::tuple<std::string, std::string, std::string>;

struct BoardOptions {
  std::string run;                                       ///< key; empty: what any run asked for
  std::vector<std::string> metrics;                      ///< columns; the first one ranks
  std::string dataset = {}, model = {}, explainer = {};  ///< see component_words.h; empty: all
  bool controls = false;  ///< the controls' means of the first metric beside
  std::map<std::string, std::map<BoardSubject, std::string>> marks = {};  ///< by metric
};

/// What one subject scored under one control.
struct BoardEntry {
  BoardSubject subject;
  std::string dataset, model, explainer, control;
  std::optional<std::int64_t> rank;
  std::int64_t n = 0, asked = 0;
  std::optional<double> sd;  ///< of n values, two or more
  std::string origin = {};   ///< of a submission (store/origins.h)
  Estimate estimate;
};

/// A board's entries of one metric, by dataset, model, control and rank; control empty: every one.
///
/// throws  StoreError (not_found): no run asks for the metric; lists those there are
std::vector<BoardEntry> board_entries(Store& store, const BoardOptions& options,
                                      const std::string& metric, const std::string& control);

/// Who explains best? One row per (dataset, model, explainer), or per (dataset, model) where the model
/// itself is judged, ranked inside its contest: the explainers of one model on one dataset, or the
/// models of one dataset that nothing explains, of which one that is alone has no rank.
///
/// Columns: rank, dataset, model, explainer, coverage (seeds with a number / seeds asked), in a folder of
/// submissions origin (store/origins.h), each
/// metric as mean over seeds with the half-width of its 95 % t interval and what the metric says
/// about these scores; with controls, a column <first metric>@<control> for each control that was
/// asked for.
/// An incomplete entry never ranks before a complete one, nor a self-reported one before another; see
/// board.sql.
///
/// throws  std::invalid_argument: no metric given
///         StoreError (not_found): no run asks for the metric; lists those there are
Table board(Store& store, const BoardOptions& options);

/// What each row of a board competes in: dataset and model; no model where models compete.
std::vector<std::pair<std::string, std::string>> contests_of(const Table& board);

}  // namespace conoscope::results
