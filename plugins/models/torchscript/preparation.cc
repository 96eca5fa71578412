#include "plugins/models/torchscript/preparation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace conoscope::models {

namespace {

std::vector<double> parse_numbers(const std::string& name, const std::string& text) {
  std::vector<double> numbers;
  const char *at = text.data(), *end = at + text.size();
  const auto skip_blanks = [&] { at = std::find_if(at, end, [](char c) { return c != ' '; }); };
  for (;;) {
    skip_blanks();
    double number = 0.0;
    const auto [next, error] = std::from_chars(at, end, number);
    at = next;
    skip_blanks();
    if (error != std::errc() || !std::isfinite(number) || (at != end && *at != ','))
      throw std::invalid_argument("torchscript: " + name + " is '" + text +
                                  "', expected numbers with commas between, as 0.485,0.456,0.406");
    numbers.push_back(number);
    if (at == end) return numbers;
    ++at;
  }
}

/// To be broadcast over axis 1 of x.
Tensor for_channels(const std::string& name, const std::vector<double>& numbers, const Tensor& x) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (count != 1 && count != x.size(1))
    throw std::invalid_argument("torchscript: " + name + " has " + std::to_string(count) +
                                " numbers for inputs of " + std::to_string(x.size(1)) +
                                (x.dim() == 4 ? " channels" : " columns"));
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = count;
  return torch::tensor(numbers, torch::kFloat64).to(torch::kFloat32).view(shape);
}

}  // namespace

Preparation::Preparation(const sdk::Params& params)
    : scale_(params.real("scale")),
      size_(params.integer("size")),
      channels_(params.integer("channels")),
      mean_(parse_numbers("mean", params.text("mean"))),
      std_(parse_numbers("std", params.text("std"))) {
  if (!std::ranges::all_of(std_, [](double value) { return value > 0.0; }))
    throw std::invalid_argument("torchscript: std is '" + params.text("std") +
                                "', but each must be above 0");
}

Tensor Preparation::read(const sdk::Tensor& inputs) const {
  if (inputs.dimensions() != 2) {
    Tensor images = to_images(inputs);
    if (channels_ > 0 && images.size(1) != 1 && images.size(1) != channels_)
      throw std::invalid_argument("torchscript: channels = " + std::to_string(channels_) +
                                  " repeats a single channel, but inputs are " +
                                  inputs.shape_text());
    return images;
  }
  if (size_ > 0 || channels_ > 0)
    throw std::invalid_argument("torchscript: size and channels are for images, but inputs are " +
                                inputs.shape_text());
  if (inputs.size() == 0) throw std::invalid_argument("inputs: " + inputs.shape_text() + ", empty");
  return to_torch(inputs);
}

Tensor Preparation::operator()(const Tensor& rows) const {
  Tensor x = rows * scale_;
  if (size_ > 0 && (x.size(2) != size_ || x.size(3) != size_))
    x = torch::upsample_bilinear2d(x, {size_, size_}, /*align_corners=*/false);
  if (channels_ > 1 && x.size(1) == 1) x = x.repeat({1, channels_, 1, 1});
  return (x - for_channels("mean", mean_, x)) / for_channels("std", std_, x);
}

}  // namespace conoscope::models
