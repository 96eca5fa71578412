// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/own_network/preparation.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plugins/models/common/task/task.h"

namespace conoscope::models {

namespace {

/// Where a pixel of the new side reads: between `first` and `second`, so far from the first.
struct Between {
  std::size_t first, second;
  float share;
};

std::vector<Between> between(std::int64_t from, std::int64_t to) {
  const float step = static_cast<float>(from) / static_cast<float>(to);
  std::vector<Between> out;
  for (std::int64_t i = 0; i < to; ++i) {
    const float place = std::max(0.0f, step * (static_cast<float>(i) + 0.5f) - 0.5f);
    const std::int64_t first = std::min(static_cast<std::int64_t>(place), from - 1);
    out.push_back({static_cast<std::size_t>(first),
                   static_cast<std::size_t>(std::min(first + 1, from - 1)),
                   place - static_cast<float>(first)});
  }
  return out;
}

std::vector<float> resized(const std::vector<float>& plane, std::size_t width,
                           const std::vector<Between>& down, const std::vector<Between>& across) {
  std::vector<float> out;
  out.reserve(down.size() * across.size());
  for (const Between& y : down) {
    const float *upper = &plane[y.first * width], *lower = &plane[y.second * width];
    for (const Between& x : across) {
      const float above = (1 - x.share) * upper[x.first] + x.share * upper[x.second];
      const float below = (1 - x.share) * lower[x.first] + x.share * lower[x.second];
      out.push_back((1 - y.share) * above + y.share * below);
    }
  }
  return out;
}

/// The other way: what falls on a pixel of the new side goes to those that it read, by their shares.
void spread(const float* from, const std::vector<Between>& down, const std::vector<Between>& across,
            std::size_t width, std::vector<float>& plane) {
  for (const Between& y : down) {
    float *upper = &plane[y.first * width], *lower = &plane[y.second * width];
    for (const Between& x : across) {
      const float above = (1 - y.share) * *from, below = y.share * *from;
      upper[x.first] += (1 - x.share) * above;
      upper[x.second] += x.share * above;
      lower[x.first] += (1 - x.share) * below;
      lower[x.second] += x.share * below;
      ++from;
    }
  }
}

/// One number for all channels, or one for each.
float of_channel(const std::vector<float>& numbers, std::int64_t channel) {
  return numbers.size() == 1 ? numbers[0] : numbers[static_cast<std::size_t>(channel)];
}

}  // namespace

Preparation::Preparation(std::string model, const sdk::ParamsOf<kPreparationParameters>& params)
    : model_(std::move(model)),
      scale_(static_cast<float>(params.real("scale"))),
      size_(params.integer("size")),
      channels_(params.integer("channels")) {
  for (const double value : params.reals("mean")) mean_.push_back(static_cast<float>(value));
  for (const double value : params.reals("std")) {
    if (!(value > 0.0))
      throw std::invalid_argument(model_ + ": std holds " + std::to_string(value) +
                                  ", but each must be above 0");
    std_.push_back(static_cast<float>(value));
  }
}

void Preparation::check(const sdk::Tensor& inputs) const {
  const bool images = inputs.dimensions() == 4;
  if (!images && inputs.dimensions() != 2)
    throw sdk::NotApplicable("inputs are " + inputs.shape_text() +
                             ", but this model works on images (n x height x width x channels) "
                             "and tables (n x d)");
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  if (!images && (size_ > 0 || channels_ > 0))
    throw std::invalid_argument(model_ + ": size and channels are for images, but inputs are " +
                                inputs.shape_text());
  std::int64_t width = inputs.shape(images ? 3 : 1);
  if (channels_ > 0 && width != 1 && width != channels_)
    throw std::invalid_argument(model_ + ": channels = " + std::to_string(channels_) +
                                " repeats a single channel, but inputs are " + inputs.shape_text());
  width = std::max(width, channels_);
  const auto check_count = [&](const char* name, std::size_t count) {
    if (count != 1 && static_cast<std::int64_t>(count) != width)
      throw std::invalid_argument(model_ + ": " + name + " has " + std::to_string(count) +
                                  " numbers for inputs of " + std::to_string(width) +
                                  (images ? " channels" : " columns"));
  };
  check_count("mean", mean_.size());
  check_count("std", std_.size());
}

Block Preparation::operator()(const sdk::Tensor& inputs, std::int64_t begin,
                              std::int64_t end) const {
  const std::int64_t n = end - begin, numbers = inputs.size() / inputs.rows();
  std::vector<float> rows(static_cast<std::size_t>(n * numbers));
  copy_finite(inputs.row_block(begin, end - begin), rows.data(), begin * numbers);
  for (float& value : rows) value *= scale_;
  if (inputs.dimensions() == 4) return images(inputs, rows, n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    standardise(static_cast<std::int64_t>(i) % numbers, &rows[i], 1);
  return {{n, numbers}, std::move(rows)};
}

Block Preparation::images(const sdk::Tensor& inputs, const std::vector<float>& rows,
                          std::int64_t n) const {
  const std::int64_t height = inputs.shape(1), width = inputs.shape(2), given = inputs.shape(3);
  const std::int64_t channels = std::max(given, channels_);
  const bool resize = size_ > 0 && (height != size_ || width != size_);
  const auto down = between(height, resize ? size_ : height);
  const auto across = between(width, resize ? size_ : width);
  const std::size_t pixels = down.size() * across.size();
  Block out{{n, channels, static_cast<std::int64_t>(down.size()),
             static_cast<std::int64_t>(across.size())},
            {}};
  out.values.reserve(static_cast<std::size_t>(n * channels) * pixels);
  std::vector<float> plane(static_cast<std::size_t>(height * width));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto from =
          static_cast<std::size_t>(i * height * width * given + std::min(c, given - 1));
      for (std::size_t at = 0; at < plane.size(); ++at)
        plane[at] = rows[from + at * static_cast<std::size_t>(given)];
      const auto& drawn =
          resize ? resized(plane, static_cast<std::size_t>(width), down, across) : plane;
      out.values.insert(out.values.end(), drawn.begin(), drawn.end());
      standardise(c, &out.values[out.values.size() - pixels], pixels);
    }
  return out;
}

Block Preparation::gradient(const sdk::Tensor& inputs, const Block& cotangents) const {
  if (inputs.dimensions() == 4) return image_gradient(inputs, cotangents);
  Block out = cotangents;
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] *= scale_ / of_channel(std_, static_cast<std::int64_t>(i) % inputs.shape(1));
  return out;
}

Block Preparation::image_gradient(const sdk::Tensor& inputs, const Block& cotangents) const {
  const std::int64_t height = inputs.shape(1), width = inputs.shape(2), given = inputs.shape(3);
  const auto down = between(height, cotangents.shape[2]);
  const auto across = between(width, cotangents.shape[3]);
  Block out{{cotangents.samples(), height, width, given}, {}};
  out.values.resize(static_cast<std::size_t>(cotangents.samples() * height * width * given));
  std::vector<float> plane(static_cast<std::size_t>(height * width));
  const float* from = cotangents.values.data();
  for (std::int64_t i = 0; i < cotangents.samples(); ++i)
    for (std::int64_t c = 0; c < cotangents.shape[1]; ++c) {
      std::fill(plane.begin(), plane.end(), 0.0F);
      spread(from, down, across, static_cast<std::size_t>(width), plane);
      from += down.size() * across.size();
      const float factor = scale_ / of_channel(std_, c);
      const auto to = static_cast<std::size_t>(i * height * width * given + std::min(c, given - 1));
      for (std::size_t at = 0; at < plane.size(); ++at)
        out.values[to + at * static_cast<std::size_t>(given)] += factor * plane[at];
    }
  return out;
}

void Preparation::standardise(std::int64_t channel, float* values, std::size_t count) const {
  const float mean = of_channel(mean_, channel), deviation = of_channel(std_, channel);
  for (std::size_t i = 0; i < count; ++i) values[i] = (values[i] - mean) / deviation;
}

}  // namespace conoscope::models
