// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/parameter.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "harness/core/toml_text.h"

namespace conoscope::core {

namespace {

bool is_empty_list(const Value& value) {
  return std::visit(
      [](const auto& v) {
        if constexpr (std::is_class_v<std::decay_t<decltype(v)>>)
          return !std::is_same_v<std::decay_t<decltype(v)>, std::string> && v.empty();
        else
          return false;
      },
      value);
}

/// The text between commas, without the blanks around it.
std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  if (text.find_first_not_of(' ') == text.npos) return out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', at), end);
    std::size_t last = end;
    while (last > first && text[last - 1] == ' ') --last;
    out.push_back(text.substr(first, last - first));
    at = end + 1;
  }
  return out;
}

template <typename T>
std::optional<T> number_from(const std::string& text) {
  T out{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return out;
}

/// What a list with commas between says, if its elements are what the parameter takes.
std::optional<Value> list_from(const std::string& text, ParameterType type) {
  std::vector<Value> items;
  for (const std::string& word : split_at_commas(text)) {
    if (type == ParameterType::texts)
      items.emplace_back(word);
    else if (const auto whole = number_from<std::int64_t>(word))
      items.emplace_back(*whole);
    else if (const auto real = number_from<double>(word))
      items.emplace_back(*real);
    else
      return std::nullopt;
  }
  return list_of(items);
}

[[noreturn]] void refuse(const Parameter& parameter, const Value& value,
                         const std::string& expected) {
  throw std::invalid_argument(parameter.name + " = " + to_text(value) + ": expected " + expected);
}

/// "expected a list of whole numbers, as hidden = [64, 64]": what was meant, else the default.
[[noreturn]] void refuse_as_list(const Parameter& parameter, const Value& value,
                                 const std::string& of) {
  std::optional<Value> example = parameter.standard;
  if (const auto* text = std::get_if<std::string>(&value))
    if (const auto meant = list_from(*text, parameter.type)) example = meant;
  if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value))
    if (parameter.type != ParameterType::texts) example = list_of({value});
  refuse(parameter, value,
         "a list of " + of + (example ? ", as " + parameter.name + " = " + to_text(*example) : ""));
}

/// 3.0 is 3. None: there is a fraction, or so many digits that another number may have been meant.
std::optional<std::int64_t> as_whole(double number) {
  if (!(std::abs(number) <= 0x1p53) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// The numbers as another type. None: that cannot hold one of them.
template <typename To, typename From>
std::optional<Value> converted(const std::vector<From>& from,
                               std::optional<To> (*convert)(From number)) {
  std::vector<To> out;
  for (const From number : from)
    if (const auto to = convert(number)) out.push_back(*to);
  return out.size() == from.size() ? std::optional<Value>(out) : std::nullopt;
}

/// The value as a list of T; whole numbers are as good as reals, and reals that are whole as those.
template <typename T>
Value list_as(const Parameter& parameter, const Value& value, const std::string& of) {
  if (is_empty_list(value)) return std::vector<T>();
  std::optional<Value> out;
  if constexpr (std::is_same_v<T, double>)
    if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value))
      out = converted<double>(*whole, as_double);
  if constexpr (std::is_same_v<T, std::int64_t>)
    if (const auto* reals = std::get_if<std::vector<double>>(&value))
      out = converted<std::int64_t>(*reals, as_whole);
  if (out) return *out;
  if (!std::holds_alternative<std::vector<T>>(value)) refuse_as_list(parameter, value, of);
  return value;
}

/// The value in the parameter's type.
Value typed(const Parameter& parameter, const Value& value) {
  const auto expect = [&](bool right, const char* what) {
    if (!right) refuse(parameter, value, what);
    return value;
  };
  const bool is_text = std::holds_alternative<std::string>(value);
  switch (parameter.type) {
    case ParameterType::integer:
      if (const auto* real = std::get_if<double>(&value))
        if (const auto whole = as_whole(*real)) return *whole;
      return expect(std::holds_alternative<std::int64_t>(value), "a whole number");
    case ParameterType::real:
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        const auto wide = as_double(*whole);
        if (!wide) refuse(parameter, value, "a number that float64 can hold");
        return *wide;
      }
      return expect(std::holds_alternative<double>(value), "a number");
    case ParameterType::boolean:
      return expect(std::holds_alternative<bool>(value), "true or false");
    case ParameterType::text:
      return expect(is_text, "a text in quotes");
    case ParameterType::file:
      return expect(is_text, "a file name in quotes");
    case ParameterType::folder:
      return expect(is_text, "the name of a folder in quotes");
    case ParameterType::integers:
      return list_as<std::int64_t>(parameter, value, "whole numbers");
    case ParameterType::reals:
      return list_as<double>(parameter, value, "numbers");
    case ParameterType::texts:
      return list_as<std::string>(parameter, value, "texts");
  }
  return value;
}

/// -0.0 is 0.0: they are equal, so they are one value.
void drop_signs_of_zeros(Value& value) {
  const auto drop = [](double& number) {
    if (number == 0.0) number = 0.0;
  };
  if (auto* number = std::get_if<double>(&value)) drop(*number);
  if (auto* list = std::get_if<std::vector<double>>(&value)) std::ranges::for_each(*list, drop);
}

std::vector<double> numbers_in(const Value& value) {
  if (const auto* v = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*v)};
  if (const auto* v = std::get_if<double>(&value)) return {*v};
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value)) return {v->begin(), v->end()};
  if (const auto* v = std::get_if<std::vector<double>>(&value)) return *v;
  return {};
}

std::vector<std::string> texts_in(const Value& value) {
  if (const auto* v = std::get_if<std::string>(&value)) return {*v};
  if (const auto* v = std::get_if<std::vector<std::string>>(&value)) return *v;
  return {};
}

/// "a number from 1 to 5", "at least 1" or "at most 5".
std::string range_text(const Parameter& parameter) {
  if (parameter.min && parameter.max)
    return "a number from " + to_text(*parameter.min) + " to " + to_text(*parameter.max);
  return parameter.min ? "at least " + to_text(*parameter.min)
                       : "at most " + to_text(*parameter.max);
}

}  // namespace

Value Parameter::check(const Value& value) const {
  Value out = typed(*this, value);
  drop_signs_of_zeros(out);
  const std::vector<double> numbers = numbers_in(out);
  const std::vector<std::string> texts = texts_in(out);
  for (const double number : numbers)
    if (!std::isfinite(number))
      refuse(*this, value, is_list() ? "finite numbers" : "a finite number");
  for (const double number : numbers)
    if ((min && number < *min) || (max && number > *max))
      refuse(*this, value, (is_list() ? "of each number " : "") + range_text(*this));
  if (!choices.empty())
    for (const auto& text : texts)
      if (std::ranges::find(choices, text) == choices.end())
        refuse(*this, value, "one of " + boost::algorithm::join(choices, ", "));
  const auto count = static_cast<std::int64_t>(numbers.size() + texts.size());
  const bool too_few = min_count && count < *min_count;
  if (is_list() && (too_few || (max_count && count > *max_count)))
    refuse(*this, value,
           (min_count == max_count ? ""
            : too_few              ? "at least "
                                   : "at most ") +
               std::to_string(too_few ? *min_count : *max_count) + " elements");
  return out;
}

Value Parameter::parse(const std::string& text) const {
  if (is_list()) return check(list_from(text, type).value_or(Value(text)));
  if (type == ParameterType::integer || type == ParameterType::real) {
    if (const auto number = number_from<std::int64_t>(text)) return check(*number);
    if (const auto number = number_from<double>(text)) return check(*number);
    if (!numbers_beyond_double(text).empty())
      throw std::invalid_argument(name + ": " + beyond_double_text(text));
  }
  if (type == ParameterType::boolean && (text == "true" || text == "false"))
    return check(text == "true");
  return check(text);  // where it is not what was expected, this says so
}

std::string Parameter::plain(const Value& value) const {
  const auto joined = [this](const auto& list, auto&& text) {
    std::string out;
    for (const auto& item : list) out += (out.empty() ? "" : ",") + text(item);
    return list.empty() ? empty : out;
  };
  if (const auto* v = std::get_if<std::string>(&value)) return *v;
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value))
    return joined(*v, [](std::int64_t n) { return to_text(n); });
  if (const auto* v = std::get_if<std::vector<double>>(&value))
    return joined(*v, [](double n) { return to_text(n); });
  if (const auto* v = std::get_if<std::vector<std::string>>(&value))
    return joined(*v, [](const std::string& element) {
      std::string out;  // with a backslash where commas could not tell two lists apart
      for (const char c : element) {
        if (c == ',' || c == '\\') out += '\\';
        out += c;
      }
      return out.empty() ? std::string("\\") : out;
    });
  return to_text(value);
}

std::string Parameter::canonical(const Value& value) const {
  return is_list() ? to_text(plain(value)) : to_text(value);
}

}  // namespace conoscope::core
