// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/formats/table.h"
#include "results/report/contest.h"
#include "results/report/page.h"
#include "results/report/picture_sheet.h"
#include "results/report/report.h"

// The sections of a report, one file each.

namespace conoscope::results {

struct ReportedMetric {
  std::string name, group, direction, unit, question, citation;
  Field low, high;  ///< NULL: unbounded
};

struct ReportedRun {
  std::string key, label;  ///< label: no other run of the report has it
  std::vector<std::string> metrics;
};

/// What all sections are made from.
struct ReportContext {
  Store& store;
  const ReportOptions& options;
  std::vector<ReportedRun> runs;
  std::vector<ReportedMetric> metrics;  ///< of all runs, in the order of the selector
  PictureSheet& sheet;                  ///< the images that the sections show

  const ReportedMetric& metric(const std::string& name) const;
  /// run only where there are several; empty values are left out.
  GroupKeys keys(const ReportedRun& run, const std::string& dataset, const std::string& model,
                 const std::string& metric) const;
  std::vector<Contest> contests(const ReportedRun& run, const std::string& metric) const;
};

struct Section {
  std::string id, title;
  std::string html;  ///< empty: there is nothing to show, and the section is left out
};

/// What the scores say in a sentence; means with intervals beside the randomised twins.
Section leaderboard_section(const ReportContext& context);
/// One sample at a time: the concepts that add up to the surrogate's logit, beside the same of the
/// randomised twins; where model and surrogate agree; how much each concept counts.
Section explained_section(const ReportContext& context);
/// Paired differences to a reference, and who cannot be told apart.
Section difference_section(const ReportContext& context);
/// The sanity ladder of each metric.
Section ladder_section(const ReportContext& context);
/// Scores over the number of concepts, and over the size of the explanation.
Section concept_count_section(const ReportContext& context);
/// Its parts are an own section's matrix, and no parts of the score.
bool is_drawn_as_matrix(std::string_view metric);
/// Purity and information matrices.
Section matrix_section(const ReportContext& context);
/// Accuracy over the number of concepts that were told; latents under interventions on factors.
Section intervention_section(const ReportContext& context);
/// Activations by label, embeddings, correlations, and the images in which concepts are strongest.
Section encoding_section(const ReportContext& context);
/// How the parts of a score are spread.
Section spread_section(const ReportContext& context);
/// Means by run and version, where there are several.
Section change_section(const ReportContext& context);
Section failure_section(const ReportContext& context);
/// Runs, coverage, versions and machines.
Section overview_section(const ReportContext& context);
/// What the metrics ask, and what to cite.
Section definition_section(const ReportContext& context);

}  // namespace conoscope::results
