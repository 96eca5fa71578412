// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/sparse_probing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/left_out.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/truth/learnt_concepts.h"
#include "numerics/checks.h"
#include "numerics/logistic_regression.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

/// Of each latent |mean with - mean without|.
Vector mean_differences(const MatrixRef& codes, const IndexVector& labels) {
  Vector with = Vector::Zero(codes.cols()), without = with;
  double n_with = 0.0;
  for (Index i = 0; i < codes.rows(); ++i) {
    const bool is = labels[static_cast<std::size_t>(i)] == 1;
    (is ? with : without) += codes.row(i).transpose();
    n_with += is;
  }
  const double n_without = static_cast<double>(codes.rows()) - n_with;
  if (n_with == 0.0 || n_without == 0.0)
    numerics::refuse("sparse_probe", "the labels of all " + std::to_string(codes.rows()) +
                                         " rows are " + (n_with == 0.0 ? "0" : "1"));
  return (with / n_with - without / n_without).cwiseAbs();
}

IndexVector rows_of(const IndexVector& labels, const IndexVector& rows) {
  IndexVector out;
  for (const Index row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
  return out;
}

}  // namespace

IndexVector SparseProbe::classify(const MatrixRef& codes) const {
  const Vector scores = (codes(Eigen::all, latents) * weight).array() + bias;
  IndexVector out;
  for (const double score : scores) out.push_back(score > 0.0);
  return out;
}

SparseProbe sparse_probe(const MatrixRef& codes, const IndexVector& labels, Index k, double c) {
  constexpr const char* kName = "sparse_probe";
  numerics::require_filled(kName, "codes", codes);
  numerics::require_labels(kName, labels, codes.rows(), 2);
  if (k < 1 || k > codes.cols())
    numerics::refuse(
        kName, "k is " + std::to_string(k) + ", of " + std::to_string(codes.cols()) + " latents");
  const Vector differences = mean_differences(codes, labels);
  SparseProbe out;
  out.latents.resize(static_cast<std::size_t>(codes.cols()));
  std::iota(out.latents.begin(), out.latents.end(), Index{0});
  std::stable_sort(out.latents.begin(), out.latents.end(),
                   [&](Index a, Index b) { return differences[a] > differences[b]; });
  out.latents.resize(static_cast<std::size_t>(k));
  std::sort(out.latents.begin(), out.latents.end());
  const Matrix chosen = codes(Eigen::all, out.latents);
  const numerics::LogisticRegression fitted =
      numerics::logistic_regression_newton(chosen, labels, c);
  out.weight = fitted.weight.row(0).transpose();
  out.bias = fitted.intercept[0];
  return out;
}

ProbeRows balanced_rows(const IndexVector& labels, std::uint64_t seed, std::uint64_t concept_id) {
  numerics::Random random(numerics::Seed(seed).child("sparse_probing").child(concept_id));
  IndexVector kinds[2];
  for (std::size_t i = 0; i < labels.size(); ++i)
    kinds[labels[i] == 1].push_back(static_cast<Index>(i));
  const auto half = static_cast<std::ptrdiff_t>(std::min(kinds[0].size(), kinds[1].size()) / 2);
  ProbeRows out;
  for (IndexVector& rows : kinds) {
    random.shuffle(rows);
    out.fit.insert(out.fit.end(), rows.begin(), rows.begin() + half);
    out.judge.insert(out.judge.end(), rows.begin() + half, rows.begin() + 2 * half);
  }
  return out;
}

Result sparse_probing(const MatrixRef& codes, const MatrixRef& concepts, Index k,
                      std::uint64_t seed) {
  constexpr const char* kName = "sparse_probing";
  numerics::require_filled(kName, "codes", codes);
  numerics::require_filled(kName, "concepts", concepts);
  detail::require_binary(kName, concepts);
  if (k < 1 || k > codes.cols())
    numerics::refuse(
        kName, "k is " + std::to_string(k) + ", of " + std::to_string(codes.cols()) + " latents");
  if (codes.rows() != concepts.rows())
    numerics::refuse(kName, "codes is " + numerics::shape_of(codes) + ", concepts " +
                                numerics::shape_of(concepts));
  Result out;
  Index judged = 0;
  for (Index concept_id = 0; concept_id < concepts.cols(); ++concept_id) {
    IndexVector labels;
    for (const double there : concepts.col(concept_id)) labels.push_back(static_cast<Index>(there));
    const ProbeRows rows = balanced_rows(labels, seed, static_cast<std::uint64_t>(concept_id));
    out.parts.push_back(std::numeric_limits<double>::quiet_NaN());
    if (static_cast<Index>(rows.fit.size()) < 2 * kLeastProbed) continue;
    const SparseProbe probe =
        sparse_probe(codes(rows.fit, Eigen::all), rows_of(labels, rows.fit), k);
    const IndexVector said = probe.classify(codes(rows.judge, Eigen::all));
    const IndexVector is = rows_of(labels, rows.judge);
    Index right = 0;
    for (std::size_t i = 0; i < is.size(); ++i) right += said[i] == is[i];
    out.parts.back() = static_cast<double>(right) / static_cast<double>(is.size());
    out.value += out.parts.back();
    ++judged;
  }
  const std::string why =
      "fewer than " + std::to_string(2 * kLeastProbed) + " rows with it, or without";
  if (judged == 0) throw std::domain_error(std::string(kName) + ": every concept has " + why);
  out.value /= static_cast<double>(judged);
  if (judged < concepts.cols()) out.caveat = left_out(concepts.cols() - judged, "concept", why);
  return out;
}

std::vector<Metric> declare::sparse_probing() {
  return {
      {.name = "sparse_probing",
       .group = "probing",
       .question = "How well does a logistic regression of k latents, of one where nothing else is "
                   "said, tell annotated concepts?",
       .direction = Direction::kHigher,
       .high = 1.0,
       .source = "Karvonen et al., SAEBench, arXiv 2503.09532",
       .needs = {"head_view", "explanation", "concepts"},
       .parts = "concept",
       .settings = {{.name = "k"}},
       .compute_with = [](const Subject& subject, const std::vector<Setting>& settings) {
         const Matrix& codes = subject.once(learnt_concepts).codes;
         const Index k = settings.front().value;
         if (k > codes.cols())
           throw NotApplicable("there are " + std::to_string(codes.cols()) +
                               " latents, fewer than k = " + std::to_string(k));
         return metrics::sparse_probing(codes, detail::binary_concepts(subject), k, subject.seed());
       }}};
}

}  // namespace conoscope::metrics
