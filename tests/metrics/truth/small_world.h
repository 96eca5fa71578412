// SPDX-License-Identifier: Apache-2.0
#pragma once

// A world of known features, and dictionaries of known faults.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "metrics/views.h"
#include "numerics/random.h"
#include "tests/support/normals.h"

namespace conoscope::tests {

struct WorldSizes {
  metrics::Index roots = 8,
                 children = 4;  ///< of each root; at most one is active, and only with its root
  metrics::Index free = 24;     ///< features outside the trees
  metrics::Index width = 64, rows = 2000;
  double with_child = 0.5;  ///< P(a child is active | its root is)
};

/// Roots are active in 3 of 10 rows, features outside the trees in 1 of 10. Features: roots,
/// children (of the first root, of the second, ...), then the others. Activations are about 5.
inline metrics::Truth small_world(const WorldSizes& sizes = {}, std::uint64_t seed = 1) {
  using metrics::Index;
  const Index in_trees = sizes.roots * (1 + sizes.children), features = in_trees + sizes.free;
  numerics::Random random(numerics::Seed(seed).child("activations"));
  metrics::Truth out;
  out.directions = testing::normals(features, sizes.width,
                                    numerics::Random(numerics::Seed(seed).child("directions")));
  out.directions.rowwise().normalize();
  out.activations = metrics::MatrixF::Zero(sizes.rows, features);
  out.parent.assign(static_cast<std::size_t>(features), -1);
  for (Index c = sizes.roots; c < in_trees; ++c)
    out.parent[static_cast<std::size_t>(c)] = (c - sizes.roots) / sizes.children;
  const auto activation = [&random] {
    return static_cast<float>(std::max(0.5, 5.0 + 0.5 * random.normal()));
  };
  for (Index i = 0; i < sizes.rows; ++i) {
    for (Index root = 0; root < sizes.roots; ++root) {
      if (random.uniform() >= 0.3) continue;
      out.activations(i, root) = activation();
      if (random.uniform() >= sizes.with_child) continue;
      const auto child =
          static_cast<Index>(random.below(static_cast<std::uint64_t>(sizes.children)));
      out.activations(i, sizes.roots + root * sizes.children + child) = activation();
    }
    for (Index f = in_trees; f < features; ++f)
      if (random.uniform() < 0.1) out.activations(i, f) = activation();
  }
  return out;
}

/// What has been learnt of it: atoms of length 1 and their codes.
struct Dictionary {
  metrics::Matrix atoms, codes;
};

inline Dictionary true_dictionary(const metrics::Truth& truth) {
  return {truth.directions, truth.activations.cast<double>()};
}

/// Each atom turned by that many degrees, in a direction of its own.
inline Dictionary turned(Dictionary made, double degrees, std::uint64_t seed = 2) {
  const double angle = degrees * std::acos(-1.0) / 180.0;
  const metrics::Matrix away =
      testing::normals(made.atoms.rows(), made.atoms.cols(), numerics::Random(seed));
  for (metrics::Index j = 0; j < made.atoms.rows(); ++j) {
    const metrics::Vector d = made.atoms.row(j), u = away.row(j);
    made.atoms.row(j) = std::cos(angle) * d + std::sin(angle) * (u - u.dot(d) * d).normalized();
  }
  return made;
}

/// A share of the latents has a random atom, and the codes of another's rows.
inline Dictionary dropped(Dictionary made, double share, std::uint64_t seed = 3) {
  numerics::Random random(seed);
  const metrics::Matrix others =
      testing::normals(made.atoms.rows(), made.atoms.cols(), numerics::Random(seed + 1));
  metrics::IndexVector latents(static_cast<std::size_t>(made.atoms.rows()));
  for (std::size_t j = 0; j < latents.size(); ++j) latents[j] = static_cast<metrics::Index>(j);
  random.shuffle(latents);
  latents.resize(static_cast<std::size_t>(share * static_cast<double>(latents.size())));
  for (const metrics::Index j : latents) {
    made.atoms.row(j) = others.row(j).normalized();
    for (metrics::Index i = made.codes.rows() - 1; i > 0; --i)
      std::swap(
          made.codes(i, j),
          made.codes(static_cast<metrics::Index>(random.below(static_cast<std::uint64_t>(i + 1))),
                     j));
  }
  return made;
}

/// In a share of the pairs of parent and child the parent's latent is silent where the child is
/// active, and the child's atom holds the parent's direction, too: d_c + rho d_p, rho the ratio of
/// their means there.
inline Dictionary absorbed(const metrics::Truth& truth, double share, std::uint64_t seed = 5) {
  using metrics::Index;
  Dictionary made = true_dictionary(truth);
  metrics::IndexVector children;
  for (std::size_t i = 0; i < truth.parent.size(); ++i)
    if (truth.parent[i] >= 0) children.push_back(static_cast<Index>(i));
  numerics::Random random(seed);
  random.shuffle(children);
  children.resize(static_cast<std::size_t>(share * static_cast<double>(children.size())));
  for (const Index c : children) {
    const Index p = truth.parent[static_cast<std::size_t>(c)];
    double of_parent = 0.0, of_child = 0.0;
    for (Index i = 0; i < made.codes.rows(); ++i)
      if (truth.activations(i, c) > 0.0F && truth.activations(i, p) > 0.0F) {
        of_parent += static_cast<double>(truth.activations(i, p));
        of_child += static_cast<double>(truth.activations(i, c));
        made.codes(i, p) = 0.0;
      }
    made.atoms.row(c) = truth.directions.row(c) + of_parent / of_child * truth.directions.row(p);
    const double length = made.atoms.row(c).norm();
    made.atoms.row(c) /= length;
    made.codes.col(c) *= length;
  }
  return made;
}

/// The codes of other latents: each has its right neighbour's.
inline Dictionary permuted(Dictionary made) {
  const metrics::Matrix codes = made.codes;
  for (metrics::Index j = 0; j < codes.cols(); ++j)
    made.codes.col(j) = codes.col((j + 1) % codes.cols());
  return made;
}

/// A dictionary as the explanation of a layer that is the world itself, with one more, constant
/// concept: the offset that all rows hold.
class JudgedDictionary {
 public:
  JudgedDictionary(const metrics::Truth& truth, const Dictionary& made, bool with_constant = true)
      : truth_(truth) {
    using metrics::Index;
    using metrics::Matrix;
    const metrics::Vector offset =
        testing::normals(truth.directions.cols(), 1, numerics::Random(numerics::Seed(99)));
    const Matrix rows =
        (truth.activations.cast<double>() * truth.directions).rowwise() + offset.transpose();
    head.activations = rows;
    head.weight = Matrix::Ones(2, rows.cols());
    head.bias = metrics::Vector::Zero(2);
    const Index latents = made.atoms.rows(), all = latents + with_constant;
    explanation.class_agnostic = true;
    explanation.cavs = Matrix::Zero(all, rows.cols());
    explanation.cavs.topRows(latents) = made.atoms;
    Matrix scores = Matrix::Zero(rows.rows(), all);
    scores.leftCols(latents) = made.codes;
    if (with_constant) {
      explanation.cavs.row(latents) = offset.normalized();
      scores.col(latents).setConstant(offset.norm());
      explanation.constant.assign(static_cast<std::size_t>(all), 0);
      explanation.constant.back() = 1;
    }
    explanation.importance_by_output = Matrix::Ones(2, all);
    explanation.project = [scores](Index, const metrics::MatrixRef& of) -> Matrix {
      if (of.rows() != scores.rows()) throw std::logic_error("not the rows of this world");
      return scores;
    };
    explanation.reconstruct = [cavs = explanation.cavs](Index,
                                                        const metrics::MatrixRef& of) -> Matrix {
      return of * cavs;
    };
  }

  metrics::Views views() const {
    metrics::Views out{
        .head = &head, .explanation = &explanation, .annotations = &annotations, .truth = &truth_};
    out.seed = 7;
    return out;
  }

  metrics::HeadView head;
  metrics::Explanation explanation;
  metrics::Annotations annotations;

 private:
  metrics::Truth truth_;
};

}  // namespace conoscope::tests
