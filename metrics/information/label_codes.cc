// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/label_codes.h"

#include <algorithm>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics::detail {

LabelCodes label_codes(std::string_view metric, std::string_view argument,
                       std::span<const Index> labels) {
  if (labels.empty()) numerics::refuse(metric, std::string(argument) + " is empty; n must be >= 1");
  LabelCodes out;
  const auto [low, high] = std::minmax_element(labels.begin(), labels.end());
  const auto range = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
  out.code.resize(labels.size());
  if (range < 4 * labels.size() + 64) {  // close together: no sorting
    std::vector<Index> place(static_cast<size_t>(range) + 1, 0);
    for (const Index label : labels) place[static_cast<size_t>(label - *low)] = 1;
    Index next = 0;
    for (Index& at : place) at = at == 1 ? next++ : -1;
    out.counts.assign(static_cast<size_t>(next), 0);
    for (size_t i = 0; i < labels.size(); ++i) {
      out.code[i] = place[static_cast<size_t>(labels[i] - *low)];
      ++out.counts[static_cast<size_t>(out.code[i])];
    }
    return out;
  }
  std::vector<Index> values(labels.begin(), labels.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  out.counts.assign(values.size(), 0);
  for (size_t i = 0; i < labels.size(); ++i) {
    out.code[i] = std::lower_bound(values.begin(), values.end(), labels[i]) - values.begin();
    ++out.counts[static_cast<size_t>(out.code[i])];
  }
  return out;
}

}  // namespace conoscope::metrics::detail
