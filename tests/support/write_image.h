// SPDX-License-Identifier: Apache-2.0
#pragma once

// jpeglib.h wants stdio.h before it, and does not say so.
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <doctest/doctest.h>
#include <png.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace conoscope::testing {

/// A PNG file in memory. channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
inline std::string png_bytes(int height, int width, int channels,
                             const std::vector<std::uint8_t>& numbers) {
  REQUIRE(numbers.size() == static_cast<std::size_t>(height * width * channels));
  constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                      PNG_FORMAT_RGBA};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = kFormats[channels - 1];
  png_alloc_size_t size = 0;
  REQUIRE(png_image_write_to_memory(&image, nullptr, &size, 0, numbers.data(), 0, nullptr) != 0);
  std::string bytes(size, '\0');
  REQUIRE(png_image_write_to_memory(&image, bytes.data(), &size, 0, numbers.data(), 0, nullptr) !=
          0);
  bytes.resize(size);
  return bytes;
}

/// A JPEG file in memory, of the best quality. channels: 1 grey, 3 RGB, 4 CMYK.
inline std::string jpeg_bytes(int height, int width, int channels,
                              std::vector<std::uint8_t> numbers) {
  REQUIRE(numbers.size() == static_cast<std::size_t>(height * width * channels));
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &memory, &size);
  encoder.image_height = static_cast<JDIMENSION>(height);
  encoder.image_width = static_cast<JDIMENSION>(width);
  encoder.input_components = channels;
  encoder.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, 100, TRUE);
  jpeg_start_compress(&encoder, TRUE);
  for (int row = 0; row < height; ++row) {
    JSAMPROW line = numbers.data() + row * width * channels;
    jpeg_write_scanlines(&encoder, &line, 1);
  }
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return bytes;
}

/// height x width x 3 of one colour.
inline std::vector<std::uint8_t> plain_rgb(int height, int width, std::uint8_t red,
                                           std::uint8_t green, std::uint8_t blue) {
  std::vector<std::uint8_t> numbers;
  for (int i = 0; i < height * width; ++i) numbers.insert(numbers.end(), {red, green, blue});
  return numbers;
}

}  // namespace conoscope::testing
