// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/robustness/factor_cells.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// One latent's curve over the values of its parent factor i*.
struct ParentCurve {
  std::vector<double> values;               ///< of g_i*
  Vector mean, median, standard_deviation;  ///< of z_l given g_i*; population (ddof 0)
  Vector samples;
};

/// How another factor j moves the latent while its parent is held: rows are values of g_i*, columns
/// of g_j. NaN: never observed together; a plot leaves the point out.
struct EffectLines {
  Index factor = 0;            ///< j
  std::vector<double> values;  ///< of g_j
  Matrix samples;
  Matrix do_both;           ///< E[z_l | do(g_i* <- a, g_j <- b)], see mean_do
  Matrix given_parent;      ///< E[z_l | g_i* = a, do(g_j <- b)]: cells by p(rest | g_i* = a)
  Matrix conditional_mean;  ///< E[z_l | g_i* = a, g_j = b], what disentanglement_lib draws
};

struct LatentEffects {
  Index latent = 0;
  Index parent = 0;  ///< i*
  ParentCurve curve;
  std::vector<EffectLines> lines;  ///< one per factor but the parent
};

/// What does a latent do as its own factor changes, and as the others change?
///
/// codes    Z, n x K'.   factors  G, n x K.   parents  i*(l) of every latent, -1: leave it out; as
///          IrsMatrix::parent.
/// returns  the data of the interventional-effect plots. On a crossed grid the three kinds of lines
///          coincide.
/// throws   std::invalid_argument: as factor_cells; not one parent per latent, or out of range
///
/// Source: Suter et al., ICML 2019, Fig. 4 and 13-17.
std::vector<LatentEffects> interventional_effects(const MatrixRef& codes, const MatrixRef& factors,
                                                  const IndexVector& parents);

/// A density's outline: a violin of the plot of p(z_l | g_j = v).
struct Violin {
  double value = 0.0;  ///< v
  Vector position;     ///< equally spaced from the smallest to the largest code
  Vector density;      ///< empty where all codes are equal: position then holds the one point
};

/// How are a latent's codes spread for each value of a factor?
///
///   density(x) = 1/(n h) sum_i phi((x - z_i) / h),   h = n^(-1/5) sd(z),  sd with n - 1
///
/// codes    z, n.   factor  g, n.   points  >= 2.
/// returns  one violin per value of the factor, ascending.
/// throws   std::invalid_argument: n < 1, lengths that differ, an entry not finite, points < 2
///
/// Source: Suter et al., ICML 2019, Fig. 7; bandwidth: Scott's rule.
std::vector<Violin> violins(const VectorRef& codes, const VectorRef& factor, Index points = 100);

}  // namespace conoscope::metrics
