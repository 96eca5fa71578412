// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/names.h"

namespace conoscope::core {

// What metrics and explainers need of a subject, as lists of the names of views. A need may list
// alternatives, one of which is enough: "segments or forward".

inline std::vector<std::string_view> alternatives(std::string_view need) {
  constexpr std::string_view kOr = " or ";
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = need.find(kOr);
    out.push_back(need.substr(0, end));
    if (end == need.npos) return out;
    need.remove_prefix(end + kOr.size());
  }
}

/// Is the view among the needs, as one of several alternatives too?
template <typename Needs>
bool asks_for(const Needs& needs, std::string_view view) {
  return std::any_of(needs.begin(), needs.end(),
                     [view](std::string_view need) { return contains(alternatives(need), view); });
}

/// The needs that nothing of what is offered meets.
template <typename Needs>
std::vector<std::string> missing(const Needs& needs, const std::vector<std::string>& offered) {
  std::vector<std::string> out;
  for (const std::string_view need : needs) {
    const auto any = alternatives(need);
    if (std::none_of(any.begin(), any.end(),
                     [&](std::string_view one) { return contains(offered, one); }))
      out.emplace_back(need);
  }
  return out;
}

/// Does a metric judge an explanation, rather than the model itself? An explanation's concept scores
/// can stand for a concept view or for codes, where the model has none of its own.
///
/// model  the views that the model offers
template <typename Names>
bool judges_explanations(const Names& needs, const std::vector<std::string>& model) {
  const auto has = [&model](std::string_view view) { return contains(model, view); };
  if (asks_for(needs, "explanation")) return true;
  if (!has("head_view")) return false;
  return (asks_for(needs, "concept_view") && !has("concept_view")) ||
         (asks_for(needs, "latent_view") && !has("latent_view"));
}

}  // namespace conoscope::core
