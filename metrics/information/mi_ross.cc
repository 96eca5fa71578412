// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_ross.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/information/label_codes.h"
#include "metrics/information/near_samples.h"
#include "numerics/checks.h"
#include "numerics/digamma.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "mi_ross";

// Who stays, and what does not depend on x.
struct Classes {
  detail::LabelCodes labels;
  Index kept = 0;
  std::vector<double> psi;
  double psi_k = 0.0, psi_n = 0.0;  // sums over the samples that stay

  Index count(size_t code) const { return labels.counts[code]; }
  bool stays(size_t sample) const { return count(static_cast<size_t>(labels.code[sample])) > 1; }
};

Classes prepare(Index n, std::span<const Index> labels, Index k) {
  if (k < 1) numerics::refuse(kName, "neighbours is " + std::to_string(k) + "; it must be >= 1");
  if (static_cast<Index>(labels.size()) != n)
    numerics::refuse(kName, "x has " + std::to_string(n) + " samples and labels " +
                                std::to_string(labels.size()) + "; they must be as many");
  Classes out;
  out.labels = detail::label_codes(kName, "labels", labels);
  for (const Index count : out.labels.counts)
    if (count > 1) out.kept += count;
  if (out.kept == 0)
    throw std::domain_error(std::string(kName) + ": each of the " + std::to_string(n) +
                            " labels occurs once; no sample has a neighbour of its own label");
  out.psi = numerics::digamma_table(out.kept);
  for (const Index count : out.labels.counts) {
    if (count < 2) continue;
    const auto samples = static_cast<double>(count);
    out.psi_k += samples * out.psi[static_cast<size_t>(std::min(k, count - 1) - 1)];
    out.psi_n += samples * out.psi[static_cast<size_t>(count - 1)];
  }
  return out;
}

MiEstimate estimate(const Classes& classes, double psi_m, Index tied) {
  MiEstimate out;
  out.raw = classes.psi.back() +
            (classes.psi_k - classes.psi_n - psi_m) / static_cast<double>(classes.kept);
  out.value = std::max(0.0, out.raw);
  out.tied = tied;
  return out;
}

}  // namespace

MiEstimate mi_ross(const SortedValues& x, std::span<const Index> labels,
                   const KsgOptions& options) {
  const Classes classes = prepare(x.size(), labels, options.neighbours);
  const auto codes = classes.labels.counts.size();
  // Each class's values, ascending: the order of all, dealt out.
  std::vector<Index> begin(codes + 1, 0);
  for (size_t c = 0; c < codes; ++c) begin[c + 1] = begin[c] + classes.count(c);
  std::vector<double> dealt(labels.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (size_t place = 0; place < labels.size(); ++place) {
    const auto code =
        static_cast<size_t>(classes.labels.code[static_cast<size_t>(x.order()[place])]);
    dealt[static_cast<size_t>(next[code]++)] = x.sorted()[place];
  }
  // The samples counted are those that stay.
  std::vector<SortedValues> parts;
  if (classes.kept < x.size()) {
    IndexVector stays;
    for (size_t i = 0; i < labels.size(); ++i) stays.push_back(classes.stays(i));
    parts = x.dealt(stays, 2);
  }
  const SortedValues& all = parts.empty() ? x : parts[1];

  double psi_m = 0.0;
  Index tied = 0;
  for (size_t c = 0; c < codes; ++c) {
    if (classes.count(c) < 2) continue;
    const std::span<const double> mine(dealt.data() + begin[c],
                                       static_cast<size_t>(classes.count(c)));
    const std::vector<double> radius =
        neighbour_distances(mine, std::min(options.neighbours, classes.count(c) - 1));
    for (size_t p = 0; p < radius.size(); ++p) {
      tied += radius[p] == 0.0;
      psi_m += classes.psi[static_cast<size_t>(all.count_within(mine[p], radius[p]) - 1)];
    }
  }
  return estimate(classes, psi_m, tied);
}

MiEstimate mi_ross(const MatrixRef& x, std::span<const Index> labels, const KsgOptions& options) {
  if (x.rows() < 1 || x.cols() < 1)
    numerics::refuse(kName, "x is " + numerics::shape_of(x) + "; it must be n x d with n, d >= 1");
  const Classes classes = prepare(x.rows(), labels, options.neighbours);
  numerics::require_finite(kName, "x", x);
  if (x.cols() == 1) {
    const Vector values = x.col(0);
    return mi_ross(SortedValues(values), labels, options);
  }
  // Samples that stay, class after class.
  Matrix rows(classes.kept, x.cols());
  std::vector<detail::PeerRows> groups;
  Index end = 0;
  for (size_t c = 0; c < classes.labels.counts.size(); ++c) {
    if (classes.count(c) < 2) continue;
    for (size_t i = 0; i < labels.size(); ++i)
      if (static_cast<size_t>(classes.labels.code[i]) == c)
        rows.row(end++) = x.row(static_cast<Index>(i));
    groups.push_back({.size = classes.count(c),
                      .neighbours = std::min(options.neighbours, classes.count(c) - 1)});
  }
  const detail::NearSamples near = detail::near_by_euclidean_norm(rows, groups);
  double psi_m = 0.0;
  Index tied = 0;
  for (const double r : near.radius) tied += r == 0.0;
  for (const Index count : near.within.front())
    psi_m += classes.psi[static_cast<size_t>(count - 1)];
  return estimate(classes, psi_m, tied);
}

}  // namespace conoscope::metrics
