// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/diagnostics.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>

namespace conoscope::core {

RunFileError::RunFileError(std::vector<std::string> errors)
    : std::runtime_error(boost::algorithm::join(errors, "\n")), errors_(std::move(errors)) {}

void Diagnostics::add(Place place, const std::string& message) {
  entries_.push_back({place, message});
}

std::vector<std::string> Diagnostics::messages() const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) out.push_back(entry.message);
  return out;
}

void Diagnostics::throw_if_any() const {
  if (entries_.empty()) return;
  auto sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::vector<std::string> lines;
  for (const auto& entry : sorted)
    lines.push_back(file_ + ":" + std::to_string(entry.place.line) + ":" +
                    std::to_string(entry.place.column) + ": error: " + entry.message);
  throw RunFileError(std::move(lines));
}

}  // namespace conoscope::core
