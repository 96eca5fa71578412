// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/made_elsewhere.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "harness/core/border/provenance.h"
#include "results/analysis/verification.h"

namespace conoscope::core {

namespace {

/// As the store would have it of an attempt.
results::Outcome outcome_of(const std::string& made_by) {
  results::Outcome out;
  std::istringstream lines(deciding_lines(made_by));
  constexpr std::string_view kPlugins = "plugins: ";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(kPlugins))
      out.binaries = line.substr(kPlugins.size());
    else
      out.environment += line + '\n';
  return out;
}

/// A list of features or libraries is nothing to read in a sentence.
std::string in_short(const results::EnvironmentDifference& found) {
  constexpr std::size_t kMost = 60;
  if (std::max(found.stored.size(), found.again.size()) > kMost) return "other " + found.what;
  return found.what + " " + found.stored + ", here " + found.again;
}

}  // namespace

std::string difference_text(const std::string& there, const std::string& here) {
  if (there.empty()) return "by what is not recorded";
  std::string out;
  for (const auto& found : results::environment_differences(outcome_of(there), outcome_of(here)))
    out += (out.empty() ? "by " : "; ") + in_short(found);
  return out.empty() ? "by other files" : out;
}

std::set<std::string> lines_of_elsewhere(const std::string& there, const std::string& here) {
  const auto lines_in = [](const std::string& text) {
    std::set<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.insert(line);
    return out;
  };
  const auto known = lines_in(here), decided = lines_in(deciding_lines(there));
  std::set<std::string> out;
  for (const std::string& line : lines_in(there))
    if (!known.contains(line) && !decided.contains(line)) out.insert("artifact " + line);
  return out;
}

}  // namespace conoscope::core
