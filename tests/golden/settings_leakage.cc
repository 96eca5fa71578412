// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `settings` about the models and tables of the leakage paper.

#include <limits>
#include <stdexcept>
#include <string>

#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/ctl_weighted.h"
#include "metrics/leakage/intervention.h"
#include "metrics/leakage/s_int.h"
#include "numerics/statistics/rubin_pooling.h"
#include "tests/golden/kinds.h"

#ifdef CONOSCOPE_HAS_TORCH
#include "plugins/models/common/torch/networks.h"
#endif

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

#ifdef CONOSCOPE_HAS_TORCH

using namespace conoscope::models;

Tensor tensor(const Matrix& values) {
  return torch::from_blob(const_cast<double*>(values.data()), {values.rows(), values.cols()},
                          torch::kFloat64)
      .clone();
}

Matrix matrix(const Tensor& values) {
  const Tensor rows = values.contiguous();
  return Eigen::Map<const Matrix>(rows.data_ptr<double>(), rows.size(0), rows.size(1));
}

/// A case's weights under the names of an encoder's.
class EncoderArrays {
 public:
  explicit EncoderArrays(const Answer& answer) {
    for (std::size_t layer = 0; answer.has_input("W" + std::to_string(layer)); ++layer) {
      const std::string number = std::to_string(layer), name = "state.encoder.connected." + number;
      const Matrix weight = answer.input("W" + number).matrix();
      widths.push_back(weight.rows());
      add(name + ".weight", weight, {weight.rows(), weight.cols()});
      add(name + ".bias", answer.input("b" + number).matrix(), {weight.rows()});
      if (!answer.has_input("gain" + number)) continue;
      add(name + ".norm.gain", answer.input("gain" + number).matrix(), {weight.rows()});
      add(name + ".norm.shift", answer.input("shift" + number).matrix(), {weight.rows()});
    }
  }

  /// Inputs to the outputs of each layer.
  std::vector<std::int64_t> widths;

  template <typename Use>
  auto use(const Use& use) const {
    std::vector<cono_array> arrays;
    for (const Entry& entry : entries_)
      arrays.push_back(
          {sizeof(cono_array), 0, entry.name.c_str(),
           sdk::make_tensor(const_cast<double*>(entry.values.data()), CONO_F64, entry.shape)});
    cono_arrays raw{};
    raw.struct_size = sizeof raw;
    raw.array_count = static_cast<std::uint32_t>(arrays.size());
    raw.arrays = arrays.data();
    return use(sdk::Arrays(&raw));
  }

 private:
  struct Entry {
    std::string name;
    Matrix values;
    std::vector<std::int64_t> shape;
  };
  void add(const std::string& name, const Matrix& values, std::vector<std::int64_t> shape) {
    entries_.push_back({name, values, std::move(shape)});
  }
  std::vector<Entry> entries_;
};

void encoder_case(Answer& answer) {
  if (answer.params().at("slope") != 0.01 || answer.params().at("layer_norm_eps") != 1e-5)
    throw std::runtime_error("another slope or epsilon");
  const torch::NoGradGuard no_grad;
  const double dropout = answer.params().at("dropout");
  const Tensor x = tensor(answer.input("x").matrix()),
               truth = tensor(answer.input("concepts").matrix());
  const EncoderArrays arrays(answer);
  EncoderLayers layers;
  layers.hidden = {arrays.widths.begin(), arrays.widths.end() - 1};
  layers.layer_norm = true;
  layers.standardise = false;
  std::vector<std::int64_t> widths = arrays.widths;
  widths.insert(widths.begin(), x.size(1));
  const auto [raw, hidden] = arrays.use([&](const sdk::Arrays& model) {
    Weights weights(model), again(model);
    const Encoder encoder(weights, "encoder", x, layers, arrays.widths.back());
    const Mlp connected(again, "encoder.connected", widths, /*layer_norm=*/true);
    return std::pair(encoder(x, false), connected.hidden(x));
  });
  const Tensor logits = OutputLayers{true, dropout}(raw, nullptr);
  answer.values("last_hidden", matrix(hidden));
  answer.values("before_output_activation", matrix(raw));
  answer.values("logits", matrix(logits));
  answer.values("probabilities", matrix(torch::sigmoid(logits)));
  answer.values("logits_in_training",
                matrix(drop(logits, tensor(answer.input("keep").matrix()), dropout)));
  answer.number("concept_loss",
                torch::binary_cross_entropy_with_logits(logits, truth).item<double>());
}

#else

void encoder_case(Answer&) { throw Skip("this build has no libtorch"); }

#endif

Outputs told_logits_case(const Case& one) {
  if (one.params().at("low") != 5 || one.params().at("high") != 95)
    throw std::runtime_error("other percentiles");
  const Matrix weight = one.input("W").matrix();
  const Vector bias = one.input("b").vector();
  const InterventionValues values = intervention_values(one.input("train_logits").matrix());
  InterventionProblem problem;
  problem.scores = one.input("test_logits").matrix();
  problem.truth = one.input("concepts").matrix();
  problem.labels = one.input("labels").indices();
  problem.active = values.active;
  problem.inactive = values.inactive;
  problem.head = [weight, bias](const MatrixRef& scores, const MatrixRef&) {
    Matrix out = scores * weight.transpose();
    out.rowwise() += bias.transpose();
    return out;
  };
  const InterventionOrder order = random_order(problem.samples(), problem.concepts(), 1);
  const InterventionCurve curve = intervention_curve(problem, order);
  Outputs out;
  out.arrays = {{"inactive", flat(values.inactive)},
                {"active", flat(values.active)},
                {"wrong_share_by_present",
                 wrong_share_by_present(problem.truth, problem.labels, curve.predictions.back())}};
  ToldConcepts told(problem);
  for (Index i = 0; i < problem.samples(); ++i)
    for (Index j = 0; j < problem.concepts(); ++j) told.tell(problem, i, j, problem.truth(i, j));
  out.arrays["told"] = flat(told.scores);
  const double fallback = one.params().at("fallback");
  problem.active.setConstant(fallback);
  problem.inactive.setConstant(-fallback);
  out.scalars = {{"accuracy_untold", curve.accuracy.front()},
                 {"accuracy_told", curve.accuracy.back()},
                 {"accuracy_told_fallback", intervention_curve(problem, order).accuracy.back()}};
  return out;
}

Outputs weighted_ctl_case(const Case& one) {
  const Vector concepts = one.input("ctl").vector(), weights = one.input("weights").vector();
  Outputs out;
  out.arrays["uniform"] = {ctl_weighted(concepts, Vector::Ones(concepts.size()))};
  try {
    out.arrays["value"] = {ctl_weighted(concepts, weights)};
  } catch (const std::domain_error&) {
    out.arrays["value"] = {std::numeric_limits<double>::quiet_NaN()};
  }
  return out;
}

Outputs rubin_from_moments_case(const Case& one) {
  const auto draws = [&](const std::string& of) {
    Matrix out = one.input(of + "_normal").matrix() * one.input(of + "_se").vector().asDiagonal();
    out.rowwise() += one.input(of + "_mean").vector().transpose();
    return out;
  };
  const Matrix x = draws("x"), y = draws("y");
  if (x.rows() != one.params().at("M")) throw std::runtime_error("another number of draws");
  Outputs out;
  const auto report = [&](const std::string& how, const numerics::PooledCorrelation& found) {
    out.arrays["r_" + how] = {found.r_mean};
    out.arrays["t_" + how] = {found.z.t};
    out.arrays["dof_" + how] = {found.z.dof_large};
    out.arrays["p_" + how] = {found.z.p_large};
  };
  report("clipped", numerics::pooled_correlation(x.cwiseMax(0.0), y.cwiseMax(0.0)));
  report("unclipped", numerics::pooled_correlation(x, y));
  return out;
}

}  // namespace

void register_settings_leakage(Kinds& kinds) {
  kinds.add("encoder_mlp_x2c", encoder_case);
  kinds.add("intervention_logit_percentiles", told_logits_case);
  kinds.add("weighted_ctl", weighted_ctl_case);
  kinds.add("rubin_pearson_from_moments", rubin_from_moments_case);
}

}  // namespace conoscope::tests::golden
