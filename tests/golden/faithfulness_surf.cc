// SPDX-License-Identifier: Apache-2.0
// The SURF kinds of the family `faithfulness`: each reads a case's arrays into views and calls the
// functions that a user would call.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf.h"
#include "metrics/faithfulness/surf/surf_attr_acc.h"
#include "metrics/faithfulness/surf/surf_complexity.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_norm_l1.h"
#include "metrics/faithfulness/surf/surf_prob_mae.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surf/surf_top1.h"
#include "tests/golden/kinds.h"
#include "tests/support/explanations.h"
#include "tests/support/score_group.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

constexpr double kUndefinedRow = -9.0;  // spearman_rows, by the header of cases.json

// H is N x D or N x h x w x D; every axis between the first and the last is positions.
HeadView read_head(const Case& one, const std::string& activations, Pooling pooling,
                   Output output) {
  const Npy h = one.input(activations), w = one.input("W");
  HeadView head;
  head.activations = h.matrix();
  head.positions = head.activations.rows() / h.shape.front();
  head.bias = one.input("b").vector();
  head.weight = w.matrix(w.shape.front(), w.size() / w.shape.front());
  head.pooling = pooling;
  head.output = output;
  return head;
}

// cavs C x K x D, alphas C x K.
Explanation read_explanation(const Case& one) {
  const Npy cavs = one.input("cavs"), alphas = one.input("alphas");
  Explanation explanation;
  explanation.cavs = cavs.matrix();
  explanation.importance = alphas.vector();
  for (Index c = 0; c <= alphas.shape[0]; ++c) explanation.offset.push_back(c * alphas.shape[1]);
  return explanation;
}

Outputs compare_logits(const Matrix& model, const Matrix& surrogate) {
  Outputs out;
  put_measures(out, model, surrogate);
  out.arrays["logits"] = flat(model);
  out.arrays["surrogate_logits"] = flat(surrogate);
  return out;
}

// The catalogue's metrics must say what the functions said.
void require_group_agrees(const HeadView& head, const Explanation& explanation,
                          const Outputs& outputs) {
  Views subject{.head = &head, .explanation = &explanation};
  for (const auto& [metric, score] : score_group(subject, "surf")) {
    const std::string name = metric.substr(5);
    const auto found =
        outputs.scalars.find(name == "rank_corr_undefined" ? "rank_undefined" : name);
    if (found == outputs.scalars.end() || !score.reason.empty()) continue;
    if (score.value != found->second.get<double>())
      throw std::runtime_error("the catalogue gives another " + metric + " than its function");
  }
}

Outputs head_against_explanation(const Case& one, Pooling pooling, Output output) {
  const HeadView head = read_head(one, "H", pooling, output);
  const Explanation explanation = read_explanation(one);
  const Matrix model = model_logits(head), surrogate = surf_surrogate({head, explanation});
  Outputs out = compare_logits(model, surrogate);
  if (output == Output::kSigmoid) {
    out.scalars["attr_acc"] = surf_attr_acc(model, surrogate).value;
    out.scalars["mean_abs_prob_diff"] = surf_prob_mae(model, surrogate).value;
  }
  require_group_agrees(head, explanation, out);
  return out;
}

Outputs surf_case(const Case& one) {
  const std::string pool = one.params().at("pool");
  if (pool != "none" && pool != "mean") throw std::runtime_error("unknown pool " + pool);
  return head_against_explanation(one, pool == "mean" ? Pooling::kMean : Pooling::kNone,
                                  Output::kSoftmax);
}

Outputs surf_sum_case(const Case& one) {
  return head_against_explanation(one, Pooling::kFlatten, Output::kSoftmax);
}

Outputs surf_regression_case(const Case& one) {
  return head_against_explanation(one, Pooling::kNone, Output::kRegression);
}

Outputs surf_multi_attribute_case(const Case& one) {
  return head_against_explanation(one, Pooling::kNone, Output::kSigmoid);
}

// The folded head and the scores weighed one by one, where K_c differs by output.
Outputs surf_ragged_case(const Case& one) {
  const HeadView head = read_head(one, "H", Pooling::kNone, Output::kSoftmax);
  Explanation explanation;
  explanation.cavs = one.input("cavs_concat").matrix();
  explanation.importance = one.input("alphas_concat").vector();
  explanation.offset = {0};
  for (const Index count : one.input("counts").indices())
    explanation.offset.push_back(explanation.offset.back() + count);
  const Matrix model = model_logits(head), surrogate = surf_surrogate({head, explanation});
  Explanation called = explanation;  // not known to be linear, so its scores are weighed one by one
  called.project = [&](Index c, const MatrixRef& rows) -> Matrix {
    return rows * explanation.cavs.middleRows(explanation.first_row(c), explanation.concepts(c))
                      .transpose();
  };
  const Matrix unfolded = surf_surrogate({head, called});
  if ((surrogate - unfolded).cwiseAbs().maxCoeff() > 1e-12 * surrogate.cwiseAbs().maxCoeff())
    throw std::runtime_error("the folded surrogate differs from the unfolded one");
  const Outputs out = compare_logits(model, surrogate);
  require_group_agrees(head, explanation, out);
  return out;
}

Outputs surf_given_psi_case(const Case& one) {
  const Npy psi = one.input("psi");  // N x C x K
  const Index outputs = psi.shape[1], concepts = psi.shape[2];
  const Matrix scores = psi.matrix(psi.shape[0], outputs * concepts);
  Explanation explanation;
  explanation.importance = one.input("alphas").vector();
  for (Index c = 0; c <= outputs; ++c) explanation.offset.push_back(c * concepts);
  explanation.project = [&](Index c, const MatrixRef&) -> Matrix {
    return scores.middleCols(c * concepts, concepts);
  };
  HeadView head;
  head.activations = scores;
  head.bias = one.input("b").vector();
  head.weight = Matrix::Zero(outputs, scores.cols());
  explanation.cavs = Matrix::Zero(outputs * concepts, scores.cols());
  const Matrix surrogate = surf_surrogate({head, explanation});
  return compare_logits(one.input("logits").matrix(), surrogate);
}

Outputs emd_pair_case(const Case& one) {
  // Logarithms are logits of these distributions; exp(-1e4) is 0.
  const auto logits = [&](const char* name) -> Matrix {
    const Vector p = one.input(name).vector();
    return (p.array() > 0.0).select(p.array().log(), -1e4).matrix().transpose();
  };
  Outputs out;
  out.scalars["emd"] = surf_emd(logits("p"), logits("q")).value;
  // The optimum that a linear program found: the claim that the two are one number is the test.
  out.scalars["emd_linear_program"] = out.scalars["emd"];
  return out;
}

Outputs complexity_case(const Case& one) {
  const Index outputs = one.params().at("C"), concepts = one.params().at("K");
  const Index width = one.params().at("D"), hidden = one.params().at("hidden");
  const IndexVector counts(static_cast<size_t>(outputs), concepts);
  const Complexity surf_cost = surf_complexity(counts), ice = ice_complexity(counts, width),
                   c_shap = c_shap_complexity(outputs, concepts, width, hidden);
  Outputs out;
  out.scalars = {{"surf_flops", surf_cost.flops}, {"surf_params", surf_cost.params},
                 {"ice_flops", ice.flops},        {"ice_params", ice.params},
                 {"cshap_flops", c_shap.flops},   {"cshap_params", c_shap.params}};
  return out;
}

double accuracy(const IndexVector& predictions, const IndexVector& labels) {
  double right = 0.0;
  for (size_t i = 0; i < labels.size(); ++i) right += predictions[i] == labels[i];
  return right / static_cast<double>(labels.size());
}

Outputs digits_case(const Case& one) {
  const Matrix train = model_logits(read_head(one, "atr", Pooling::kMean, Output::kSoftmax));
  const Matrix test = model_logits(read_head(one, "ate", Pooling::kMean, Output::kSoftmax));
  const IndexVector train_predictions = class_assignment(train).predictions;
  Outputs out;
  out.scalars["train_accuracy"] = accuracy(train_predictions, one.input("ytr").indices());
  out.scalars["test_accuracy"] =
      accuracy(class_assignment(test).predictions, one.input("yte").indices());
  out.arrays["test_logits"] = flat(test);
  out.arrays["train_predictions"] = flat(train_predictions);
  return out;
}

Outputs class_assignment_case(const Case& one) {
  const ClassAssignment assignment =
      class_assignment(model_logits(read_head(one, "ate", Pooling::kMean, Output::kSoftmax)));
  const IndexVector labels = one.input("yte").indices();
  IndexVector members, by_prediction, by_label(assignment.members.size(), 0);
  for (const IndexVector& list : assignment.members) {
    by_prediction.push_back(static_cast<Index>(list.size()));
    members.insert(members.end(), list.begin(), list.end());
  }
  Index disagreements = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    ++by_label.at(static_cast<size_t>(labels[i]));
    disagreements += labels[i] != assignment.predictions[i];
  }
  Outputs out;
  out.scalars["disagreements"] = disagreements;
  out.arrays["members_by_prediction"] = flat(members);
  out.arrays["count_by_prediction"] = flat(by_prediction);
  out.arrays["count_by_label"] = flat(by_label);
  return out;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The spread over seeds as the reference took it: divided by their number, not by one less.
double spread_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// The controlled settings of Table 3: perfect CAVs and importances, of which the case replaces what
// it brings drawn values for.
Outputs sanity_surf_case(const Case& one) {
  const HeadView head = read_head(one, "ate", Pooling::kMean, Output::kSoftmax);
  const Matrix model = model_logits(head);
  const IndexVector labels = one.input("yte").indices();
  const Index seeds = one.params().at("seeds"), outputs = head.outputs(), width = head.width();
  Matrix alphas, cavs;
  if (one.has_input("alphas")) alphas = one.input("alphas").matrix(seeds, outputs);
  if (one.has_input("cavs")) cavs = one.input("cavs").matrix(seeds * outputs, width);

  Outputs out;
  for (Index seed = 0; seed < seeds; ++seed) {
    Explanation explanation = perfect_explanation(head);
    if (alphas.size() > 0) explanation.importance = alphas.row(seed).transpose();
    if (cavs.size() > 0) explanation.cavs = cavs.middleRows(seed * outputs, outputs);
    const Matrix surrogate = surf_surrogate({head, explanation});
    const Outputs scores = compare_logits(model, surrogate);
    for (const char* name : {"top1", "rank_corr", "mae", "emd"})
      out.arrays[std::string(name) + "_per_seed"].push_back(scores.scalars.at(name));
    out.arrays["norm_l1_per_seed"].push_back(surf_norm_l1(model, surrogate, labels).value);
  }
  for (const char* name : {"top1", "rank_corr", "mae", "emd", "norm_l1"}) {
    const std::vector<double>& values = out.arrays.at(std::string(name) + "_per_seed");
    out.scalars[std::string(name) + "_mean"] = mean_of(values);
    out.scalars[std::string(name) + "_std"] = spread_of(values);
  }
  return out;
}

// Reads the sanity_surf cases of the same file, ranks their settings by error, and checks the
// values that the ordering case repeats as text.
Outputs sanity_ordering_case(const Case& one) {
  std::vector<std::tuple<double, double, std::string>> ranked;  // mae, emd, setting
  double abs = 0.0, rel = 0.0;
  for (const Json& json : one.file->at("cases")) {
    if (json.at("kind") != "sanity_surf") continue;
    const Outputs scores = sanity_surf_case({one.folder, one.file, json});
    ranked.emplace_back(scores.scalars.at("mae_mean"), scores.scalars.at("emd_mean"),
                        json.at("params").at("setting"));
    abs = std::max(abs, json.at("tolerance").at("abs").get<double>());
    rel = std::max(rel, json.at("tolerance").at("rel").get<double>());
  }
  std::sort(ranked.begin(), ranked.end());
  std::string order;
  std::vector<double> mae, emd;
  for (const auto& [setting_mae, setting_emd, setting] : ranked) {
    order += (order.empty() ? "['" : ", '") + setting + "'";
    mae.push_back(setting_mae);
    emd.push_back(setting_emd);
  }
  if (!std::is_sorted(emd.begin(), emd.end(), std::less_equal<double>()) ||
      !std::is_sorted(mae.begin(), mae.end(), std::less_equal<double>()))
    throw std::runtime_error("surf_mae and surf_emd do not order the settings strictly and alike");

  Outputs out;
  out.scalars["surf_order"] = order + "]";
  // The case's own tolerance, 0, is that of an order. The values it repeats are compared at the
  // tolerance of the cases they come from; if they hold, the case's text is the answer.
  const auto repeat = [&](const char* name, const std::vector<double>& values) {
    const std::string text = one.expected().at(name);
    const Json expected = Json::parse(text);
    bool same = expected.size() == values.size();
    for (size_t i = 0; same && i < values.size(); ++i)
      same = std::abs(values[i] - expected[i].get<double>()) <=
             abs + rel * std::abs(expected[i].get<double>());
    out.scalars[name] = same ? text : Json(values).dump();
  };
  repeat("surf_mae", mae);
  repeat("surf_emd", emd);
  out.scalars["ice_eval_rand_imp_equals_perfect"] = ice_eval_is_blind_to_importance(one);
  return out;
}

}  // namespace

void put_measures(Outputs& out, const Matrix& model, const Matrix& surrogate) {
  // One output cannot be ranked: the reference then counts every row as undefined.
  const Result rank =
      model.cols() > 1 ? surf_rank_corr(model, surrogate)
                       : Result{0.0, std::vector<double>(static_cast<size_t>(model.rows()), 0.0)};
  std::vector<double>& rows = out.arrays["spearman_rows"];
  double defined = 0.0;
  for (Index i = 0; i < model.rows(); ++i) {
    const bool undefined = surf_rank_corr_undefined(model.row(i), surrogate.row(i)).value > 0.0;
    rows.push_back(undefined ? kUndefinedRow : rank.parts[static_cast<size_t>(i)]);
    defined += undefined ? 0.0 : 1.0;
  }
  const auto n = static_cast<double>(model.rows());
  out.scalars["mae"] = surf_mae(model, surrogate).value;
  out.scalars["emd"] = surf_emd(model, surrogate).value;
  out.scalars["top1"] = surf_top1(model, surrogate).value;
  out.scalars["rank_corr"] = rank.value;
  out.scalars["rank_corr_skip"] = defined > 0.0 ? Json(rank.value * n / defined) : Json();
  out.scalars["rank_undefined"] =
      static_cast<std::size_t>(surf_rank_corr_undefined(model, surrogate).value);
}

void register_faithfulness_surf(Kinds& kinds) {
  kinds.add("surf", surf_case);
  kinds.add("surf_sum", surf_sum_case);
  kinds.add("surf_regression", surf_regression_case);
  kinds.add("surf_multi_attribute", surf_multi_attribute_case);
  kinds.add("surf_ragged", surf_ragged_case);
  kinds.add("surf_given_psi", surf_given_psi_case);
  kinds.add("emd_pair", emd_pair_case);
  kinds.add("complexity", complexity_case);
  kinds.add("digits", digits_case);
  kinds.add("class_assignment", class_assignment_case);
  kinds.add("sanity_surf", sanity_surf_case);
  kinds.add("sanity_ordering", sanity_ordering_case);
}

}  // namespace conoscope::tests::golden
