#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::core {

// Lists of names: is one of them there, and which was meant?

inline bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
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
/// there is to choose from, or where more than twenty are known the command that lists them.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                                std::string_view listed_by = {}) {
  const std::string* best = nullptr;
  std::size_t distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t d = edit_distance(word, candidate);
    if (best == nullptr || d < distance) best = &candidate, distance = d;
  }
  if (best != nullptr && distance <= std::max<std::size_t>(1, best->size() / 3))
    return " (did you mean " + *best + "?)";
  if (known.size() > 20 && !listed_by.empty())
    return " (`" + std::string(listed_by) + "` lists them)";
  std::string list;
  for (const std::string& candidate : known) list += (list.empty() ? "" : ", ") + candidate;
  return list.empty() ? "" : " (known: " + list + ")";
}

}  // namespace conoscope::core
