#include "metrics/summaries/top_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/faithfulness/concept_scores.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/summaries/shown_items.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostConcepts = 12, kTop = 4, kSide = 16, kMostPositions = 8;

/// The samples with the largest entries, the largest first, the lowest number of equals.
IndexVector strongest(const VectorRef& activations) {
  IndexVector order(static_cast<std::size_t>(activations.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<Index>(kTop, activations.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    return activations[a] > activations[b] || (activations[a] == activations[b] && a < b);
  });
  order.erase(end, order.end());
  return order;
}

/// Means over the areas of a grid of `rows` x `cols` cells.
Matrix reduced(const MatrixRef& image, Index rows, Index cols) {
  const auto from = [](Index at, Index size, Index cells) { return at * size / cells; };
  const auto to = [](Index at, Index size, Index cells) {
    return std::max(at * size / cells + 1, ((at + 1) * size + cells - 1) / cells);
  };
  Matrix out(rows, cols);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) {
      const Index top = from(r, image.rows(), rows), left = from(c, image.cols(), cols);
      out(r, c) =
          image.block(top, left, to(r, image.rows(), rows) - top, to(c, image.cols(), cols) - left)
              .mean();
    }
  return out;
}

/// Columns of the scores, and what is said of those that are left out.
struct ShownConcepts {
  IndexVector columns;
  std::string caveat;
};

/// The largest importance of a concept for an output, by column; empty without an explanation.
Vector importances(const Subject& subject) {
  if (!subject.offers("explanation")) return {};
  const Explanation& explanation = subject.explanation();
  if (!explanation.class_agnostic) return explanation.importance.cwiseAbs();
  return explanation.importance_by_output.cwiseAbs().colwise().maxCoeff();
}

/// Those that fire, the most important first, if there is an explanation: a concept whose score is the
/// same in every sample has no strongest image.
ShownConcepts shown_concepts(const Subject& subject, const Matrix& all) {
  ShownConcepts out;
  for (Index j = 0; j < all.cols(); ++j)
    if (all.col(j).maxCoeff() > all.col(j).minCoeff()) out.columns.push_back(j);
  const auto firing = static_cast<Index>(out.columns.size());
  if (firing < all.cols())
    out.caveat = std::to_string(all.cols() - firing) + " of " + std::to_string(all.cols()) +
                 " concepts have the same score in every sample";
  const Vector importance = importances(subject);
  if (importance.size() == all.cols())
    std::ranges::stable_sort(out.columns,
                             [&](Index a, Index b) { return importance[a] > importance[b]; });
  if (firing <= kMostConcepts) return out;
  out.columns.resize(static_cast<std::size_t>(kMostConcepts));
  const std::string shown = std::to_string(kMostConcepts) + " of " + std::to_string(firing);
  out.caveat += (out.caveat.empty() ? "" : "; ");
  out.caveat += importance.size() == all.cols() ? "the " + shown + " most important concepts"
                                                : "the first " + shown + " concepts";
  return out;
}

struct Range {
  double low = 0.0, high = 0.0;
};

Range pixel_range(const ImageView& images) {
  Range out{kUnbounded, -kUnbounded};
  numerics::for_each_block(images.pixels, 1, [&](Index, const Matrix& block) {
    out.low = std::min(out.low, block.minCoeff());
    out.high = std::max(out.high, block.maxCoeff());
  });
  return out;
}

/// Of one image, as the three colours of each pixel.
std::vector<double> thumbnail(const ImageView& images, Index sample, const Range& range) {
  const Matrix pixels = images.pixels.block(sample, 1);
  std::vector<double> out(static_cast<std::size_t>(kSide * kSide), 0.0);
  for (Index colour = 0; colour < 3; ++colour) {
    const Index channel = images.channels < 3 ? 0 : colour;
    Matrix plane(images.height, images.width);
    for (Index p = 0; p < plane.size(); ++p)
      plane.data()[p] = pixels(0, p * images.channels + channel);
    const Matrix small = reduced(plane, kSide, kSide);
    for (Index p = 0; p < small.size(); ++p) {
      const double share =
          range.high > range.low ? (small.data()[p] - range.low) / (range.high - range.low) : 0.0;
      const double level = std::round(255.0 * std::clamp(share, 0.0, 1.0));
      out[static_cast<std::size_t>(p)] = out[static_cast<std::size_t>(p)] * 256.0 + level;
    }
  }
  return out;
}

SummaryTable samples(const Subject& subject) {
  const Matrix& all = scalar_scores("top_samples", subject);
  const ImageView& images = subject.images();
  if (images.pixels.rows() != all.rows())
    numerics::refuse("top_samples", std::to_string(images.pixels.rows()) + " images for " +
                                        std::to_string(all.rows()) + " samples");
  const Range range = pixel_range(images);
  ShownConcepts shown = shown_concepts(subject, all);
  SummaryTable out{{}, std::move(shown.caveat)};
  for (const Index j : shown.columns) {
    double rank = 0.0;
    for (const Index i : strongest(all.col(j))) {
      out.add({static_cast<double>(j), rank++, static_cast<double>(i), label_of(subject, i),
               all(i, j)});
      const auto pixels = thumbnail(images, i, range);
      out.cells.insert(out.cells.end(), pixels.begin(), pixels.end());
    }
  }
  return out;
}

/// What concept of which output a column of concept_scores() is.
std::pair<Index, Index> place_of(const Explanation& explanation, Index column) {
  if (explanation.class_agnostic) return {0, column};
  Index output = 0;
  while (explanation.first_row(output + 1) <= column) ++output;
  return {output, column - explanation.first_row(output)};
}

SummaryTable positions(const Subject& subject) {
  const HeadView& head = subject.head();
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(head.positions))));
  if (head.positions < 2) throw NotApplicable("the head has a single position");
  if (side * side != head.positions)
    throw NotApplicable("the head's " + std::to_string(head.positions) +
                        " positions are no square grid");
  if (head.pooling == Pooling::kFlatten)
    throw NotApplicable("a flattened head has one concept per position");
  const ExplainedHead& of = subject.once(explained_head);
  const Matrix all = concept_scores(head, subject.explanation());
  numerics::require_finite("top_positions", "scores", all);
  const Index cells = std::min(side, kMostPositions);
  ShownConcepts shown = shown_concepts(subject, all);
  SummaryTable out{{}, std::move(shown.caveat)};
  for (const Index j : shown.columns) {
    const auto [output, column] = place_of(subject.explanation(), j);
    double rank = 0.0;
    for (const Index i : strongest(all.col(j))) {
      const Matrix scores =
          of.project(output, numerics::rows_of_samples(head.activations, head.positions, {i}));
      const Matrix fired = scores.col(column);
      const Matrix grid = reduced(Eigen::Map<const Matrix>(fired.data(), side, side), cells, cells);
      for (Index r = 0; r < cells; ++r)
        for (Index c = 0; c < cells; ++c)
          out.add({static_cast<double>(j), rank, static_cast<double>(r), static_cast<double>(c),
                   grid(r, c)});
      ++rank;
    }
  }
  return out;
}

}  // namespace

Summary declare::top_samples() {
  Summary out{.name = "top_samples",
              .question = "What do the images in which each concept is strongest look like?",
              .source = "ours",
              .needs = {"concept_view", "inputs"},
              .uses = {"labels"},
              .columns = {"concept", "rank", "sample", "label", "activation"},
              .compute = samples};
  for (Index p = 0; p < kSide * kSide; ++p) out.columns.push_back("pixel_" + std::to_string(p));
  return out;
}

Summary declare::top_positions() {
  return {.name = "top_positions",
          .question = "Where does each concept fire in the images in which it is strongest?",
          .source = "ours",
          .needs = {"head_view", "explanation", "concept_view", "inputs"},
          .columns = {"concept", "rank", "row", "column", "activation"},
          .compute = positions};
}

}  // namespace conoscope::metrics
