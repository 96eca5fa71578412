// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "datasets/formats/file.h"

namespace conoscope::formats {

namespace detail {

void check_extent(std::uint64_t height, std::uint64_t width, std::size_t bytes,
                  const std::string& path) {
  constexpr std::uint64_t kLargest = 32768;
  // PNG packs 8 pixels of one bit a thousand to one at most, JPEG 64 pixels into a bit.
  constexpr std::uint64_t kMostInByte = 10'000;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest)
    throw std::invalid_argument(path + ": " + std::to_string(height) + " x " +
                                std::to_string(width) + " pixels, expected 1 to 32768 on a side");
  if (height * width / kMostInByte > bytes)
    throw std::invalid_argument(path + ": " + std::to_string(height) + " x " +
                                std::to_string(width) + " pixels cannot be in " +
                                std::to_string(bytes) + " bytes");
}

}  // namespace detail

Image read_image(const std::string& path, Colour colour) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const auto begins = [&bytes](std::span<const unsigned char> with) {
    return bytes.size() >= with.size() && std::memcmp(bytes.data(), with.data(), with.size()) == 0;
  };
  constexpr unsigned char kPng[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr unsigned char kJpeg[] = {0xff, 0xd8, 0xff};
  if (begins(kPng)) return detail::read_png(bytes, path, colour);
  if (begins(kJpeg)) return detail::read_jpeg(bytes, path, colour);
  throw std::invalid_argument(path +
                              (bytes.empty() ? ": empty" : ": neither a PNG nor a JPEG file"));
}

namespace {

/// Which old pixels a new one covers along one axis, and how much of each.
struct Cover {
  int first;
  std::vector<double> weights;  ///< they add up to 1
};

std::vector<Cover> covers(int begin, int side, int size) {
  std::vector<Cover> out;
  const double step = static_cast<double>(side) / size;
  for (int i = 0; i < size; ++i) {
    const double from = i * step, to = std::min<double>((i + 1) * step, side);
    Cover cover{begin + std::min(side - 1, static_cast<int>(from)), {}};
    for (int old = cover.first - begin; old < side && old < to; ++old)
      cover.weights.push_back((std::min<double>(old + 1, to) - std::max<double>(old, from)) /
                              (to - from));
    out.push_back(std::move(cover));
  }
  return out;
}

}  // namespace

Image centre_square(const Image& image, int size) {
  if (size < 1 || image.height < 1 || image.width < 1)
    throw std::invalid_argument("centre_square: " + std::to_string(image.height) + " x " +
                                std::to_string(image.width) + " pixels to a side of " +
                                std::to_string(size));
  const int side = std::min(image.height, image.width);
  const auto rows = covers((image.height - side) / 2, side, size);
  const auto columns = covers((image.width - side) / 2, side, size);
  Image out{size, size, image.channels, {}};
  out.numbers.reserve(static_cast<std::size_t>(size * size * image.channels));
  for (const Cover& row : rows)
    for (const Cover& column : columns)
      for (int channel = 0; channel < image.channels; ++channel) {
        double sum = 0.0;
        for (std::size_t i = 0; i < row.weights.size(); ++i)
          for (std::size_t j = 0; j < column.weights.size(); ++j) {
            const auto y = static_cast<std::size_t>(row.first) + i;
            const auto x = static_cast<std::size_t>(column.first) + j;
            const std::size_t at = (y * static_cast<std::size_t>(image.width) + x) *
                                       static_cast<std::size_t>(image.channels) +
                                   static_cast<std::size_t>(channel);
            sum += row.weights[i] * column.weights[j] * image.numbers[at];
          }
        out.numbers.push_back(static_cast<std::uint8_t>(std::lround(std::min(sum, 255.0))));
      }
  return out;
}

}  // namespace conoscope::formats
