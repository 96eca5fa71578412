// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `faithfulness` that are about self-representation and subspaces (MCD).

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "numerics/spectral.h"
#include "numerics/subspace.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::numerics;

// Cluster numbers are arbitrary: the permutation that agrees with the reference's most often.
std::vector<double> flat_as_reference(const Case& one, const std::vector<Index>& labels,
                                      Index clusters) {
  const std::vector<Index> reference = one.array("labels").indices();
  std::vector<Index> names(static_cast<size_t>(clusters));
  std::iota(names.begin(), names.end(), Index{0});
  std::vector<double> best(labels.size(), -2.0);
  Index most = -1;
  do {
    Index same = 0;
    std::vector<double> renamed;
    for (size_t i = 0; i < labels.size(); ++i) {
      const Index name = names[static_cast<size_t>(labels[i])];
      renamed.push_back(static_cast<double>(name));
      same += i < reference.size() && name == reference[i];
    }
    if (same > most) most = same, best = renamed;
  } while (std::next_permutation(names.begin(), names.end()));
  return best;
}

Outputs ssc_case(const Case& one) {
  if (one.params().at("tau") != 1.0 || one.params().at("outlier_percentile") != 1.0)
    throw std::runtime_error("an elastic net or outliers are not what this kind answers");
  const Index clusters = one.params().at("n_clusters");
  const SelfRepresentation r =
      sparse_self_representation(one.input("X").matrix(), {.gamma = one.params().at("gamma")});
  const SparseMatrix affinity = affinity_of(r.coefficients);
  const Index shown = one.array("top_eigenvalues").size();
  const SpectralEmbedding embedding = spectral_embedding(affinity, clusters, Seed(0));
  Outputs out;
  out.not_compared["reference_code_max_abs_diff"] = "how far two reference programs differ";
  out.arrays["alpha"] = flat(r.alpha);
  out.arrays["representation"] = flat(Matrix(r.coefficients));
  out.arrays["objective"] = flat(r.objective);
  out.arrays["row_l1"] = flat(r.l1);
  out.arrays["affinity"] = flat(Matrix(affinity));
  out.arrays["top_eigenvalues"] = flat(spectral_embedding(affinity, shown, Seed(0)).eigenvalues);
  out.arrays["eigen_projector"] = flat(Matrix(embedding.vectors * embedding.vectors.transpose()));
  out.arrays["labels"] =
      flat_as_reference(one, spectral_clustering(affinity, clusters, Seed(0)), clusters);
  return out;
}

Outputs mcd_case(const Case& one) {
  if (one.params().at("complement_zeroed") != true)
    throw std::runtime_error("the complement's coefficients are expected to be zeroed");
  metrics::HeadView head;
  head.activations = one.input("H").matrix();
  head.weight = one.input("W").matrix();
  head.bias = one.input("b").vector();
  head.positions = 1;
  head.pooling = metrics::Pooling::kNone;
  const Matrix rows = head.activations.all();
  const Matrix dimensions = one.input("dims").matrix();
  const Index concepts = one.params().at("concepts"), outputs = head.outputs();

  Outputs out;
  std::vector<Matrix> bases;
  metrics::Explanation explanation;
  explanation.offset = {0};
  Matrix local(rows.rows(), outputs * (concepts + 1)), global(outputs, concepts + 1);
  Vector completeness(outputs);
  for (Index c = 0; c < outputs; ++c) {
    const std::string name = std::to_string(c);
    bases.push_back(one.input("basis_" + name).matrix());
    const Matrix& basis = bases.back();
    std::vector<Index> sizes;
    for (Index l = 0; l < concepts; ++l) sizes.push_back(static_cast<Index>(dimensions(c, l)));
    const Matrix coefficients = subspace_coefficients(rows, basis);
    const SubspaceRelevance relevance =
        subspace_relevance(rows, head.weight.row(c).transpose(), basis, sizes);
    local.middleCols(c * (concepts + 1), concepts + 1) = relevance.local;
    global.row(c) = relevance.global.transpose();
    completeness[c] = relevance.completeness;
    explanation.offset.push_back(explanation.offset.back() + basis.rows());
    out.arrays["coef_" + name] = flat(coefficients);
    out.arrays["alpha_" + name] = flat(Vector(basis * head.weight.row(c).transpose()));
    out.arrays["h_complement_" + name] = flat(Matrix(rows - coefficients * basis));
  }
  explanation.cavs.resize(explanation.offset.back(), rows.cols());
  explanation.importance.resize(explanation.offset.back());
  for (Index c = 0; c < outputs; ++c) {
    const Matrix& basis = bases[static_cast<size_t>(c)];
    const Index first = explanation.offset[static_cast<size_t>(c)];
    explanation.cavs.middleRows(first, basis.rows()) = basis;
    explanation.importance.segment(first, basis.rows()) = basis * head.weight.row(c).transpose();
  }
  explanation.project = [&bases](Index c, const MatrixRef& h) {
    return subspace_coefficients(h, bases[static_cast<size_t>(c)]);
  };

  const Matrix model = metrics::model_logits(head);
  const Matrix surrogate = metrics::surf_surrogate({head, explanation});
  put_measures(out, model, surrogate);
  out.arrays["surrogate_logits"] = flat(surrogate);
  out.arrays["local_relevance"] = flat(local);
  out.arrays["global_relevance"] = flat(global);
  out.arrays["completeness"] = flat(completeness);
  return out;
}

}  // namespace

void register_faithfulness_subspaces(Kinds& kinds) {
  kinds.add("ssc", ssc_case);
  kinds.add("mcd", mcd_case);
}

}  // namespace conoscope::tests::golden
