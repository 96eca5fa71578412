// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/analysis/audit.h"
#include "results/analysis/ladder.h"
#include "results/report/contest.h"
#include "results/site/site_page.h"

// What the pages of a site are about, read from the store once.

namespace conoscope::results {

/// Kind and id of a plugin.
using SiteMethod = std::pair<std::string, std::string>;

/// What one method scored by one metric in one contest.
struct SiteScore {
  std::size_t study = 0;  ///< index
  std::string metric;
  SiteMethod method;
  Contest of;  ///< dataset and model; without entrants
  std::size_t competitors = 0;
  Entrant entrant;
};

struct SiteStudy {
  RunRow run;
  std::string page, report;  ///< addresses
  std::string question, about;
  std::vector<std::string> metrics;  ///< in the order of the boards, without summaries
  SiteBoard board;
  std::vector<Audit> audits;
  SiteLinks links = {};  ///< of methods, as the study names them
};

/// A metric as the store declares it, with what is found of it.
struct SiteMetric {
  std::string page, group, direction, unit, question, citation;
  std::string ladder_run;  ///< key of the study that its ladders are of; empty: none has any
  std::vector<Ladder> ladders;
  std::vector<std::string> fails = {};  ///< what audits and ladders have against it
};

struct SiteContents {
  Store& store;
  const SiteOptions& options;
  std::vector<SiteStudy> studies;  ///< by the metric that leads, then by name
  std::vector<SiteScore> scores;
  std::map<SiteMethod, std::string> methods;  ///< their pages
  std::map<std::string, SiteMetric> metrics;
  std::map<std::string, std::string> metric_pages;  ///< the same, as links

  std::string study_of(const std::string& run) const;  ///< name; the key's beginning: an older run
};

/// throws  StoreError (not_found): no run
SiteContents site_contents(Store& store, const SiteOptions& options);

/// Rows of scores, those without a number last, and beside each what its randomised twins scored.
SiteTable score_table(const SiteContents& contents, std::vector<const SiteScore*> scores,
                      bool names_metric);

/// The ladders of metrics with their verdicts, and the study that each is of.
SiteTable ladder_table(const SiteContents& contents, const std::vector<std::string>& metrics);

/// The audit's tables for people, of the studies in which a metric is audited, or of one study.
std::vector<SiteTable> site_audit_tables(const SiteContents& contents, const std::string& metric,
                                         const SiteStudy* study);

void write_front_page(const SiteContents& contents, const SiteSink& sink);
void write_study_pages(const SiteContents& contents, const SiteSink& sink);
void write_method_pages(const SiteContents& contents, const SiteSink& sink);
void write_metric_pages(const SiteContents& contents, const SiteSink& sink);

}  // namespace conoscope::results
