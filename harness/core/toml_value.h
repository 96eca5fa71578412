// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <vector>

#include "harness/core/value.h"

namespace conoscope::core {

/// A number, a text, true or false, or a list of numbers or of texts.
inline std::optional<Value> value_of(const toml::node& node) {
  if (const auto* v = node.as_integer()) return Value(v->get());
  if (const auto* v = node.as_floating_point()) return Value(v->get());
  if (const auto* v = node.as_boolean()) return Value(v->get());
  if (const auto* v = node.as_string()) return Value(v->get());
  const auto* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::vector<Value> items;
  for (const auto& item : *list)
    if (auto value = value_of(item))
      items.push_back(std::move(*value));
    else
      return std::nullopt;
  return list_of(items);
}

}  // namespace conoscope::core
