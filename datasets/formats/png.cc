// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "datasets/formats/image.h"

namespace conoscope::formats {

bool reads_png() { return true; }

namespace {

/// What the library's callbacks share with decode().
struct Source {
  std::span<const char> bytes;
  std::size_t at = 0;
  char error[128] = "";
};

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (source.bytes.size() - source.at < count) png_error(png, "cut short");
  std::memcpy(to, source.bytes.data() + source.at, count);
  source.at += count;
}

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source.error, text, sizeof(source.error) - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

/// The header, and the transformations to 8-bit grey or RGB. Colour becomes grey afterwards: the
/// library would apply the file's gamma. False: source.error says why. Nothing
/// with a destructor may be made between setjmp and the library's longjmp.
bool begin(png_structp png, png_infop info, Source& source, Colour colour) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &source, read_bytes);
  png_read_info(png, info);
  const bool grey = (png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) == 0;
  png_set_expand(png);
  png_set_scale_16(png);
  if (colour == Colour::kRgb && grey) png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool decode(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, info);  // the checksum of the last piece, and the end mark
  return true;
}

std::vector<std::uint8_t> luminance(const std::vector<std::uint8_t>& rgb) {
  std::vector<std::uint8_t> grey(rgb.size() / 3);
  for (std::size_t i = 0; i < grey.size(); ++i)  // ITU-R BT.601, as JPEG has it
    grey[i] = static_cast<std::uint8_t>(0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] +
                                        0.114 * rgb[3 * i + 2] + 0.5);
  return grey;
}

}  // namespace

Image detail::read_png(std::span<const char> bytes, const std::string& path, Colour colour) {
  Source source{bytes};
  const auto fail = [&] {
    throw std::invalid_argument(path + ": damaged PNG file: " + source.error);
  };
  struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  } reader;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
  if (reader.png == nullptr) throw std::bad_alloc();
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw std::bad_alloc();
  if (!begin(reader.png, reader.info, source, colour)) fail();

  const std::uint32_t height = png_get_image_height(reader.png, reader.info);
  const std::uint32_t width = png_get_image_width(reader.png, reader.info);
  check_extent(height, width, bytes.size(), path);
  const std::size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  Image image{static_cast<int>(height), static_cast<int>(width), static_cast<int>(colour), {}};
  image.numbers.resize(height * row_bytes);
  std::vector<png_bytep> rows(height);
  for (std::size_t i = 0; i < height; ++i) rows[i] = image.numbers.data() + i * row_bytes;
  if (!decode(reader.png, reader.info, rows.data())) fail();
  if (row_bytes != width * static_cast<std::size_t>(colour))
    image.numbers = luminance(image.numbers);
  return image;
}

}  // namespace conoscope::formats
