// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_pixel.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion/deletion_order.h"
#include "metrics/faithfulness/deletion/deletion_parts.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/image_model.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "deletion_pixel";

/// Of n * P positions' concepts: those of n * H * W pixels, each that of the cell it lies in.
IndexVector upsampled(const IndexVector& concepts, Index samples, std::pair<Index, Index> grid,
                      Index height, Index width) {
  IndexVector out;
  out.reserve(static_cast<size_t>(samples * height * width));
  for (Index i = 0; i < samples; ++i)
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) {
        const Index row = y * grid.first / height, column = x * grid.second / width;
        out.push_back(concepts[static_cast<size_t>((i * grid.first + row) * grid.second + column)]);
      }
  return out;
}

PartsOverClasses delete_pixels(const Subject& subject) {
  require_pooled_softmax(subject);
  if (subject.head().positions == 1) throw NotApplicable("there is one position only");
  const ExplainedHead& of = subject.once(explained_head);
  const HeadView& head = of.head();
  const ImageView& images = subject.images();
  require_images(kName, images, head);
  const std::vector<IndexVector>& labelled = subject.once(labelled_members);
  const auto grid = position_grid(head.positions, images.height, images.width);
  if (grid.first == 0 || grid.first > images.height || grid.second > images.width)
    throw NotApplicable(std::to_string(head.positions) + " positions are no map of images of " +
                        std::to_string(images.height) + " x " + std::to_string(images.width));

  const auto model = [&](const MatrixRef& pixels) {
    return model_logits(seen_by_model(kName, images, head, pixels));
  };
  PartsOverClasses all;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const Vector importance = of.explanation().importance(c);
    if (samples.empty() || importance.size() == 0) continue;
    const auto count = static_cast<Index>(samples.size());
    const Matrix pixels = rows_of_samples(images.pixels, 1, samples);
    const Matrix positions = rows_of_samples(head.activations, head.positions, samples);
    const IndexVector concepts = class_assignment(of.project(c, positions)).predictions;
    all.add(deletion_parts(pixels, upsampled(concepts, count, grid, images.height, images.width),
                           deletion_order(importance), images.mean,
                           IndexVector(static_cast<size_t>(count), c), model),
            count);
  }
  return all;
}

}  // namespace

std::pair<Index, Index> position_grid(Index positions, Index height, Index width) {
  if (positions < 1 || height < 1 || width < 1)
    numerics::refuse("position_grid", std::to_string(positions) + " positions in an image of " +
                                          std::to_string(height) + " x " + std::to_string(width));
  const double aspect = std::log(static_cast<double>(height) / static_cast<double>(width));
  std::pair<Index, Index> best{0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (Index rows = positions; rows >= 1; --rows) {
    if (positions % rows != 0) continue;
    const Index columns = positions / rows;
    const double off =
        std::abs(std::log(static_cast<double>(rows) / static_cast<double>(columns)) - aspect);
    if (off < least - 1e-12) {
      least = off;
      best = {rows, columns};
    }
  }
  return least <= 0.5 * std::numbers::ln2 ? best : std::pair<Index, Index>{0, 0};
}

std::vector<Metric> declare::deletion_pixel() {
  Metric accuracy{.name = "deletion_pixel_auc",
                  .group = kName,
                  .question =
                      "Proxy: how accurate is the model as the pixels of concepts are painted "
                      "grey? (this need not delete a concept, and may leave the data manifold)",
                  .direction = Direction::kLower,
                  .high = 1.0,
                  .source =
                      "Ghorbani et al., ACE, NeurIPS 2019; objections: arXiv 2504.10833, "
                      "Sec. 4.1",
                  .needs = {"head_view", "explanation", "labels", "inputs", "forward"},
                  .compute = [](const Subject& subject) -> Result {
                    return {subject.once(delete_pixels).auc.value()};
                  }};
  Metric lost = accuracy;
  lost.name = "deletion_pixel_classes_lost";
  lost.question =
      "Proxy: how many classes lose over 80 % of their accuracy as the pixels of concepts are "
      "painted grey? (this need not delete a concept, and may leave the data manifold)";
  lost.direction = Direction::kHigher;
  lost.high = kUnbounded;
  lost.unit = "classes";
  lost.source = "Graziani et al., CDISCO (M1), 2023; objections: arXiv 2504.10833, Sec. 4.1";
  lost.compute = [](const Subject& subject) -> Result {
    return {subject.once(delete_pixels).classes_lost()};
  };
  return {accuracy, lost};
}

}  // namespace conoscope::metrics
