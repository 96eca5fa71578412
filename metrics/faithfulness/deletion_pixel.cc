#include "metrics/faithfulness/deletion_pixel.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion_order.h"
#include "metrics/faithfulness/deletion_parts.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/psi.h"
#include "metrics/score.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kName = "deletion_pixel";
constexpr const char* kAuc = "deletion_pixel_auc";
constexpr const char* kLost = "deletion_pixel_classes_lost";

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

void check_images(const ImageView& images, const HeadView& head) {
  const Index size = images.height * images.width * images.channels;
  if (size < 1 || images.pixels.rows() != head.samples() || images.pixels.cols() != size ||
      images.mean.size() != images.channels)
    numerics::refuse(
        kName, "images " + std::to_string(images.pixels.rows()) + " x " +
                   std::to_string(images.pixels.cols()) + " of " + std::to_string(images.height) +
                   " x " + std::to_string(images.width) + " x " + std::to_string(images.channels) +
                   " with a mean of " + std::to_string(images.mean.size()) +
                   " do not fit a head of " + std::to_string(head.samples()) + " samples");
}

const char* why_not(const Views& subject) {
  if (!subject.head) return "needs a head view";
  if (!subject.explanation) return "needs an explanation";
  if (subject.head->output != Output::kSoftmax) return "the outputs are not a softmax's";
  if (subject.head->pooling == Pooling::kFlatten)
    return "a flatten head has other weights for each position";
  if (!subject.annotations || subject.annotations->labels.empty())
    return "needs annotations.labels";
  if (!subject.images || !subject.images->forward)
    return "needs images and a model that runs new ones (forward)";
  if (subject.head->positions == 1) return "there is one position only";
  return nullptr;
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

std::vector<Score> deletion_pixel(const Views& subject) {
  if (const char* why = why_not(subject))
    return {not_applicable(kAuc, why), not_applicable(kLost, why)};
  const HeadView& head = *subject.head;
  const Explanation& explanation = *subject.explanation;
  const ImageView& images = *subject.images;
  detail::require_explanation(kName, explanation);
  detail::require_match(kName, head, explanation);
  check_images(images, head);
  const IndexVector& labels = subject.annotations->labels;
  numerics::require_labels(kName, labels, head.samples(), head.outputs());
  const auto grid = position_grid(head.positions, images.height, images.width);
  if (grid.first == 0 || grid.first > images.height || grid.second > images.width) {
    const std::string why = std::to_string(head.positions) + " positions are no map of images of " +
                            std::to_string(images.height) + " x " + std::to_string(images.width);
    return {not_applicable(kAuc, why), not_applicable(kLost, why)};
  }

  const auto model = [&](const MatrixRef& pixels) -> Matrix {
    HeadView seen;
    seen.activations = images.forward(pixels);
    if (seen.activations.rows() != pixels.rows() * head.positions ||
        seen.activations.cols() != head.width())
      numerics::refuse(kName, "the model answered " + std::to_string(seen.activations.rows()) +
                                  " x " + std::to_string(seen.activations.cols()) + " for " +
                                  std::to_string(pixels.rows()) + " images");
    seen.positions = head.positions;
    seen.weight = head.weight;
    seen.bias = head.bias;
    seen.pooling = head.pooling;
    return model_logits(seen);
  };
  std::vector<IndexVector> labelled(static_cast<size_t>(head.outputs()));
  for (size_t i = 0; i < labels.size(); ++i)
    labelled[static_cast<size_t>(labels[i])].push_back(static_cast<Index>(i));
  double sum = 0.0, weight = 0.0, lost = 0.0;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const Vector importance = detail::importance_of(explanation, c);
    if (samples.empty() || importance.size() == 0) continue;
    const auto count = static_cast<Index>(samples.size());
    Matrix pixels(count, images.pixels.cols()), positions(count * head.positions, head.width());
    for (Index i = 0; i < count; ++i) {
      const Index sample = samples[static_cast<size_t>(i)];
      pixels.row(i) = images.pixels.row(sample);
      positions.middleRows(i * head.positions, head.positions) =
          head.activations.middleRows(sample * head.positions, head.positions);
    }
    const IndexVector concepts =
        class_assignment(detail::project(kName, explanation, c, positions)).predictions;
    const PartDeletion curve = deletion_parts(
        pixels, upsampled(concepts, count, grid, images.height, images.width),
        deletion_order(importance), images.mean, IndexVector(static_cast<size_t>(count), c), model);
    sum += deletion_auc(curve.accuracy) * static_cast<double>(count);
    weight += static_cast<double>(count);
    lost += static_cast<double>(
                std::accumulate(curve.classes_lost.begin(), curve.classes_lost.end(), Index{0})) /
            static_cast<double>(importance.size());
  }
  if (weight == 0.0) {
    constexpr const char* kNone = "no class has both a concept and a sample";
    return {none(kAuc, "undefined", kNone), none(kLost, "undefined", kNone)};
  }
  return {number(kAuc, sum / weight), number(kLost, lost)};
}

std::vector<Metric> declare::deletion_pixel() {
  const std::vector<std::string_view> needs{"head_view", "explanation", "labels", "inputs",
                                            "forward"};
  return from_pass<metrics::deletion_pixel>({
      {kAuc, kName,
       "Proxy: how accurate is the model as a concept's pixels are painted grey? (grey need "
       "not "
       "delete it; off the data manifold)",
       Direction::kLower, 0.0, 1.0, "",
       "Ghorbani et al., ACE, NeurIPS 2019; objections: arXiv 2504.10833, Sec. 4.1", needs},
      {kLost, kName,
       "Proxy: how many classes lose over 80 % of their accuracy by that? (grey need not "
       "delete "
       "a concept; off the data manifold)",
       Direction::kHigher, 0.0, kUnbounded, "classes",
       "Graziani et al., CDISCO (M1), 2023; objections: arXiv 2504.10833, Sec. 4.1", needs},
  });
}

}  // namespace conoscope::metrics
