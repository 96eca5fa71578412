// SPDX-License-Identifier: Apache-2.0
#include "results/formats/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace conoscope::results {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  char32_t c = length == 1   ? first
               : length == 2 ? first & 0x1F
               : length == 3 ? first & 0x0F
                             : first & 0x07;
  bool good = length > 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0) == 0x80;
    c = (c << 6) | (byte(i) & 0x3F);
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  good = good && !(length == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) &&
         !(length == 4 && (c < 0x10000 || c > 0x10FFFF));
  text.remove_prefix(good ? length : 1);
  return good ? c : kReplacement;
}

void append_character(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string hex_text(char32_t c, int width) {
  std::string text;
  for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
    text += "0123456789abcdef"[(c >> shift) & 15];
  return text;
}

std::string escaped(char32_t c) {
  return c < 0x100 ? "\\x" + hex_text(c, 2) : "\\u" + hex_text(c, 4);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (is_control(c))
      out += escaped(c);
    else
      append_character(out, c);
  }
  return out;
}

int display_width(std::string_view text) {
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kZero = {{{0x0300, 0x036F},
                                                                   {0x0483, 0x0489},
                                                                   {0x0591, 0x05BD},
                                                                   {0x064B, 0x065F},
                                                                   {0x1AB0, 0x1AFF},
                                                                   {0x1DC0, 0x1DFF},
                                                                   {0x200B, 0x200F},
                                                                   {0x20D0, 0x20FF},
                                                                   {0xFE00, 0xFE0F}}};
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kWide = {{{0x1100, 0x115F},
                                                                   {0x2E80, 0x303E},
                                                                   {0x3041, 0xA4CF},
                                                                   {0xAC00, 0xD7A3},
                                                                   {0xF900, 0xFAFF},
                                                                   {0xFE30, 0xFE6F},
                                                                   {0xFF00, 0xFF60},
                                                                   {0x1F300, 0x1FAFF},
                                                                   {0x20000, 0x3FFFD}}};
  const auto in = [](const auto& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [c](const auto& range) { return c >= range.first && c <= range.second; });
  };
  int width = 0;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    width += in(kZero, c) ? 0 : in(kWide, c) ? 2 : 1;
  }
  return width;
}

}  // namespace conoscope::results
