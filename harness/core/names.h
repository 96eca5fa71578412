// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conoscope::core {

// Lists of names: is one of them there, and which was meant?

template <typename Names>
bool contains(const Names& list, std::string_view item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn one
/// word into the other (optimal string alignment).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, now);
  }
  return last[b.size()];
}

/// " (did you mean kmeans?)" when a known word is at most a third of its letters away, else what
/// there is to choose from; where more than twenty are known, the command that lists them or the
/// three that are nearest.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                                std::string_view listed_by = {}) {
  constexpr std::size_t kMost = 20, kNearest = 3;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string& candidate : known)
    near.emplace_back(edit_distance(word, candidate), candidate);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!near.empty() && near[0].first <= std::max<std::size_t>(1, near[0].second.size() / 3))
    return " (did you mean " + std::string(near[0].second) + "?)";
  const bool many = known.size() > kMost;
  if (many && !listed_by.empty()) return " (`" + std::string(listed_by) + "` lists them)";
  std::string list;
  for (std::size_t i = 0; i < (many ? kNearest : known.size()); ++i)
    list.append(list.empty() ? "" : ", ").append(many ? near[i].second : known[i]);
  return list.empty() ? "" : (many ? " (nearest: " : " (known: ") + list + ")";
}

}  // namespace conoscope::core
