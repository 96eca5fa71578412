#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::core {

inline bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace conoscope::core
