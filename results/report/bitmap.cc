#include "results/report/bitmap.h"

#include <cmath>
#include <string_view>

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

}  // namespace

std::string bitmap_address(const std::vector<std::uint32_t>& colours) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(colours.size())));
  const std::uint32_t padding = (4 - side * 3 % 4) % 4, size = side * (side * 3 + padding);
  std::string bytes = "BM";
  const auto number = [&bytes](std::uint32_t value, int width) {
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 255U);
  };
  constexpr std::uint32_t kHeaders = 54;
  number(kHeaders + size, 4);
  number(0, 4);
  number(kHeaders, 4);
  number(40, 4);  // of the second header
  number(side, 4);
  number(side, 4);  // positive: the last row comes first
  number(1, 2);
  number(24, 2);  // bits of a pixel
  number(0, 4);   // not compressed
  number(size, 4);
  for (int i = 0; i < 4; ++i) number(0, 4);  // resolution, palette
  for (std::uint32_t row = side; row-- > 0;) {
    for (std::uint32_t column = 0; column < side; ++column)
      number(colours[row * side + column], 3);  // blue, green, red
    number(0, static_cast<int>(padding));
  }
  return "data:image/bmp;base64," + base64(bytes);
}

}  // namespace conoscope::results
