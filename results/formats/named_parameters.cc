// SPDX-License-Identifier: Apache-2.0
#include "results/formats/named_parameters.h"

#include <algorithm>
#include <utility>

namespace conoscope::results {

std::optional<NamedParameters> parse_named_parameters(std::string_view text) {
  const auto open = text.find('(');
  if (open == 0 || open == text.npos || text.back() != ')') return std::nullopt;
  NamedParameters out{std::string(text.substr(0, open)), {}};
  if (out.id.find(' ') != out.id.npos) return std::nullopt;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (item.find('=') != item.npos)
      out.parameters.emplace_back(item);
    else if (out.parameters.empty())
      return std::nullopt;
    else  // of a list
      out.parameters.back().append(",").append(item);
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return out;
}

std::map<std::string, std::string> take_shared_parameters(std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::pair<std::string*, NamedParameters>>> by_id;
  for (std::string& text : names)
    if (auto name = parse_named_parameters(text)) by_id[name->id].emplace_back(&text, *name);
  std::map<std::string, std::string> out;
  for (const auto& [id, of_id] : by_id) {
    if (of_id.size() < 2) continue;
    const auto is_shared = [&of = of_id](const std::string& parameter) {
      return std::ranges::all_of(of, [&](const auto& one) {
        return std::ranges::find(one.second.parameters, parameter) != one.second.parameters.end();
      });
    };
    std::string taken;
    for (const auto& parameter : of_id[0].second.parameters)
      if (is_shared(parameter)) taken += (taken.empty() ? "" : ", ") + parameter;
    if (taken.empty()) continue;
    out[id] = taken;
    for (const auto& [text, name] : of_id) {
      std::string left;
      for (const auto& parameter : name.parameters)
        if (!is_shared(parameter)) left += (left.empty() ? "" : ",") + parameter;
      *text = left.empty() ? id : id + "(" + left + ")";
    }
  }
  return out;
}

}  // namespace conoscope::results
