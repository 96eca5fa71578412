// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/true_dictionary/faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::methods {

using numerics::refuse;
using numerics::shape_of;

namespace {

void require_latents(const char* function, const KnownDictionary& dictionary, const IndexVector& which) {
  if (dictionary.codes.cols() != dictionary.atoms.rows())
    refuse(function,
           "codes are " + shape_of(dictionary.codes) + ", atoms " + shape_of(dictionary.atoms));
  for (const Index one : which)
    if (one < 0 || one >= dictionary.atoms.rows())
      refuse(function, "latent " + std::to_string(one) + ", but there are " +
                           std::to_string(dictionary.atoms.rows()));
}

}  // namespace

Matrix turned(const MatrixRef& directions, const MatrixRef& ways, double phi) {
  numerics::require_filled("turned", "directions", directions);
  numerics::require_at_least("turned", "columns of directions", directions.cols(), 2);
  if (ways.rows() != directions.rows() || ways.cols() != directions.cols())
    refuse("turned", "directions are " + shape_of(directions) + ", but ways " + shape_of(ways));
  if (!std::isfinite(phi)) refuse("turned", "phi is " + std::to_string(phi));
  Matrix out(directions.rows(), directions.cols());
  for (Index k = 0; k < out.rows(); ++k) {
    const auto d = directions.row(k);
    const Eigen::RowVectorXd u = ways.row(k) - ways.row(k).dot(d) * d;
    const double norm = u.norm();
    if (!(norm > 0.0))
      throw std::domain_error("turned: way " + std::to_string(k) + " is parallel to its direction");
    out.row(k) = std::cos(phi) * d + std::sin(phi) / norm * u;
  }
  return out;
}

void drop(KnownDictionary& dictionary, const MatrixRef& rows, const IndexVector& which,
          numerics::Seed seed) {
  require_latents("drop", dictionary, which);
  if (rows.rows() != dictionary.codes.rows() || rows.cols() != dictionary.atoms.cols())
    refuse("drop", "rows are " + shape_of(rows) + ", but codes " + shape_of(dictionary.codes) +
                       " and atoms " + shape_of(dictionary.atoms));
  numerics::Random random(seed);
  for (const Index one : which) {
    for (Index d = 0; d < rows.cols(); ++d) dictionary.atoms(one, d) = random.normal();
    dictionary.atoms.row(one).normalize();
    const Vector along = rows * dictionary.atoms.row(one).transpose();
    const Index active = (dictionary.codes.col(one).array() > 0.0).count();
    IndexVector order(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater<>(), [&along](Index row) { return along[row]; });
    dictionary.codes.col(one).setZero();
    for (Index place = 0; place < active; ++place) {
      const Index row = order[static_cast<std::size_t>(place)];
      dictionary.codes(row, one) = std::max(0.0, along[row]);
    }
  }
}

void absorb(KnownDictionary& dictionary, const std::vector<std::pair<Index, Index>>& pairs) {
  std::set<Index> children;
  for (const auto& [parent, child] : pairs) {
    require_latents("absorb", dictionary, {parent, child});
    if (parent == child || !children.insert(child).second)
      refuse("absorb", "latent " + std::to_string(child) + " absorbs " +
                           (parent == child ? "itself" : "two parents"));
  }
  const KnownDictionary truth = dictionary;
  for (const auto& [parent, child] : pairs) {
    double above = 0.0, below = 0.0;
    for (Index row = 0; row < truth.codes.rows(); ++row)
      if (truth.codes(row, child) > 0.0) {
        above += truth.codes(row, parent);
        below += truth.codes(row, child);
        dictionary.codes(row, parent) = 0.0;
      }
    if (below == 0.0) continue;
    const Eigen::RowVectorXd both =
        truth.atoms.row(child) + above / below * truth.atoms.row(parent);
    const double norm = both.norm();
    if (norm == 0.0)
      throw std::domain_error("absorb: latents " + std::to_string(parent) + " and " +
                              std::to_string(child) + " cancel each other");
    dictionary.atoms.row(child) = both / norm;
    dictionary.codes.col(child) *= norm;
  }
}

void exchange_atoms(KnownDictionary& dictionary, const IndexVector& which) {
  require_latents("exchange_atoms", dictionary, which);
  const Matrix before = dictionary.atoms;
  for (std::size_t j = 0; j < which.size(); ++j)
    dictionary.atoms.row(which[j]) = before.row(which[(j + 1) % which.size()]);
}

IndexVector draw_share(Index n, double share, numerics::Seed seed) {
  numerics::require_at_least("draw_share", "n", n, 0);
  if (!(share >= 0.0 && share <= 1.0))
    refuse("draw_share", "share = " + std::to_string(share) + ", expected 0 to 1");
  IndexVector out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  numerics::Random(seed).shuffle(out);
  out.resize(static_cast<std::size_t>(std::llround(share * static_cast<double>(n))));
  return out;
}

KnownRows::KnownRows(Matrix rows) : rows_(std::move(rows)) {
  numerics::require_filled("KnownRows", "rows", rows_);
  constexpr double kShare = 1e-5;
  tolerance_ = kShare * rows_.cwiseAbs().maxCoeff();
  for (Index i = 0; i < rows_.rows(); ++i) by_first_.emplace_back(rows_(i, 0), i);
  std::ranges::sort(by_first_);
}

Index KnownRows::find(const VectorRef& row) const {
  if (row.size() != rows_.cols())
    refuse("KnownRows::find", "a row of " + std::to_string(row.size()) + " entries, expected " +
                                  std::to_string(rows_.cols()));
  Index nearest = -1;
  double least = tolerance_;
  const auto begin = std::ranges::lower_bound(by_first_, row[0] - tolerance_, {},
                                              &std::pair<double, Index>::first);
  for (auto at = begin; at != by_first_.end() && at->first <= row[0] + tolerance_; ++at) {
    const double distance = (rows_.row(at->second).transpose() - row).cwiseAbs().maxCoeff();
    if (distance > least || (distance == least && nearest >= 0)) continue;
    least = distance;
    nearest = at->second;
  }
  return nearest;
}

}  // namespace conoscope::methods
