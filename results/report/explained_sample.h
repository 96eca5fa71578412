// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/boards/summaries.h"
#include "results/report/picture_sheet.h"

namespace conoscope::results {

/// What a store does not hold and pictures show, of the data that a cell was judged on. Nothing where the
/// data no longer lie here.
struct CellData {
  std::vector<std::string> classes, concepts, factors;  ///< names; empty: they have none
  /// Of a test sample, by its number.
  std::function<std::optional<Picture>(std::int64_t sample)> picture;

  /// "7", or what the data call it.
  static std::string name(const std::vector<std::string>& names, double number);
};

/// A grid of shares 0 ... 1 of how strongly a concept fires at each position; empty: positions are not
/// known.
using FiredGrid = std::vector<std::vector<double>>;

/// row_0, row_1, ... of a summary's row, see metrics/summaries/fired_positions.h.
FiredGrid fired_grid(const std::vector<double>& packed_rows);

/// The outline of where the grid, interpolated between its positions, is at least half of 1: an SVG path
/// in a square of this side.
std::string fired_outline(const FiredGrid& grid, double x, double y, double side);

/// The outline, light beneath and coloured above, so that it is seen on any image; empty: nothing.
std::string outline_svg(const std::string& path, double width);

/// So many columns of a terminal, a name that is longer with an ellipsis.
std::string shortened(const std::string& text, int most);

/// One addend of a surrogate's logit.
struct ConceptTerm {
  std::optional<std::int64_t> concept_id;  ///< none: all others together
  double score = 0.0, importance = 0.0, contribution = 0.0;
  FiredGrid fired;
};

/// A sample as explained_samples holds it.
struct ExplainedSample {
  std::int64_t sample = 0, output = 0, surrogate_output = 0;
  double label = 0.0, choice = 0.0;  ///< NaN: there is none
  double logit = 0.0, probability = 0.0, surrogate_logit = 0.0, surrogate_probability = 0.0;
  double bias = 0.0;
  std::vector<ConceptTerm> terms;
};

/// values  the parts of explained_samples;  shape  its columns
std::vector<ExplainedSample> explained_samples(const std::vector<double>& values,
                                               const SummaryShape& shape);

/// One sample as an explanation, or one of its twins, explains it.
struct ExplainedPanel {
  std::string title;
  ExplainedSample of;
};

/// The samples that a cell explains, each beside what its twins make of it: the worst of each output first,
/// for they say most.
///
/// shape  of explained_samples
std::vector<std::vector<ExplainedPanel>> explained_panels(const std::string& method,
                                                          const CellSummary& cell,
                                                          const std::vector<CellSummary>& twins,
                                                          const SummaryShape& shape);

/// The image; for each panel the bias and the contributions, each bar beginning where the last one ended,
/// so that the last ends at the surrogate's logit; and the model's logit. All panels on one scale. Where
/// positions are known, the area in which a concept fires is outlined in the image.
///
/// panels  of one sample, one at least
/// sheet   takes the image; a drawing that stands alone has it at its end
std::string explained_sample_svg(const std::vector<ExplainedPanel>& panels, const CellData& data,
                                 PictureSheet& sheet, bool alone);

}  // namespace conoscope::results
