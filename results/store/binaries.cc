// SPDX-License-Identifier: Apache-2.0
#include "results/store/binaries.h"

#include <algorithm>
#include <sstream>

namespace conoscope::results {

namespace {

/// A name among files_of(), its value, and whether it belongs to the environment.
struct Part {
  std::string what, value;
  bool of_system = false;
};

/// "my_ica 1.2.0 0123456789abcdef python=3.11.2", without what comes before the first space.
std::vector<Part> parts_of(const std::string& plugin, const std::string& rest) {
  std::vector<Part> out = {{plugin, "", false}};
  std::istringstream words(rest);
  for (std::string word; words >> word;) {
    const std::size_t mark = word.find_first_of("=~");
    if (mark == word.npos) {
      out[0].value += (out[0].value.empty() ? "" : " ") + word;
      continue;
    }
    const bool of_system = word[mark] == '~';
    const std::string name = word.substr(0, mark);
    out.push_back({(of_system && name == "system" ? "system libraries" : name) + " of " + plugin,
                   word.substr(mark + 1), of_system});
  }
  return out;
}

std::map<std::string, Part> all_parts(const std::string& binaries) {
  std::map<std::string, Part> out;
  for (std::size_t begin = 0; begin < binaries.size();) {
    const std::size_t end = std::min(binaries.find("; ", begin), binaries.size());
    const std::string one = binaries.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t space = one.find(' ');
    if (space == one.npos) continue;
    std::string plugin = "plugin " + one.substr(0, space);
    while (out.contains(plugin)) plugin += " (again)";
    for (Part& part : parts_of(plugin, one.substr(space + 1)))
      out.try_emplace(part.what, std::move(part));
  }
  return out;
}

}  // namespace

std::map<std::string, std::string> files_of(const std::string& binaries) {
  std::map<std::string, std::string> out;
  for (const auto& [what, part] : all_parts(binaries)) out[what] = part.value;
  return out;
}

std::vector<FileDifference> different_files(const std::string& stored, const std::string& now) {
  std::vector<FileDifference> out;
  const auto before = all_parts(stored);
  for (const auto& [what, part] : all_parts(now))
    if (const auto it = before.find(what);
        !part.of_system && it != before.end() && it->second.value != part.value)
      out.push_back({what, it->second.value, part.value});
  return out;
}

}  // namespace conoscope::results
