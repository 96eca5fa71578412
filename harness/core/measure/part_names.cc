// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/part_names.h"

#include <cstddef>

#include "metrics/catalogue.h"

namespace conoscope::core {

namespace {

/// The fields of one line of a .csv file, in which names hold no quotes.
std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

void add_axis(AxisNames& names, const std::string& axis, std::int64_t size,
              const std::string& given) {
  auto& out = names.of[axis];
  if (!given.empty()) out = names_in(given);
  if (static_cast<std::int64_t>(out.size()) == size) {
    names.given.insert(axis);
    return;
  }
  out.clear();
  for (std::int64_t i = 0; i < size; ++i) out.push_back(axis + " " + std::to_string(i));
}

std::string name_on(std::string_view axis, std::int64_t place, const AxisNames& names) {
  const auto known = names.of.find(axis);
  if (known != names.of.end() && place < static_cast<std::int64_t>(known->second.size()))
    return known->second[static_cast<std::size_t>(place)];
  return std::string(axis) + " " + std::to_string(place);
}

std::int64_t size_of(std::string_view axis, const AxisNames& names) {
  const auto known = names.of.find(axis);
  return known == names.of.end() ? 0 : static_cast<std::int64_t>(known->second.size());
}

}  // namespace

AxisNames axis_names(const ArrayBag& dataset, const ArrayBag& model) {
  AxisNames out;
  if (const auto concepts = dataset.find("concepts"))
    add_axis(out, "concept", concepts->shape(1), dataset.text("concept_names"));
  if (const auto factors = dataset.find("factors"))
    add_axis(out, "factor", factors->shape(1), dataset.text("factor_names"));
  if (const auto head = model.find("head_weight"))
    add_axis(out, "output", head->rows(),
             dataset.text(dataset.find("labels") ? "class_names" : "target_names"));
  return out;
}

std::string part_name(std::string_view axes, std::int64_t part, const AxisNames& names) {
  constexpr std::string_view kBy = " x ", kPair = " pair";
  if (axes.ends_with(kPair)) {
    axes.remove_suffix(kPair.size());
    const std::int64_t size = size_of(axes, names);
    for (std::int64_t i = 0; i < size; part -= size - ++i)
      if (part < size - 1 - i)
        return name_on(axes, i, names) + ", " + name_on(axes, i + 1 + part, names);
    return "";
  }
  const std::size_t by = axes.find(kBy);
  if (by == axes.npos) return axes.empty() ? "" : name_on(axes, part, names);
  const std::string_view rows = axes.substr(0, by), columns = axes.substr(by + kBy.size());
  const std::int64_t size = size_of(columns, names);
  if (size == 0) return "";
  return name_on(rows, part / size, names) + ", " + name_on(columns, part % size, names);
}

std::string name_of_part(std::string_view metric, std::int64_t part, const AxisNames& names) {
  const auto* built_in = metrics::catalogue().metric(metric);
  return built_in == nullptr ? "" : part_name(built_in->parts, part, names);
}

}  // namespace conoscope::core
