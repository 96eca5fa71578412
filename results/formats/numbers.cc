// SPDX-License-Identifier: Apache-2.0
#include "results/formats/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace conoscope::results {

namespace {

std::string number_text(double value, std::chars_format style, int precision) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, style, precision);
  return {text.data(), end.ptr};
}

std::string infinity_text(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

// The power of ten of the first significant digit after rounding to so many digits.
int exponent_of(double value, int digits) {
  const std::string text = number_text(value, std::chars_format::scientific, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::string shortest_text(double value) {
  if (!std::isfinite(value)) return infinity_text(value);
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string digits_text(double value, int digits) {
  if (!std::isfinite(value)) return infinity_text(value);
  if (value == 0) return number_text(0.0, std::chars_format::fixed, digits - 1);
  const int exponent = exponent_of(value, digits);
  if (exponent < -4 || exponent >= std::max(digits, 6))
    return number_text(value, std::chars_format::scientific, digits - 1);
  return number_text(value, std::chars_format::fixed, std::max(0, digits - 1 - exponent));
}

double rounded_up(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)))) - digits + 1;
  if (std::abs(exponent) > 300) return value;  // whose power of ten is no double
  // Powers of ten are exact where they are whole: 14 / 1000 is the double 0.014.
  const double power = std::pow(10.0, std::abs(exponent));
  const double units = exponent < 0 ? std::abs(value) * power : std::abs(value) / power;
  const double whole = std::ceil(units * (1.0 - 1e-12));
  return std::copysign(exponent < 0 ? whole / power : whole * power, value);
}

std::string estimate_text(const Estimate& estimate, int digits) {
  if (estimate.n == 0) return "-";
  std::string text;
  if (!estimate.half_width) {
    text = digits_text(estimate.mean, digits) + " ± -";
  } else if (*estimate.half_width == 0) {
    text = digits_text(estimate.mean, digits) + " ± 0";
  } else {
    const int exponent = exponent_of(*estimate.half_width, 2);
    const int decimals = std::max(0, 1 - exponent);
    // Far from 1 the common decimals would be a row of zeros.
    if (decimals > 8 || std::abs(estimate.mean) >= 1e6 || *estimate.half_width >= 1e6)
      text = digits_text(estimate.mean, digits) + " ± " + digits_text(*estimate.half_width, 2);
    else
      text = number_text(estimate.mean, std::chars_format::fixed, decimals) + " ± " +
             number_text(*estimate.half_width, std::chars_format::fixed, decimals);
  }
  if (estimate.n != estimate.asked)
    text += " (" + std::to_string(estimate.n) + "/" + std::to_string(estimate.asked) + ")";
  return text;
}

}  // namespace conoscope::results
