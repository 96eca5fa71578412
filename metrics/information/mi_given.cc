// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_given.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/information/label_codes.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ross.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void require_lengths(const char* name, Index samples, size_t labels, size_t given) {
  if (static_cast<size_t>(samples) != labels || labels != given)
    numerics::refuse(name, "there are " + std::to_string(samples) + " samples, " +
                               std::to_string(labels) + " labels and " + std::to_string(given) +
                               " entries of given; they must be as many");
}

std::vector<IndexVector> samples_by(const detail::LabelCodes& strata) {
  std::vector<IndexVector> out(strata.counts.size());
  for (size_t i = 0; i < strata.code.size(); ++i)
    out[static_cast<size_t>(strata.code[i])].push_back(static_cast<Index>(i));
  return out;
}

IndexVector taken(std::span<const Index> labels, const IndexVector& samples) {
  IndexVector out;
  for (const Index i : samples) out.push_back(labels[static_cast<size_t>(i)]);
  return out;
}

/// estimate(stratum, its samples, their labels): mi_ross, where they have more than one label.
template <typename Estimate>
ConditionalMi over_strata(std::span<const Index> labels, const detail::LabelCodes& strata,
                          const Estimate& estimate) {
  ConditionalMi out;
  Index counted = 0;
  const std::vector<IndexVector> samples = samples_by(strata);
  for (size_t v = 0; v < samples.size(); ++v) {
    const IndexVector mine = taken(labels, samples[v]);
    const detail::LabelCodes codes = detail::label_codes("mi_ross_given", "labels", mine);
    Index kept = 0;
    for (const Index count : codes.counts)
      if (count > 1) kept += count;
    counted += kept;
    if (kept > 0 && codes.counts.size() > 1)
      out.raw += static_cast<double>(kept) * estimate(v, samples[v], mine);
  }
  if (counted == 0)
    throw std::domain_error(
        "mi_ross_given: no sample has another one of its label among those "
        "that agree in what is given");
  out.raw /= static_cast<double>(counted);
  out.value = std::max(0.0, out.raw);
  out.left_out = static_cast<Index>(labels.size()) - counted;
  return out;
}

}  // namespace

ConditionalMi mi_discrete_given(std::span<const Index> a, std::span<const Index> b,
                                std::span<const Index> given) {
  require_lengths("mi_discrete_given", static_cast<Index>(a.size()), b.size(), given.size());
  ConditionalMi out;
  for (const IndexVector& samples :
       samples_by(detail::label_codes("mi_discrete_given", "given", given)))
    out.raw +=
        static_cast<double>(samples.size()) * mi_discrete(taken(a, samples), taken(b, samples));
  out.raw /= static_cast<double>(a.size());
  out.value = out.raw;
  return out;
}

ConditionalMi mi_ross_given(const SortedValues& x, std::span<const Index> labels,
                            std::span<const Index> given, const KsgOptions& options) {
  require_lengths("mi_ross_given", x.size(), labels.size(), given.size());
  const detail::LabelCodes strata = detail::label_codes("mi_ross_given", "given", given);
  const std::vector<SortedValues> parts =
      x.dealt(strata.code, static_cast<Index>(strata.counts.size()));
  return over_strata(labels, strata, [&](size_t v, const IndexVector&, const IndexVector& mine) {
    return mi_ross(parts[v], mine, options).raw;
  });
}

ConditionalMi mi_ross_given(const MatrixRef& x, std::span<const Index> labels,
                            std::span<const Index> given, const KsgOptions& options) {
  require_lengths("mi_ross_given", x.rows(), labels.size(), given.size());
  numerics::require_filled("mi_ross_given", "x", x);
  const detail::LabelCodes strata = detail::label_codes("mi_ross_given", "given", given);
  return over_strata(labels, strata,
                     [&](size_t, const IndexVector& samples, const IndexVector& mine) {
                       Matrix rows(static_cast<Index>(samples.size()), x.cols());
                       for (size_t i = 0; i < samples.size(); ++i)
                         rows.row(static_cast<Index>(i)) = x.row(samples[i]);
                       return mi_ross(rows, mine, options).raw;
                     });
}

}  // namespace conoscope::metrics
