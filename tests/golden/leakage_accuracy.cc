// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `leakage` about accuracy, AUC and embeddings.

#include <cmath>
#include <stdexcept>

#include "metrics/auc.h"
#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/embedding_information.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Matrix softmax(Matrix logits) {
  for (Index i = 0; i < logits.rows(); ++i) {
    logits.row(i) = (logits.row(i).array() - logits.row(i).maxCoeff()).exp();
    logits.row(i) /= logits.row(i).sum();
  }
  return logits;
}

Outputs auc_case(const Case& one) {
  Outputs out;
  try {
    out.scalars = {{"auc", auc(one.input("y").indices(), one.input("score").vector())}};
  } catch (const std::domain_error&) {
    out.scalars = {{"auc", "error"}};
  }
  return out;
}

Outputs multiclass_case(const Case& one) {
  Outputs out;
  out.scalars = {
      {"auc", auc_one_vs_rest(one.input("y").indices(), softmax(one.input("logits").matrix()))}};
  return out;
}

Outputs accuracies_case(const Case& one) {
  const bool column = one.has_input("y_prob");
  const ConceptAccuracy found =
      concept_accuracy(one.input("c_prob").matrix(), one.input("c").matrix(), column);
  const IndexVector labels = one.input("y").indices();
  Matrix outputs;
  if (column)
    outputs = one.input("y_prob").vector();
  else
    outputs = one.input("y_logits").matrix();
  const IndexVector predictions = predicted_classes(outputs);
  Outputs out;
  if (column) out.not_compared["y_f1"] = "that of class 1; task_f1 is the mean over the classes";
  out.scalars = {{"c_accuracy", mean(found.accuracy)},
                 {"c_f1", mean(found.f1)},
                 {"c_auc_reference", mean(found.auc_thresholded)},
                 {"c_auc_of_probabilities", mean(found.auc)},
                 {"y_accuracy", accuracy(labels, predictions)},
                 {"y_f1", f1_macro(labels, predictions)},
                 {"y_auc", column ? auc(labels, Vector(outputs.col(0)))
                                  : auc_one_vs_one(labels, softmax(outputs))}};
  return out;
}

Outputs embeddings_case(const Case& one) {
  const Npy mixed = one.input("c_mix");
  const Index n = mixed.shape.at(0), width = mixed.shape.at(2), all = mixed.shape.at(1) * width;
  const Matrix truth = one.input("c").matrix();
  const IndexVector labels = one.input("y").indices();
  const KsgOptions options{.neighbours = one.params().at("n_neighbors")};
  const EmbeddingInformation found =
      embedding_information(mixed.matrix(n, all), width, truth, labels, options);
  const Alignment aligned =
      mi_align(one.input("c_pos").matrix(n, all), one.input("c_neg").matrix(n, all), width, truth,
               labels, options);
  Outputs out;
  out.scalars = {{"I_self", found.mi_self},
                 {"I_CT", found.mi_ct},
                 {"I_IC_all_ordered_pairs", found.mi_ic_all},
                 {"I_IC_paper_j_lt_i", found.mi_ic},
                 {"I_align", aligned.mi_align}};
  out.arrays = {
      {"I_cvec_ctrue", {found.concepts.data(), found.concepts.data() + found.concepts.size()}},
      {"I_CT_i", found.task},
      {"align_pos_aligned_i", aligned.positive_aligned},
      {"align_pos_unaligned_i", aligned.positive_unaligned},
      {"align_neg_aligned_i", aligned.negative_aligned},
      {"align_neg_unaligned_i", aligned.negative_unaligned},
      {"I_align_i", aligned.concepts}};
  return out;
}

}  // namespace

void register_leakage_accuracy(Kinds& kinds) {
  kinds.add("auc", auc_case);
  kinds.add("auc_multiclass", multiclass_case);
  kinds.add("accuracies", accuracies_case);
  kinds.add("cem_normalised_mi", embeddings_case);
}

}  // namespace conoscope::tests::golden
