// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/niche_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "metrics/purity/numpy_random.h"
#include "numerics/adam.h"
#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::metrics {

namespace {

constexpr double kPenalty = 1e-4, kRate = 1e-3, kImprovement = 1e-4;
constexpr int kPatience = 10;

using MapF = Eigen::Map<MatrixF>;
// Samples next to each other: the products below are long and thin.
using Tall = Eigen::MatrixXf;
using RowF = Eigen::RowVectorXf;

/// All weights and biases in one array, which is what Adam works on.
class Parameters {
 public:
  Parameters(Index features, Index hidden, Index outputs)
      : units_{features, hidden, hidden, outputs} {
    for (int layer = 0; layer < 3; ++layer) {
      weight_[layer] = size_;
      size_ += units_[layer] * units_[layer + 1];
      bias_[layer] = size_;
      size_ += units_[layer + 1];
    }
  }

  Index size() const { return size_; }
  MapF weight(Eigen::ArrayXf& values, int layer) const {
    return {values.data() + weight_[layer], units_[layer], units_[layer + 1]};
  }
  Eigen::Map<RowF> bias(Eigen::ArrayXf& values, int layer) const {
    return {values.data() + bias_[layer], units_[layer + 1]};
  }
  Index units(int layer) const { return units_[layer]; }

 private:
  Index units_[4];
  Index weight_[3], bias_[3], size_ = 0;
};

void require_training(const MatrixRef& x, const MatrixRef& y, const NicheTraining& options) {
  constexpr const char* kName = "train_niche_network";
  if (x.rows() < 1 || x.cols() < 1 || y.cols() < 1 || x.rows() != y.rows())
    numerics::refuse(kName, "x is " + numerics::shape_of(x) + " and y " + numerics::shape_of(y));
  numerics::require_finite(kName, "x", x);
  numerics::require_finite(kName, "y", y);
  if (!((y.array() == 0.0) || (y.array() == 1.0)).all())
    numerics::refuse(kName, "y has an entry that is neither 0 nor 1");
  for (const auto& [name, value] :
       {std::pair("hidden", options.hidden), std::pair("most_epochs", options.most_epochs),
        std::pair("batch", options.batch)})
    if (value < 1)
      numerics::refuse(kName, std::string(name) + " is " + std::to_string(value) + ", less than 1");
}

/// out = passed where input > 0, else 0. On its own, with pointers that do not overlap, so that it
/// becomes vector code.
void where_positive(const float* __restrict input, const float* __restrict passed, Index count,
                    float* __restrict out) {
  for (Index i = 0; i < count; ++i) {
    const float value = passed[i];
    out[i] = input[i] > 0.0f ? value : 0.0f;
  }
}

/// Loss of one batch, and its derivative. Work space is kept between the calls.
class Step {
 public:
  Step(const Parameters& shape, Eigen::ArrayXf& values, Eigen::ArrayXf& gradient)
      : shape_(shape), values_(values), gradient_(gradient) {}

  double operator()(const Tall& x, const Tall& y) {
    const auto n = static_cast<float>(x.rows());
    const Tall* below = &x;
    for (int layer = 0; layer < 3; ++layer) {
      Tall& out = layer_[layer];
      out.noalias() = *below * shape_.weight(values_, layer);
      const auto bias = shape_.bias(values_, layer);
      for (Index u = 0; u < out.cols(); ++u)
        if (layer < 2)
          out.col(u) = (out.col(u).array() + bias(u)).max(0.0f);
        else
          out.col(u).array() += bias(u);
      below = &out;
    }
    // -[y log p + (1-y) log(1-p)] = log(1 + exp(-|z|)) + max(z, 0) - y z. Each step into an array
    // of floats of its own: a sum in double would drag exp and log out of the vector unit.
    const auto z = layer_[2].array();
    decay_ = (-z.abs()).exp();
    losses_ = (1.0f + decay_).log() + z.max(0.0f) - y.array() * z;
    const double loss = losses_.cast<double>().sum();
    error_ = ((1.0f / (1.0f + (-z).exp()) - y.array()) * (1.0f / n)).matrix();
    double squares = 0.0;
    for (int layer = 2; layer >= 0; --layer) {
      const Tall& input = layer == 0 ? x : layer_[layer - 1];
      const auto weight = shape_.weight(values_, layer);
      squares += static_cast<double>(weight.squaredNorm());
      auto to_weight = shape_.weight(gradient_, layer);
      to_weight.noalias() = input.transpose() * error_;
      to_weight += static_cast<float>(kPenalty) / n * weight;
      shape_.bias(gradient_, layer) = error_.colwise().sum();
      if (layer == 0) break;
      passed_.noalias() = error_ * weight.transpose();
      error_.resizeLike(passed_);
      // A ReLU's output is 0 where it lets nothing through.
      where_positive(input.data(), passed_.data(), error_.size(), error_.data());
    }
    return loss / static_cast<double>(n) + 0.5 * kPenalty * squares / static_cast<double>(n);
  }

 private:
  const Parameters& shape_;
  Eigen::ArrayXf &values_, &gradient_;
  Tall layer_[3], error_, passed_;
  Eigen::ArrayXXf decay_, losses_;
};

}  // namespace

Matrix NicheNetwork::probabilities(const MatrixRef& x) const {
  return numerics::by_whole_blocks(x, [this](const Matrix& rows) {
    Matrix layer = rows;
    for (int i = 0; i < 3; ++i) {
      Matrix out = layer * weight[i];
      out.rowwise() += bias[i].transpose();
      layer = i < 2 ? Matrix(out.cwiseMax(0.0)) : Matrix(1.0 / (1.0 + (-out.array()).exp()));
    }
    return layer;
  });
}

NicheNetwork train_niche_network(const MatrixRef& x, const MatrixRef& y,
                                 const NicheTraining& options) {
  require_training(x, y, options);
  const Tall inputs = x.cast<float>(), truth = y.cast<float>();
  const Parameters shape(x.cols(), options.hidden, y.cols());
  Eigen::ArrayXf values(shape.size()), gradient(shape.size());
  detail::NumpyRandom random(options.random_state);
  for (int layer = 0; layer < 3; ++layer) {
    const double limit =
        std::sqrt(6.0 / static_cast<double>(shape.units(layer) + shape.units(layer + 1)));
    auto weight = shape.weight(values, layer);
    for (Index i = 0; i < weight.size(); ++i)
      weight.data()[i] = static_cast<float>(random.uniform(-limit, limit));
    auto bias = shape.bias(values, layer);
    for (float& b : bias) b = static_cast<float>(random.uniform(-limit, limit));
  }
  numerics::Adam<float> adam(shape.size(), {.epsilon_first = true});
  Step step(shape, values, gradient);

  IndexVector order(static_cast<std::size_t>(x.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  IndexVector shuffled(order.size()), places(order.size());
  const Index batch = std::min(options.batch, x.rows());
  Tall batch_x, batch_y;
  double best = std::numeric_limits<double>::infinity();
  int stale = 0;
  for (Index epoch = 0; epoch < options.most_epochs && stale <= kPatience; ++epoch) {
    // Places are shuffled, and the last order is read through them.
    std::iota(places.begin(), places.end(), Index{0});
    random.shuffle(places);
    for (std::size_t i = 0; i < order.size(); ++i)
      shuffled[i] = order[static_cast<std::size_t>(places[i])];
    order.swap(shuffled);
    double loss = 0.0;
    for (Index first = 0; first < x.rows(); first += batch) {
      const Index count = std::min(batch, x.rows() - first);
      const IndexVector rows(order.begin() + first, order.begin() + first + count);
      batch_x = inputs(rows, Eigen::all);
      batch_y = truth(rows, Eigen::all);
      loss += step(batch_x, batch_y) * static_cast<double>(count);
      adam.step(values.data(), gradient.data(), kRate);
    }
    loss /= static_cast<double>(x.rows());
    stale = loss > best - kImprovement ? stale + 1 : 0;
    best = std::min(best, loss);
  }

  NicheNetwork network;
  for (int layer = 0; layer < 3; ++layer) {
    network.weight[layer] = shape.weight(values, layer).cast<double>();
    network.bias[layer] = shape.bias(values, layer).transpose().cast<double>();
  }
  return network;
}

}  // namespace conoscope::metrics
