// SPDX-License-Identifier: Apache-2.0
#include "harness/core/value.h"

#include <charconv>

namespace conoscope::core {

namespace {

std::string quoted(const std::string& text) {
  std::string out(1, '"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';  // a text must not be able to end itself
    out += c;
  }
  return out + '"';
}

std::string text_of(std::int64_t number) { return std::to_string(number); }
std::string text_of(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr};
}
std::string text_of(bool yes) { return yes ? "true" : "false"; }
std::string text_of(const std::string& text) { return quoted(text); }
template <typename T>
std::string text_of(const std::vector<T>& list) {
  std::string out(1, '[');
  for (const T& item : list) {
    if (out.size() > 1) out += ", ";
    out += text_of(item);
  }
  return out + ']';
}

}  // namespace

std::string to_text(const Value& value) {
  return std::visit([](const auto& v) { return text_of(v); }, value);
}

std::optional<double> as_double(std::int64_t number) {
  const auto wide = static_cast<double>(number);
  if (wide >= 0x1p63 || static_cast<std::int64_t>(wide) != number) return std::nullopt;
  return wide;
}

std::optional<Value> list_of(const std::vector<Value>& items) {
  std::vector<std::int64_t> whole;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const Value& item : items) {
    if (const auto* v = std::get_if<std::int64_t>(&item)) {
      whole.push_back(*v);
      if (const auto wide = as_double(*v)) numbers.push_back(*wide);
    }
    if (const auto* v = std::get_if<double>(&item)) numbers.push_back(*v);
    if (const auto* v = std::get_if<std::string>(&item)) texts.push_back(*v);
  }
  if (whole.size() == items.size()) return Value(std::move(whole));
  if (numbers.size() == items.size()) return Value(std::move(numbers));
  if (texts.size() == items.size()) return Value(std::move(texts));
  return std::nullopt;
}

}  // namespace conoscope::core
