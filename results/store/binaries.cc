#include "results/store/binaries.h"

#include <algorithm>

namespace conoscope::results {

std::map<std::string, std::string> files_of(const std::string& binaries) {
  std::map<std::string, std::string> out;
  for (std::size_t begin = 0; begin < binaries.size();) {
    const std::size_t end = std::min(binaries.find("; ", begin), binaries.size());
    const std::string one = binaries.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t space = one.find(' ');
    if (space == one.npos) continue;
    std::string name = "plugin " + one.substr(0, space);
    while (out.contains(name)) name += " (again)";
    out[name] = one.substr(space + 1);
  }
  return out;
}

bool same_files(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto in_b = files_of(b);
  return std::ranges::all_of(files_of(a), [&in_b](const auto& named) {
    const auto it = in_b.find(named.first);
    return it == in_b.end() || it->second == named.second;
  });
}

}  // namespace conoscope::results
