// SPDX-License-Identifier: Apache-2.0
#include "results/report/picture_sheet.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "results/report/svg.h"

namespace conoscope::results {

namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[word >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

void append_number(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 255U);
}

const Bytef* bytes_of(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

/// Of a PNG: length, type, data, checksum of type and data.
void append_chunk(std::string& to, std::string_view type, const std::string& data) {
  append_number(to, static_cast<std::uint32_t>(data.size()));
  const std::string body = std::string(type) + data;
  to += body;
  append_number(
      to, static_cast<std::uint32_t>(crc32(0, bytes_of(body), static_cast<uInt>(body.size()))));
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(data), data.size(),
                Z_BEST_COMPRESSION) != Z_OK)
    throw std::runtime_error("picture: zlib cannot compress it");
  out.resize(size);
  return out;
}

}  // namespace

std::string png_address(const Picture& picture) {
  const std::size_t row = std::size_t{picture.width} * picture.channels;
  if ((picture.channels != 1 && picture.channels != 3) || row == 0 ||
      picture.bytes.size() != row * picture.height)
    throw std::invalid_argument("picture: " + std::to_string(picture.bytes.size()) + " bytes for " +
                                std::to_string(picture.width) + " x " +
                                std::to_string(picture.height) + " pixels of " +
                                std::to_string(picture.channels) + " channels");
  std::string header;
  append_number(header, picture.width);
  append_number(header, picture.height);
  header += '\x08';                                   // bits of a channel
  header += picture.channels == 1 ? '\x00' : '\x02';  // grey, colours
  header.append(3, '\0');                             // compression, filter, not interlaced
  std::string lines;
  for (std::uint32_t r = 0; r < picture.height; ++r)
    lines.append(1, '\0').append(picture.bytes, r * row, row);  // each led by its filter: none
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", deflated(lines));
  append_chunk(out, "IEND", "");
  return "data:image/png;base64," + base64(out);
}

std::string PictureSheet::use(const Picture& picture, double x, double y, double side) {
  const std::string address = png_address(picture);
  auto [found, is_new] = ids_.try_emplace(address, "image-" + std::to_string(ids_.size()));
  if (is_new)
    definitions_ += "<image id=\"" + found->second + "\"" + svg_attribute("width", picture.width) +
                    svg_attribute("height", picture.height) +
                    " style=\"image-rendering: pixelated\" href=\"" + address + "\"/>\n";
  const double scale = side / std::max(picture.width, picture.height);
  return "<use href=\"#" + found->second + "\" transform=\"translate(" +
         svg_number(x + (side - scale * picture.width) / 2.0) + " " +
         svg_number(y + (side - scale * picture.height) / 2.0) + ") scale(" + svg_number(scale) +
         ")\"/>\n";
}

std::string PictureSheet::definitions() const { return "<defs>\n" + definitions_ + "</defs>\n"; }

}  // namespace conoscope::results
