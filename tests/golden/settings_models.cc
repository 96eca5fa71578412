// The kinds of the folder `settings` that are parts of concept models.

#include "plugins/models/posthoc_cbm/posthoc.h"
#include "plugins/models/posthoc_cbm/sparse_head.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

Outputs posthoc_case(const Case& one) {
  const Matrix h = one.input("h").matrix();
  const Matrix scores =
      models::plane_distances(h, one.input("cav").matrix(), one.input("intercept").vector());
  const models::SparseHead head{one.input("W").matrix(), one.input("b").vector()};
  const models::Residual residual{one.input("W_residual").matrix(),
                                  one.input("b_residual").vector()};
  const Matrix logits = head.answer(scores);
  const Matrix hybrid = logits + models::SparseHead{residual.weight, residual.bias}.answer(h);
  Matrix targets = Matrix::Zero(logits.rows(), logits.cols());
  const IndexVector labels = one.input("labels").indices();
  for (Index i = 0; i < targets.rows(); ++i) targets(i, labels[static_cast<size_t>(i)]) = 1.0;
  Outputs out;
  out.arrays = {
      {"scores", flat(scores)}, {"logits", flat(logits)}, {"hybrid_logits", flat(hybrid)}};
  out.scalars["hybrid_loss"] = models::residual_loss(h, logits, targets, false,
                                                     one.params().at("penalty"), residual);
  return out;
}

}  // namespace

void register_settings_models(Kinds& kinds) { kinds.add("posthoc_cbm", posthoc_case); }

}  // namespace conoscope::tests::golden
