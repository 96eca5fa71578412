#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace conoscope::core {

/// The value of a plugin's parameter.
using Value = std::variant<std::int64_t, double, bool, std::string>;

/// Canonical text: shortest form that reads back the same; texts in quotes.
std::string to_text(const Value& value);

}  // namespace conoscope::core
