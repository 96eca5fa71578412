// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_discrete.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "metrics/information/label_codes.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

// sum_u n_u ln n_u: with it, every entropy is ln n - sum / n, and no logarithm of a quotient of two
// frequencies is taken.
double sum_n_log_n(std::span<const Index> counts) {
  double sum = 0.0;
  for (const Index count : counts)
    if (count > 1) sum += static_cast<double>(count) * std::log(static_cast<double>(count));
  return sum;
}

}  // namespace

double entropy_discrete(std::span<const Index> a) {
  const detail::LabelCodes codes = detail::label_codes("entropy_discrete", "a", a);
  if (codes.counts.size() == 1) return 0.0;
  const auto n = static_cast<double>(a.size());
  return std::max(0.0, std::log(n) - sum_n_log_n(codes.counts) / n);
}

double mi_discrete(std::span<const Index> a, std::span<const Index> b) {
  if (a.size() != b.size())
    numerics::refuse("mi_discrete", "a has " + std::to_string(a.size()) + " labels and b " +
                                        std::to_string(b.size()) + "; they must be as many");
  const detail::LabelCodes u = detail::label_codes("mi_discrete", "a", a);
  const detail::LabelCodes v = detail::label_codes("mi_discrete", "b", b);
  if (u.counts.size() == 1 || v.counts.size() == 1) return 0.0;
  // Only the pairs that occur: a table of two identifiers would be n x n.
  std::vector<std::pair<Index, Index>> pairs(a.size());
  for (size_t i = 0; i < a.size(); ++i) pairs[i] = {u.code[i], v.code[i]};
  const auto n = static_cast<double>(a.size());
  double sum = 0.0;
  const auto add = [&](Index row, Index col, Index count) {
    const auto c = static_cast<double>(count);
    sum += c * std::log(c * n /
                        (static_cast<double>(u.counts[static_cast<size_t>(row)]) *
                         static_cast<double>(v.counts[static_cast<size_t>(col)])));
  };
  if (u.counts.size() * v.counts.size() <= 4 * a.size() + 64) {
    std::vector<Index> table(u.counts.size() * v.counts.size(), 0);
    for (const auto& [row, col] : pairs)
      ++table[static_cast<size_t>(row) * v.counts.size() + static_cast<size_t>(col)];
    for (size_t cell = 0; cell < table.size(); ++cell)
      if (table[cell] > 0)
        add(static_cast<Index>(cell / v.counts.size()), static_cast<Index>(cell % v.counts.size()),
            table[cell]);
  } else {
    std::sort(pairs.begin(), pairs.end());
    for (size_t begin = 0; begin < pairs.size();) {
      size_t end = begin + 1;
      while (end < pairs.size() && pairs[end] == pairs[begin]) ++end;
      add(pairs[begin].first, pairs[begin].second, static_cast<Index>(end - begin));
      begin = end;
    }
  }
  return std::max(0.0, sum / n);
}

}  // namespace conoscope::metrics
