// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `faithfulness` that are about factorisations and clusterings alone.

#include <stdexcept>

#include "numerics/kmeans.h"
#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "numerics/svd.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::numerics;

// A singular vector's sign is arbitrary: each row is turned towards the reference's.
std::vector<double> flat_towards_reference(const Case& one, Matrix components) {
  const Matrix reference = one.array("components").matrix();
  if (reference.rows() != components.rows() || reference.cols() != components.cols())
    throw std::runtime_error("components have another shape than the reference's");
  for (Index r = 0; r < components.rows(); ++r)
    if (components.row(r).dot(reference.row(r)) < 0.0) components.row(r) *= -1.0;
  return flat(components);
}

Outputs kmeans_case(const Case& one) {
  const KMeansOptions options{.max_iter = one.params().at("max_iter"),
                              .tol = one.params().at("tol")};
  const KMeansResult r = kmeans_from(one.input("X").matrix(), one.input("init").matrix(), options);
  Outputs out;
  out.scalars = {{"inertia", r.inertia}, {"n_iter", r.iterations}};
  out.arrays["centers"] = flat(r.centres);
  out.arrays["labels"] = {r.labels.begin(), r.labels.end()};
  out.arrays["cavs"] = flat(Matrix(r.centres.rowwise().normalized()));
  return out;
}

Outputs svd_case(const Case& one) {
  const bool centre = one.params().at("center");
  const TruncatedSvd r = truncated_svd(one.input("X").matrix(), one.params().at("k"), centre);
  Outputs out;
  out.not_compared["gap_min_rel"] = "describes the data: how far apart the singular values are";
  out.arrays["components"] = flat_towards_reference(one, r.components);
  out.arrays["singular_values"] = flat(r.singular_values);
  out.arrays["explained_variance"] = flat(r.explained_variance);
  out.arrays["mean"] = flat(r.mean);
  return out;
}

Outputs lpca_dimension_case(const Case& one) {
  const Matrix x = one.input("X").matrix();
  const Vector variances = truncated_svd(x, std::min(x.rows(), x.cols()), true).explained_variance;
  Outputs out;
  out.scalars["dim_fo"] =
      lpca_dimension(variances, DimensionRule::kFukunagaOlsen, one.params().at("alpha_fo"));
  out.scalars["dim_ratio"] =
      lpca_dimension(variances, DimensionRule::kRatio, one.params().at("alpha_ratio"));
  return out;
}

NmfOptions nmf_options(const Json& params) {
  const std::string solver = params.at("solver");
  if (solver != "cd" && solver != "mu") throw std::runtime_error("unknown solver " + solver);
  NmfOptions options;
  options.solver =
      solver == "cd" ? NmfSolver::kCoordinateDescent : NmfSolver::kMultiplicativeUpdate;
  options.max_iter = params.at("max_iter");
  options.tol = params.at("tol");
  options.alpha_w = params.at("alpha_W");
  options.l1_ratio = params.value("l1_ratio", 0.0);
  if (params.contains("alpha_H") && params.at("alpha_H").is_number())
    options.alpha_h = params.at("alpha_H").get<double>();  // else "same"
  return options;
}

Outputs nmf_case(const Case& one) {
  const NmfResult<double> r = nmf_from(one.input("X").matrix(), one.input("W0").matrix(),
                                       one.input("H0").matrix(), nmf_options(one.params()));
  Outputs out;
  out.scalars["frobenius_error"] = r.error;
  out.arrays["W"] = flat(r.w);
  out.arrays["H"] = flat(r.h);
  return out;
}

Outputs nmf_transform_case(const Case& one) {
  const Matrix x = one.input("X").matrix(), h = one.input("H").matrix();
  const Matrix w = nmf_transform(x, h, nmf_options(one.params()));
  Outputs out;
  out.scalars["max_abs_diff_to_nnls"] = (w - nnls(x, h)).cwiseAbs().maxCoeff();
  out.arrays["W"] = flat(w);
  return out;
}

Outputs nnls_case(const Case& one) {
  const Matrix x = one.input("X").matrix(), h = one.input("H").matrix();
  const Matrix w = nnls(x, h);
  Outputs out;
  out.arrays["W"] = flat(w);
  out.arrays["residual_norms"] = flat(Vector((x - w * h).rowwise().norm()));
  return out;
}

}  // namespace

void register_faithfulness_numerics(Kinds& kinds) {
  kinds.add("kmeans", kmeans_case);
  kinds.add("svd", svd_case);
  kinds.add("pca", svd_case);
  kinds.add("lpca_dim", lpca_dimension_case);
  kinds.add("nmf", nmf_case);
  kinds.add("nmf_transform", nmf_transform_case);
  kinds.add("nnls", nnls_case);
}

}  // namespace conoscope::tests::golden
