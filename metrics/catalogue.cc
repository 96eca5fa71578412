// SPDX-License-Identifier: Apache-2.0
#include "metrics/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "metrics/declarations.h"

namespace conoscope::metrics {

bool Catalogue::is_group(std::string_view name) const {
  return std::find(groups_.begin(), groups_.end(), name) != groups_.end();
}

void Catalogue::add(std::vector<Metric> metrics) {
  for (Metric& added : metrics) {
    if (is_group(added.name) || metric(added.name) || metric(added.group))
      throw std::invalid_argument("Catalogue: the name " + added.name + " of group " +
                                  std::string(added.group) + " is taken");
    if (!is_group(added.group)) groups_.push_back(added.group);
    metrics_.push_back(std::move(added));
  }
}

namespace {

std::string_view before_bracket(std::string_view name) { return name.substr(0, name.find('(')); }

constexpr Index kMost = 1'000'000;

/// A whole number from `least` on; all of the text. Empty: it is none.
std::optional<Index> read_number(std::string_view text, Index least) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > kMost)
    return {};
  return value;
}

/// A finite number above 0; all of the text. Empty: it is none.
std::optional<double> read_positive(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value <= 0.0)
    return {};
  return value;
}

/// NUMBER+NUMBER+..., each once. Empty: something is wrong.
IndexVector read_choice(std::string_view text) {
  IndexVector chosen;
  while (true) {
    const std::string_view item = text.substr(0, text.find('+'));
    const auto number = read_number(item, 0);
    if (!number || std::find(chosen.begin(), chosen.end(), *number) != chosen.end()) return {};
    chosen.push_back(*number);
    if (item.size() == text.size()) return chosen;
    text.remove_prefix(item.size() + 1);
  }
}

/// Whether the text is what the setting may be.
bool read_value(std::string_view text, Setting& setting) {
  if (setting.is_choice) {
    setting.chosen = read_choice(text);
    return !setting.chosen.empty();
  }
  if (setting.number > 0.0) {
    const auto number = read_positive(text);
    setting.number = number.value_or(setting.number);
    return number.has_value();
  }
  if (!setting.words.empty()) {
    const auto word = std::find(setting.words.begin(), setting.words.end(), text);
    setting.value = word - setting.words.begin();
    return word != setting.words.end();
  }
  const auto value = read_number(text, setting.least);
  setting.value = value.value_or(setting.value);
  return value.has_value();
}

/// NAME=VALUE,...; each of them known, and named once. Empty: something is wrong.
std::optional<std::vector<Setting>> read_settings(std::string_view text,
                                                  std::vector<Setting> settings) {
  std::set<std::string_view> seen;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.find('=');
    if (equals == item.npos) return {};
    const std::string_view name = item.substr(0, equals);
    const auto setting = std::find_if(settings.begin(), settings.end(),
                                      [&](const Setting& known) { return known.name == name; });
    if (setting == settings.end() || !seen.insert(name).second) return {};
    if (!read_value(item.substr(equals + 1), *setting)) return {};
    if (item.size() == text.size()) return settings;
    text.remove_prefix(item.size() + 1);
  }
}

}  // namespace

const Metric* Catalogue::declared(std::string_view name) const {
  for (const Metric& known : metrics_)
    if (known.name == name) return &known;
  return nullptr;
}

const Metric* Catalogue::metric(std::string_view name) const {
  const Metric* known = declared(name);
  return known ? known : with_settings(name);
}

const Metric* Catalogue::with_settings(std::string_view name) const {
  const std::string_view base_name = before_bracket(name);
  const Metric* base = declared(base_name);
  if (!base || !base->compute_with || !name.ends_with(')')) return nullptr;
  const std::lock_guard lock(asked_with_settings_->mutex);
  if (const auto known = asked_with_settings_->metrics.find(name);
      known != asked_with_settings_->metrics.end())
    return &known->second;
  const auto settings = read_settings(
      name.substr(base_name.size() + 1, name.size() - base_name.size() - 2), base->settings);
  if (!settings) return nullptr;
  Metric changed = *base;
  changed.name = name;
  changed.settings = *settings;
  changed.compute = nullptr;
  return &asked_with_settings_->metrics.emplace(changed.name, std::move(changed)).first->second;
}

std::vector<const Metric*> Catalogue::select(std::string_view metric_or_group) const {
  std::vector<const Metric*> selected;
  for (const Metric& known : metrics_)
    if (known.name == metric_or_group || known.group == metric_or_group) selected.push_back(&known);
  if (selected.empty())
    if (const Metric* changed = with_settings(metric_or_group)) selected.push_back(changed);
  return selected;
}

std::size_t Catalogue::place(std::string_view name) const {
  const Metric* known = metric(name) ? declared(before_bracket(name)) : nullptr;
  return known ? static_cast<std::size_t>(known - metrics_.data()) : metrics_.size();
}

namespace {

/// "a, b and c"
std::string listed(const std::vector<std::string>& items, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += std::string(i == 0 ? "" : i + 1 == items.size() ? last : ", ") + items[i];
  return text;
}

/// What it may be, where not all settings are of one kind.
std::string kind_text(const Setting& setting) {
  if (setting.number > 0.0) return "a number above 0";
  if (!setting.words.empty()) return listed({setting.words.begin(), setting.words.end()}, " or ");
  return "a whole number from " + std::to_string(setting.least);
}

}  // namespace

std::string Catalogue::settings_text(std::string_view name) const {
  const std::string_view base_name = before_bracket(name);
  const Metric* base = declared(base_name);
  if (!base || base_name.size() == name.size()) return "";
  if (base->settings.empty()) return base->name + " has no settings";
  const Setting& first = base->settings.front();
  const bool mixed = std::ranges::any_of(
      base->settings, [](const Setting& one) { return one.number > 0.0 || !one.words.empty(); });
  std::vector<std::string> items;
  for (const Setting& one : base->settings)
    items.push_back(std::string(one.name) + (mixed ? " (" + kind_text(one) + ")" : ""));
  return base->name + " takes " + listed(items, " and ") +
         (mixed             ? ", as "
          : first.is_choice ? ", columns by their numbers from 0, as "
                            : ", whole numbers from 1, as ") +
         base->name + "(" + std::string(first.name) + "=" +
         (first.is_choice ? "0+3" : value_text(first)) + ")";
}

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue building;
    for (const Declaration declare : declarations()) building.add(declare());
    return building;
  }();
  return all;
}

}  // namespace conoscope::metrics
