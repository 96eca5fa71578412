// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `faithfulness` that are about how CRAFT and CDISCO weigh their concepts.

#include <algorithm>
#include <stdexcept>

#include "plugins/explainers/cdisco/loss_relevance.h"
#include "plugins/explainers/craft/sobol.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::methods;
using namespace conoscope::numerics;

// A and B of given masks, which must be mixed as ours are.
SobolDesign design_of(const Matrix& masks) {
  const Index n = masks.rows() / (masks.cols() + 2);
  const SobolDesign design{masks.topRows(n), masks.middleRows(n, n)};
  if (design.masks() != masks) throw std::runtime_error("the case's masks are mixed otherwise");
  return design;
}

Outputs halton_case(const Case& one) {
  if (one.params().at("scramble") != false) throw Skip("only the unscrambled sequence is offered");
  Outputs out;
  out.arrays["masks"] =
      flat(halton_design(one.params().at("nb_design"), one.params().at("dimension")).masks());
  return out;
}

Outputs sobol_jansen_case(const Case& one) {
  if (one.params().at("var_ddof") != 1) throw Skip("only the sample variance is offered");
  const Matrix masks = one.input("masks").matrix();
  design_of(masks);
  Outputs out;
  out.arrays["total_index"] = flat(sobol_total(one.input("outputs").vector(), masks.cols()));
  out.arrays["analytic"] = out.arrays["total_index"];
  return out;
}

Outputs craft_importance_case(const Case& one) {
  const Npy u = one.input("U");  // n x h x w x K
  const Matrix scores = u.matrix(), bank = one.input("concept_bank").matrix();
  const Vector w = one.input("w").vector();
  const double b = one.input("b").vector()[0];
  const Index samples = u.shape.front(), positions = scores.rows() / samples;
  const SobolDesign design = design_of(one.input("masks").matrix());
  if (design.points() != one.params().at("nb_design"))
    throw std::runtime_error("another number of points than nb_design");
  const Matrix ours = halton_design(design.points(), design.factors()).masks();
  if ((design.masks() - ours).cwiseAbs().maxCoeff() > 1e-14)  // the tolerance of kind halton
    throw std::runtime_error("the case's masks are not those of our Halton design");

  const Matrix weight = w.transpose().replicate(positions, 1) / static_cast<double>(positions);
  const Matrix contributions = concept_contributions(scores, bank, weight);
  const Matrix per_sample = sobol_total_linear(contributions, design);

  // The long way round: mask, rebuild, pool, head.
  const Matrix sampled =
      sobol_total_sampled(samples, design, [&](Index sample, const Matrix& masks) {
        const Matrix mine = scores.middleRows(sample * positions, positions);
        Vector logits(masks.rows());
        for (Index m = 0; m < masks.rows(); ++m) {
          const Matrix rebuilt = mine * masks.row(m).asDiagonal() * bank;
          logits[m] = rebuilt.colwise().mean().dot(w.transpose()) + b;
        }
        return logits;
      });
  if ((per_sample - sampled).cwiseAbs().maxCoeff() > 1e-9)
    throw std::runtime_error("the closed form differs from masking");

  Outputs out;
  out.arrays["per_sample"] = flat(per_sample);
  out.arrays["importance"] = flat(Vector(per_sample.colwise().mean().transpose()));
  // What the estimate tends to: the tolerance is that of 32 points.
  out.arrays["infinite_design"] = out.arrays["importance"];
  return out;
}

Outputs gradient_importance_case(const Case& one) {
  const Matrix cavs = one.input("cavs").matrix(), w = one.input("W").matrix();
  // Rows of W as they are, so that each is one output's w_c; the derivative by central differences
  // must say the same as the product.
  const Matrix alphas = w * cavs.transpose();
  constexpr double kStep = 1e-4;
  const Vector h = Vector::Constant(w.cols(), 0.5);
  for (Index k = 0; k < cavs.rows(); ++k) {
    const Vector step = kStep * cavs.row(k).transpose();
    const Vector slope = (w * (h + step) - w * (h - step)) / (2.0 * kStep);
    if ((slope - alphas.col(k)).cwiseAbs().maxCoeff() > 1e-9)
      throw std::runtime_error("the product is not the derivative");
  }
  Outputs out;
  out.arrays["alphas"] = flat(alphas);
  return out;
}

Outputs cdisco_zscore_case(const Case& one) {
  if (one.params().at("std_ddof") != 0) throw Skip("only the population deviation is offered");
  const Npy maps = one.input("conv_maps");  // n x h x w x D
  const Matrix activations = maps.matrix();
  const Matrix relevance = rectified_relevance(activations, one.input("gradients").matrix(),
                                               activations.rows() / maps.shape.front());
  const auto predictions = one.input("predictions").indices();
  const Matrix vh = one.input("vh").matrix();
  const Index classes = *std::max_element(predictions.begin(), predictions.end()) + 1;
  const auto z_scores = [&](const Matrix& projected) {
    Matrix z(classes, projected.cols());
    for (Index c = 0; c < classes; ++c) z.row(c) = z_score_of_group(projected, predictions, c);
    return flat(z);
  };
  Outputs out;
  out.arrays["z_with_v"] = z_scores(relevance * vh.transpose());
  out.arrays["z_with_vh"] = z_scores(relevance * vh);
  return out;
}

}  // namespace

void register_faithfulness_craft_cdisco(Kinds& kinds) {
  kinds.add("halton", halton_case);
  kinds.add("sobol_jansen", sobol_jansen_case);
  kinds.add("craft_importance", craft_importance_case);
  kinds.add("gradient_importance", gradient_importance_case);
  kinds.add("cdisco_zscore", cdisco_zscore_case);
}

}  // namespace conoscope::tests::golden
