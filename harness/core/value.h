// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace conoscope::core {

/// The value of a plugin's parameter.
using Value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

/// Shortest form that reads back the same, as a run file has it: texts in quotes, lists in brackets.
std::string to_text(const Value& value);

/// None: double cannot hold this number.
std::optional<double> as_double(std::int64_t number);

/// The list of such values; whole numbers beside others are widened. None: they are no numbers and
/// no texts, or both, or double cannot hold one of them.
std::optional<Value> list_of(const std::vector<Value>& items);

}  // namespace conoscope::core
