// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `leakage` about purity: OIS, NIS, alignment, and the hand-made
// representations of Table 1.

#include <algorithm>

#include "metrics/alignment/concept_alignment.h"
#include "metrics/auc.h"
#include "metrics/purity/nicher.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "tests/golden/kinds.h"
#include "tests/support/table1_representations.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

/// AUC of every representation, as it is, for every concept.
Matrix identity_purity(const MatrixRef& scores, const MatrixRef& concepts) {
  Matrix out(scores.cols(), concepts.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) {
      const Vector column = scores.col(i);
      IndexVector present;
      for (Index row = 0; row < concepts.rows(); ++row)
        present.push_back(concepts(row, j) == 1.0 ? 1 : 0);
      out(i, j) = metrics::auc(present, column);
    }
  return out;
}

Outputs ois_fixed_predictor_case(const Case& one) {
  const IndexVector test = one.input("test_index").indices();
  const Matrix scores = one.input("c_soft").matrix()(test, Eigen::all);
  const Matrix truth = one.input("c_true").matrix()(test, Eigen::all);
  const Matrix purity = identity_purity(scores, truth);
  const Matrix computed_oracle = identity_purity(truth, truth);
  Matrix oracle = computed_oracle;
  oracle.diagonal().setOnes();
  const IndexVector alignment = greedy_alignment(purity);
  const double aligned = ois(aligned_rows(purity, alignment), oracle);
  Outputs out;
  out.arrays = {{"purity", flat(purity)},
                {"oracle", flat(oracle)},
                {"alignment", flat(alignment)},
                {"ois_aligned_normalised", {aligned}},
                {"ois_aligned_unnormalised", {aligned * static_cast<double>(truth.cols()) / 2.0}}};
  if (purity.rows() == purity.cols()) {
    out.arrays["ois"] = {ois(purity, oracle)};
    out.arrays["ois_off_diagonal"] = {ois(purity, oracle, false)};
    out.arrays["ois_joint"] = {ois(purity, computed_oracle)};
  }
  return out;
}

Outputs ois_from_matrices_case(const Case& one) {
  const Matrix purity = one.input("purity").matrix(), oracle = one.input("oracle").matrix();
  Outputs out;
  out.arrays = {{"ois", {ois(purity, oracle)}}, {"ois_off_diagonal", {ois(purity, oracle, false)}}};
  return out;
}

Outputs alignment_case(const Case& one) {
  const Matrix matrix = one.input("matrix").matrix();
  const IndexVector alignment = greedy_alignment(matrix);
  // No expected value, but one that can be told apart: never below the greedy sum.
  if (aligned_rows(matrix, optimal_alignment(matrix)).diagonal().sum() <
      aligned_rows(matrix, alignment).diagonal().sum() - 1e-9)
    throw std::runtime_error("the optimal alignment is worse than the greedy one");
  Outputs out;
  out.arrays = {{"alignment", flat(alignment)}, {"aligned", flat(aligned_rows(matrix, alignment))}};
  return out;
}

NicheNetwork read_network(const Case& one) {
  NicheNetwork network;
  for (int layer = 0; layer < 3; ++layer) {
    network.weight[layer] = one.input("W" + std::to_string(layer)).matrix();
    network.bias[layer] = one.input("b" + std::to_string(layer)).vector();
  }
  return network;
}

Outputs nis_fixed_classifier_case(const Case& one) {
  if (one.params().at("delta_beta") != 0.05) throw std::runtime_error("another grid");
  const NicheNetwork network = read_network(one);
  const Matrix train_x = one.input("c_soft_train").matrix();
  const Matrix train_y = one.input("c_true_train").matrix();
  const Matrix x = one.input("c_soft_test").matrix(), y = one.input("c_true_test").matrix();
  const Matrix nicher = concept_nicher(train_x, 1, train_y);
  const Matrix signed_nicher = concept_nicher(train_x, 1, train_y, true);
  const auto definition = niche_impurity(network, nicher, x, 1, y);
  const auto softmax = niche_impurity(network, nicher, x, 1, y, NicheVariant::kSoftmax);
  const auto port = niche_impurity(network, signed_nicher, x, 1, y, NicheVariant::kComplement);
  const Index in_code = definition.beta.size() - 1;  // whose grid ends at 0.95
  Outputs out;
  out.arrays = {{"nicher", flat(nicher)},
                {"ni_per_beta", flat(definition.by_beta.head(in_code))},
                {"nis", {definition.score}},
                {"ni_per_beta_original", flat(softmax.by_beta.head(in_code))},
                {"nis_original", {softmax.score}},
                {"ni_per_beta_port3d", flat(port.by_beta.head(in_code))},
                {"nis_port3d", {port.score}}};
  for (const double beta : definition.beta.head(in_code)) {
    const auto niches = flat(concept_niches(nicher, beta));
    out.arrays["niches_abs"].insert(out.arrays["niches_abs"].end(), niches.begin(), niches.end());
  }
  return out;
}

Outputs nis_nicher_case(const Case& one) {
  const Npy soft = one.input("c_soft");
  const Matrix truth = one.input("c_true").matrix();
  Matrix scores;
  Index width = 1;
  if (soft.shape.size() == 2) {
    scores = soft.matrix();
  } else {  // n x width x k' there, k' x width here
    const Index n = soft.shape[0], k = soft.shape[2];
    width = soft.shape[1];
    scores.resize(n, k * width);
    for (Index i = 0; i < n; ++i)
      for (Index d = 0; d < width; ++d)
        for (Index j = 0; j < k; ++j)
          scores(i, j * width + d) = soft.values[static_cast<std::size_t>((i * width + d) * k + j)];
  }
  const Matrix nicher = concept_nicher(scores, width, truth);
  Outputs out;
  out.arrays = {{"nicher_paper_abs_max", flat(nicher)},
                {"nicher_code_signed_max", flat(concept_nicher(scores, width, truth, true))}};
  if (one.params().contains("beta"))
    out.arrays["niches"] = flat(concept_niches(nicher, one.params().at("beta")));
  return out;
}

double mean_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).mean();
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

Outputs stochastic_case(const Case& one) {
  const Matrix scores = one.input("c_soft").matrix(), truth = one.input("c_true").matrix();
  std::vector<double> all, off, joint, definition, softmax, complement;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PurityOptions options;
    options.batch = 512;  // the code's
    options.seed = seed;
    const Matrix purity = purity_matrix(scores, 1, truth, options);
    const Matrix oracle = oracle_matrix(truth, options);
    all.push_back(ois(purity, oracle));
    off.push_back(ois(purity, oracle, false));
    options.joint = true;
    options.epochs = 50;
    options.batch = 2048;
    joint.push_back(ois(purity_matrix(scores, 1, truth, options), oracle_matrix(truth, options)));
    const NicheScores scored = nis(scores, 1, truth, seed);
    definition.push_back(scored.masked.score);
    softmax.push_back(scored.softmax.score);
    complement.push_back(scored.complement.score);
  }
  Outputs out;
  out.arrays = {{"ois_offdiag", {mean_of(off)}},      {"ois_median", {median_of(all)}},
                {"ois_joint", {mean_of(joint)}},      {"nis", {mean_of(definition)}},
                {"nis_original", {mean_of(softmax)}}, {"nis_port3d", {mean_of(complement)}}};
  return out;
}

Outputs table1_representation_case(const Case& one) {
  const Json on = one.params().at("on"), off = one.params().at("off");
  if (on != Json{0.95, 1.0} || off != Json{0.0, 0.05} || one.params().at("partitions") != 16)
    throw std::runtime_error("other intervals");
  const Matrix c = one.input("c").matrix(), u = one.input("u").matrix();
  Outputs out;
  for (const bool pure : {true, false}) {
    const std::string name = pure ? "pure" : "impure";
    const auto intervals = testing::table1_intervals(c, pure);
    out.arrays[name + "_low"] = flat(intervals.low);
    out.arrays[name + "_high"] = flat(intervals.high);
    out.arrays[name] =
        flat(intervals.low.array() + (intervals.high - intervals.low).array() * u.array());
  }
  return out;
}

}  // namespace

void register_purity(Kinds& kinds) {
  kinds.add("ois_fixed_predictor", ois_fixed_predictor_case);
  kinds.add("ois_from_matrices", ois_from_matrices_case);
  kinds.add("alignment", alignment_case);
  kinds.add("nis_fixed_classifier", nis_fixed_classifier_case);
  kinds.add("nis_nicher", nis_nicher_case);
  kinds.add("ois_nis_stochastic", stochastic_case);
  kinds.add("table1_representation", table1_representation_case);
}

}  // namespace conoscope::tests::golden
