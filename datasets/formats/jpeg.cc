// SPDX-License-Identifier: Apache-2.0
// jpeglib.h wants stdio.h before it, and does not say so.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>
#include <stdexcept>

#include "datasets/formats/image.h"

namespace conoscope::formats {

bool reads_jpeg() { return true; }

namespace {

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void on_error(j_common_ptr decoder) {
  auto& errors = *reinterpret_cast<Errors*>(decoder->err);
  errors.base.format_message(decoder, errors.text);
  std::longjmp(errors.jump, 1);
}

/// The library fills what is missing with grey and only warns: that is an error here. Stray bytes
/// between markers do no harm and are common.
void on_message(j_common_ptr decoder, int level) {
  if (level < 0 && decoder->err->msg_code != JWRN_EXTRANEOUS_DATA) on_error(decoder);
}

/// What decode() makes and must free, outside of the jumps.
struct Work {
  jpeg_decompress_struct decoder{};
  Errors errors{};
  ~Work() { jpeg_destroy_decompress(&decoder); }
};

/// Nothing with a destructor may be made between setjmp and the library's longjmp.
bool begin(Work& work, std::span<const char> bytes, Colour colour) {
  if (setjmp(work.errors.jump) != 0) return false;
  jpeg_create_decompress(&work.decoder);  // a library of another version calls on_error
  jpeg_mem_src(&work.decoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&work.decoder, TRUE);
  work.decoder.out_color_space = colour == Colour::kGrey ? JCS_GRAYSCALE : JCS_RGB;
  work.decoder.dct_method = JDCT_ISLOW;
  return true;
}

bool decode(Work& work, unsigned char* to, std::size_t row_bytes) {
  if (setjmp(work.errors.jump) != 0) return false;
  jpeg_start_decompress(&work.decoder);
  while (work.decoder.output_scanline < work.decoder.output_height) {
    JSAMPROW row = to + work.decoder.output_scanline * row_bytes;
    jpeg_read_scanlines(&work.decoder, &row, 1);
  }
  jpeg_finish_decompress(&work.decoder);
  return true;
}

}  // namespace

Image detail::read_jpeg(std::span<const char> bytes, const std::string& path, Colour colour) {
  Work work;
  work.decoder.err = jpeg_std_error(&work.errors.base);
  work.errors.base.error_exit = on_error;
  work.errors.base.emit_message = on_message;
  const auto fail = [&] {
    throw std::invalid_argument(path + ": damaged JPEG file: " + work.errors.text);
  };
  if (!begin(work, bytes, colour)) fail();
  if (work.decoder.jpeg_color_space == JCS_CMYK || work.decoder.jpeg_color_space == JCS_YCCK)
    throw std::invalid_argument(path + ": a CMYK image; save it as RGB");
  check_extent(work.decoder.image_height, work.decoder.image_width, bytes.size(), path);
  Image image{static_cast<int>(work.decoder.image_height),
              static_cast<int>(work.decoder.image_width),
              static_cast<int>(colour),
              {}};
  const std::size_t row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  image.numbers.resize(static_cast<std::size_t>(image.height) * row_bytes);
  if (!decode(work, image.numbers.data(), row_bytes)) fail();
  return image;
}

}  // namespace conoscope::formats
