// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `settings` that are parts of concept models.

#include <Eigen/LU>
#include <cmath>

#include "numerics/statistics/distributions.h"
#include "plugins/models/posthoc_cbm/posthoc.h"
#include "plugins/models/posthoc_cbm/sparse_head.h"
#include "plugins/models/scbm/told_logits.h"
#include "tests/golden/kinds.h"
#ifdef CONOSCOPE_HAS_TORCH
#include "plugins/models/scbm/losses.h"
#endif

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
  out.scalars["hybrid_loss"] =
      models::residual_loss(h, logits, targets, false, one.params().at("penalty"), residual);
  return out;
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

double penalty_of(const Matrix& factor) {
  const Matrix precision = (factor * factor.transpose()).inverse();
  const auto k = static_cast<double>(factor.rows());
  return (precision.cwiseAbs().sum() - precision.diagonal().cwiseAbs().sum()) / (k * (k - 1.0));
}

Outputs covariance_case(const Case& one) {
  const Matrix raw = one.input("raw").matrix();
  const auto k = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(raw.cols()) + 1) - 1) / 2);
  Outputs out;
  double penalty = 0.0;
  for (const auto row : raw.rowwise()) {
    const Matrix factor = models::covariance_factor(row.transpose(), k);
    append(out.arrays["L"], flat(factor));
    append(out.arrays["covariance"], flat(Matrix(factor * factor.transpose())));
    penalty += penalty_of(factor) / static_cast<double>(raw.rows());
  }
  out.scalars["precision_penalty"] = penalty;
  return out;
}

Outputs global_init_case(const Case& one) {
  const auto found = models::empirical_covariance(one.input("concepts").matrix());
  Outputs out;
  out.arrays = {{"covariance", flat(found.covariance)}, {"raw", flat(found.raw)}};
  return out;
}

/// One sample of a case with told concepts, which differ from sample to sample.
struct ToldRow {
  Vector mean, truth;
  Matrix covariance;
  std::vector<Index> told;
};

ToldRow told_row(const Case& one, Index i) {
  const Matrix mean = one.input("mean").matrix(), concepts = one.input("concepts").matrix(),
               told = one.input("told").matrix();
  ToldRow row;
  row.mean = mean.row(i).transpose();
  const std::vector<double> all = one.input("covariance").values;
  const Index k = mean.cols();
  row.covariance = Eigen::Map<const Matrix>(all.data() + i * k * k, k, k);
  for (Index j = 0; j < k; ++j)
    if (told(i, j) != 0.0) row.told.push_back(j);
  row.truth = concepts.row(i).transpose()(row.told);
  return row;
}

Outputs told_case(const Case& one) {
  const auto low = one.params().at("low").get<double>(),
             high = one.params().at("high").get<double>();
  Outputs out;
  for (Index i = 0; i < one.input("mean").matrix().rows(); ++i) {
    const ToldRow row = told_row(one, i);
    Vector logits(row.truth.size());
    for (Index t = 0; t < logits.size(); ++t) {
      const double p = row.truth(t) > 0.5 ? high : low;
      logits(t) = std::log(p / (1.0 - p));
    }
    const auto rest = models::condition(row.mean, row.covariance, row.told, logits);
    append(out.arrays["conditional_mean"], flat(rest.mean));
    append(out.arrays["conditional_covariance"], flat(rest.covariance));
  }
  return out;
}

Outputs region_case(const Case& one) {
  const auto level = one.params().at("level").get<double>();
  Outputs out;
  for (Index i = 0; i < one.input("mean").matrix().rows(); ++i) {
    const ToldRow row = told_row(one, i);
    const auto point = models::region_point(row.mean(row.told), row.covariance(row.told, row.told),
                                            row.truth, level);
    append(out.arrays["start"], flat(point.start));
    append(out.arrays["optimum"], flat(point.optimum));
    out.arrays["objective"].push_back(point.objective);
    out.scalars["chi2"] =
        numerics::chi_squared_quantile(level, static_cast<double>(row.told.size()));
  }
  return out;
}

Outputs temperature_case(const Case& one) {
  const Json& p = one.params();
  Outputs out;
  for (const double epoch : one.input("epochs").values)
    out.arrays["tau"].push_back(
        models::gumbel_temperature(epoch, p.at("E"), p.at("start"), p.at("end")));
  return out;
}

#ifdef CONOSCOPE_HAS_TORCH
torch::Tensor tensor_of(const Npy& array) {
  std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  return torch::tensor(array.values, torch::kFloat64).reshape(shape);
}

Outputs scbm_loss_case(const Case& one) {
  const torch::Tensor p = tensor_of(one.input("probabilities")),
                      truth = tensor_of(one.input("concepts")), hard = tensor_of(one.input("hard"));
  const double concept_loss = models::sampled_concept_loss(p, truth).item<double>();
  const torch::Tensor logits = torch::matmul(hard.transpose(1, 2), tensor_of(one.input("W")).t()) +
                               tensor_of(one.input("b"));
  const torch::Tensor answers = models::log_mean_softmax(logits);
  const double task = torch::nll_loss(torch::log_softmax(answers, 1),
                                      tensor_of(one.input("labels")).to(torch::kInt64))
                          .item<double>();
  const double penalty =
      models::precision_penalty(models::covariance_factors(tensor_of(one.input("raw")), p.size(1)))
          .item<double>();
  Outputs out;
  out.scalars = {
      {"concept_loss", concept_loss},
      {"concept_loss_likelihood", concept_loss + std::log(static_cast<double>(p.size(2)))},
      {"task_loss", task},
      {"precision_penalty", penalty},
      {"total", task + one.params().at("alpha").get<double>() * concept_loss +
                    one.params().at("penalty").get<double>() * penalty}};
  const torch::Tensor shares = torch::softmax(logits, 2).mean(1).contiguous();
  out.arrays["label_probabilities"].assign(shares.data_ptr<double>(),
                                           shares.data_ptr<double>() + shares.numel());
  return out;
}
#endif

}  // namespace

void register_settings_models(Kinds& kinds) {
  kinds.add("posthoc_cbm", posthoc_case);
  kinds.add("scbm_covariance", covariance_case);
  kinds.add("scbm_global_init", global_init_case);
  kinds.add("scbm_conditional", told_case);
  kinds.add("scbm_confidence_region", region_case);
  kinds.add("gumbel_temperature", temperature_case);
#ifdef CONOSCOPE_HAS_TORCH
  kinds.add("scbm_loss", scbm_loss_case);
#endif
}

}  // namespace conoscope::tests::golden
