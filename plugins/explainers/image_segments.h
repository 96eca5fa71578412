// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the explainers that look at parts of images share: superpixels, pictures of one segment
// alone, and what the model makes of them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/slic.h"

namespace conoscope::explainers {

using Eigen::Index;

/// The training split's inputs as images.
class Images {
 public:
  /// throws  NotApplicable: no inputs, or not n x height x width x (1 or 3)
  ///         std::invalid_argument: other rows than activations, a number that is not finite
  Images(const sdk::HeadView& head, const std::string& method) {
    const auto inputs = head.arrays().find("inputs");
    if (!inputs) throw sdk::NotApplicable(method + ": the dataset has no inputs");
    if (inputs->dimensions() != 4 || (inputs->shape(3) != 1 && inputs->shape(3) != 3))
      throw sdk::NotApplicable(method + ": inputs are " + inputs->shape_text() +
                               ", but it works on images (n x height x width x 1 or 3)");
    height = inputs->shape(1);
    width = inputs->shape(2);
    channels = inputs->shape(3);
    if (inputs->rows() != head.samples() || inputs->size() == 0)
      throw std::invalid_argument(method + ": inputs are " + inputs->shape_text() + " for " +
                                  std::to_string(head.samples()) + " samples");
    inputs_ = *inputs;
    mean_ = Eigen::RowVectorXd::Zero(channels);
    double high = -std::numeric_limits<double>::infinity();
    low_ = -high;
    inputs_.for_each([&](std::int64_t i, double value) {
      if (!std::isfinite(value))
        throw std::invalid_argument(method + ": inputs: value " + std::to_string(i) +
                                    " (row-major) is not finite");
      low_ = std::min(low_, value);
      high = std::max(high, value);
      mean_[i % channels] += value;
    });
    mean_ /= static_cast<double>(inputs_.size() / channels);
    range_ = high - low_;
  }

  /// One value per channel to paint with. grey: 117/255 of the way from the darkest to the
  /// brightest value of the training images (117 of 0 ... 255); mean: each channel's mean.
  Eigen::RowVectorXd fill(const std::string& kind) const {
    if (kind == "grey")
      return Eigen::RowVectorXd::Constant(channels, low_ + 117.0 / 255.0 * range_);
    return mean_;
  }

  /// Image i in double, (height * width) x channels. Read when asked for: all of a large dataset in
  /// double would not fit.
  sdk::Matrix image(Index i) const {
    sdk::Matrix out(height * width, channels);
    inputs_.row_block(i, 1).copy_to(
        std::span<double>(out.data(), static_cast<std::size_t>(out.size())));
    return out;
  }

  /// Superpixels of image i, its values brought from the training images' range into [0, 1].
  std::vector<Index> segments(Index i, const numerics::SlicOptions& options) const {
    sdk::Matrix scaled = image(i).array() - low_;
    if (range_ > 0.0) scaled /= range_;
    return numerics::slic(scaled.cwiseMax(0.0).cwiseMin(1.0), height, width, options);
  }

  Index height = 0, width = 0, channels = 0;

 private:
  sdk::Tensor inputs_;
  Eigen::RowVectorXd mean_;
  double low_ = 0.0, range_ = 0.0;
};

/// Runs images through the model as they come, some at a time, and keeps the mean over positions.
class ImageEncoder {
 public:
  ImageEncoder(const Images& images, const sdk::HeadView& head, const sdk::ModelCall& model,
               const sdk::Context& context)
      : images_(images), head_(head), model_(model), context_(context) {}

  /// (height * width) x channels
  void add(const sdk::Matrix& image) {
    waiting_.insert(waiting_.end(), image.data(), image.data() + image.size());
    if (++count_ == kBatch) flush();
  }

  /// One row of D for each image added.
  sdk::Matrix finish() {
    flush();
    return Eigen::Map<const sdk::Matrix>(
        rows_.data(), static_cast<Index>(rows_.size()) / head_.width(), head_.width());
  }

 private:
  static constexpr std::int64_t kBatch = 64;

  void flush() {
    if (count_ == 0) return;
    context_.check_cancelled();
    const std::int64_t shape[] = {count_, images_.height, images_.width, images_.channels};
    const std::int64_t positions = head_.positions(), width = head_.width();
    std::vector<double> activations(static_cast<std::size_t>(count_ * positions * width));
    model_.forward(sdk::Tensor(sdk::make_tensor(waiting_.data(), CONO_F64, shape), "segments"),
                   activations, positions, width);
    for (std::int64_t i = 0; i < count_; ++i) {
      const Eigen::RowVectorXd mean =
          Eigen::Map<const sdk::Matrix>(activations.data() + i * positions * width, positions,
                                        width)
              .colwise()
              .mean();
      rows_.insert(rows_.end(), mean.data(), mean.data() + width);
    }
    waiting_.clear();
    count_ = 0;
  }

  const Images& images_;
  const sdk::HeadView& head_;
  const sdk::ModelCall& model_;
  const sdk::Context& context_;
  std::vector<double> waiting_, rows_;
  std::int64_t count_ = 0;
};

/// The image with everything outside the mask painted over.
inline sdk::Matrix masked(const sdk::Matrix& image, const std::vector<char>& mask,
                          const Eigen::RowVectorXd& fill) {
  sdk::Matrix out = image;
  for (Index i = 0; i < out.rows(); ++i)
    if (!mask[static_cast<std::size_t>(i)]) out.row(i) = fill;
  return out;
}

/// The smallest box around the mask, enlarged to the whole image's size (bilinear between pixel
/// centres, the border's pixels beyond them).
inline sdk::Matrix enlarged(const sdk::Matrix& image, const std::vector<char>& mask, Index height,
                            Index width) {
  Index top = height, bottom = -1, left = width, right = -1;
  for (Index i = 0; i < height * width; ++i)
    if (mask[static_cast<std::size_t>(i)]) {
      top = std::min(top, i / width);
      bottom = std::max(bottom, i / width);
      left = std::min(left, i % width);
      right = std::max(right, i % width);
    }
  const auto place = [](Index i, Index side, Index first, Index last) {
    const double scale = static_cast<double>(last - first + 1) / static_cast<double>(side);
    return std::clamp(static_cast<double>(first) + (static_cast<double>(i) + 0.5) * scale - 0.5,
                      static_cast<double>(first), static_cast<double>(last));
  };
  sdk::Matrix out(image.rows(), image.cols());
  for (Index y = 0; y < height; ++y) {
    const double v = place(y, height, top, bottom);
    const auto y0 = static_cast<Index>(v), y1 = std::min(y0 + 1, bottom);
    const double dy = v - static_cast<double>(y0);
    for (Index x = 0; x < width; ++x) {
      const double u = place(x, width, left, right);
      const auto x0 = static_cast<Index>(u), x1 = std::min(x0 + 1, right);
      const double dx = u - static_cast<double>(x0);
      out.row(y * width + x) =
          (1.0 - dy) * ((1.0 - dx) * image.row(y0 * width + x0) + dx * image.row(y0 * width + x1)) +
          dy * ((1.0 - dx) * image.row(y1 * width + x0) + dx * image.row(y1 * width + x1));
    }
  }
  return out;
}

}  // namespace conoscope::explainers
