// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conoscope::formats {

/// A picture, 8 bits for each number: height x width x channels, row-major; RGB, or grey.
struct Image {
  int height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> numbers;
};

enum class Colour { kGrey = 1, kRgb = 3 };  ///< the value is the number of channels

/// Can this build read PNG, JPEG? (Debian: libpng-dev, libjpeg-dev)
bool reads_png();
bool reads_jpeg();

/// Reads a PNG or a JPEG file, told by its first bytes and not by its name.
///
/// Palettes are looked up, 16 bits become 8, transparency is dropped, and what the file holds is
/// turned into the colour asked for: grey is copied into three channels, RGB becomes grey by its
/// luminance (ITU-R BT.601). A file's own gamma and colour profile are not applied.
///
/// throws  std::invalid_argument, beginning with the path: no such file, neither PNG nor JPEG, cut
///         short or damaged, CMYK, larger than 32768 on a side, or a build without the library
Image read_image(const std::string& path, Colour colour);

/// The largest centred square of an image, made size x size: every new pixel is the mean of what it
/// covers (parts of pixels by area), rounded.
///
/// throws  std::invalid_argument: size below 1, or an image without pixels
Image centre_square(const Image& image, int size);

namespace detail {
Image read_png(std::span<const char> bytes, const std::string& path, Colour colour);
Image read_jpeg(std::span<const char> bytes, const std::string& path, Colour colour);
void check_extent(std::uint64_t height, std::uint64_t width, std::size_t bytes,
                  const std::string& path);
}  // namespace detail

}  // namespace conoscope::formats
