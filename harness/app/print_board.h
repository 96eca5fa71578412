// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/core/border/registry.h"
#include "results/analysis/pareto.h"
#include "results/boards/board.h"
#include "results/boards/kinds.h"
#include "results/formats/format.h"
#include "results/report/headline.h"

namespace conoscope::app {

/// What `conoscope board` and the end of `conoscope run` print.
struct BoardRequest {
  results::BoardKind kind = results::BoardKind::ranking;
  results::BoardOptions
      filters;                  ///< run, metrics, dataset, model, explainer; no metric: the kind's
  std::string with;             ///< correlation: the metric to be predicted
  double budget = 0;            ///< budget: effective_concepts that a method may use
  std::string count_parameter;  ///< select-k, curve and budget; empty: by plugin
  /// select-k, curve and budget: the explainers' parameter that counts concepts, by plugin id.
  std::map<std::string, std::string> count_parameters;
  results::Format format = results::Format::table;
  std::vector<results::ParetoAxis> pareto = {};  ///< ranking: marks who is beaten on none of these
  std::vector<std::string> columns = {};         ///< ranking: these alone; empty: all
  bool bold = false;  ///< ranking, across: the best of each column, in md and latex
  int tiny = 0;       ///< as Column::tiny
  bool audit =
      false;  ///< ranking: says what its metric tells apart, as it does where truth is known
  bool marks = false;            ///< ranking: as on a terminal, where scores are marked anyway
  std::string store_words = "";  ///< Options::store_words(), for the commands that it names
  bool control_lines = true;     ///< ranking: for people, a line where each control stands
};

/// Takes down which parameter counts an explainer's concepts; not those of other plugins.
void note_concept_count(const core::PluginFile& plugin, BoardRequest& request);

/// Prints a board to standard output.
///
/// returns  false: there is nothing to show; why was said
/// throws   UsageError: the run lacks what this kind is about
bool print_board(results::Store& store, const BoardRequest& request);

/// A leaderboard and what there is to say of it.
struct Ranking {
  std::string nothing;  ///< why there is no table; empty: there is one
  std::string metric;   ///< that ranks it
  results::Table table;
  std::vector<std::string> below;            ///< what its metric tells apart, what its marks mean
  std::vector<results::Headline> headlines;  ///< with marks: who is best, in words
  std::set<std::string> doubtful;            ///< its metrics that the two lists below are about
  std::vector<std::string> unordered;        ///< what fails the sanity ladders
  std::vector<std::string> failing;          ///< what fails the audit
};
Ranking ranking(results::Store& store, const BoardRequest& request);

/// ranking and across: a leaderboard, or one turned (results/boards/across.h). Without metrics the
/// first few that the run asks for, in the catalogue's order, and beside scores of explanations
/// what each one uses, effective_concepts. For people, a ranking has a line where each control
/// stands, at its mean over the explainers, unless only some columns are asked for.
bool print_ranking(results::Store& store, const BoardRequest& request);

/// sanity: a measure-over-measure study, a row for each ladder and metric, and a column for each
/// step, means over seeds, with the verdict (results/analysis/verdict.h).
///
/// Explanations: perfect, random_importance and random_concepts (Kumar and Ahuja, arXiv 2504.10833,
/// Table 3). Concept views and codes: the models ladder_concepts and ladder_codes at their three
/// steps. With several subjects, their names lead each row; metrics that apply to none of a
/// ladder's steps have no row. Without metrics, all that the run asks for.
///
/// throws  UsageError: the run lacks a step, or asks for no metric
results::Table sanity_board(results::Store& store, const BoardRequest& request);
void print_sanity(results::Store& store, const BoardRequest& request);

/// select-k, curve and budget: at how many concepts each method's scores stop improving
/// (results/analysis/select_k.h), the means at every number of concepts, or a ranking at equal
/// effective_concepts (results/analysis/equal_budget.h). Without metrics, those that the run asks
/// for and that can be judged.
///
/// throws  UsageError: no explainer has two numbers of concepts, or a metric has no direction
results::Table parsimony_board(results::Store& store, const BoardRequest& request);
void print_parsimony(results::Store& store, const BoardRequest& request);

}  // namespace conoscope::app
