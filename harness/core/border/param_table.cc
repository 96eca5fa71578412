// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/param_table.h"

#include <stdexcept>

namespace conoscope::core {

namespace {

std::int32_t type_at_border(ParameterType type) {
  switch (type) {
    case ParameterType::integer:
      return CONO_PARAM_INTEGER;
    case ParameterType::real:
      return CONO_PARAM_REAL;
    case ParameterType::boolean:
      return CONO_PARAM_BOOLEAN;
    case ParameterType::text:
      return CONO_PARAM_TEXT;
    case ParameterType::file:
    case ParameterType::folder:  // for the plugin it is a path, too
      return CONO_PARAM_FILE;
    case ParameterType::integers:
      return CONO_PARAM_INTEGERS;
    case ParameterType::reals:
      return CONO_PARAM_REALS;
    case ParameterType::texts:
      return CONO_PARAM_TEXTS;
  }
  return 0;
}

}  // namespace

ParamTable::ParamTable(const Metadata& metadata, const std::vector<Value>& values)
    : values_(values) {
  const std::size_t count = metadata.parameters.size();
  if (values.size() != count)
    throw std::invalid_argument("ParamTable: " + std::to_string(values.size()) + " values for " +
                                std::to_string(count) + " parameters of " + metadata.id);
  names_.reserve(count);
  lists_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    names_.push_back(metadata.parameters[i].name);
    cono_param item{};
    item.struct_size = sizeof(item);
    item.name = names_.back().c_str();
    item.type = type_at_border(metadata.parameters[i].type);
    item.text = "";
    if (const auto* v = std::get_if<std::int64_t>(&values_[i])) item.integer = *v;
    if (const auto* v = std::get_if<double>(&values_[i])) item.real = *v;
    if (const auto* v = std::get_if<bool>(&values_[i])) item.integer = *v ? 1 : 0;
    if (const auto* v = std::get_if<std::string>(&values_[i])) item.text = v->c_str();
    const auto give = [&item](const auto& list, auto& slot) {
      slot = list.data();
      item.count = static_cast<std::int64_t>(list.size());
    };
    if (const auto* v = std::get_if<std::vector<std::int64_t>>(&values_[i]))
      give(*v, item.integers);
    if (const auto* v = std::get_if<std::vector<double>>(&values_[i])) give(*v, item.reals);
    if (const auto* v = std::get_if<std::vector<std::string>>(&values_[i])) {
      for (const auto& text : *v) lists_[i].push_back(text.c_str());
      give(lists_[i], item.texts);
    }
    items_.push_back(item);
  }
  raw_ = {sizeof(cono_params), static_cast<std::uint32_t>(items_.size()), items_.data()};
}

}  // namespace conoscope::core
