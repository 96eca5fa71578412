// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/c_shap_network.h"

#include <cmath>
#include <utility>

#include "numerics/random.h"
#include "numerics/whole_blocks.h"

namespace conoscope::metrics {

namespace {

// The loss, and its gradient with respect to the surrogate's logits in place of these. The losses
// are summed in double whatever the network computes in.
template <typename Array2>
double loss_and_gradient(const MatrixRef& model, Array2& logits, CShapLoss loss) {
  using Scalar = typename Array2::Scalar;
  const Index n = logits.rows(), outputs = logits.cols();
  double total = 0.0;
  Eigen::ArrayXd p(outputs), q(outputs);
  for (Index i = 0; i < n; ++i) {
    q = logits.row(i).transpose().array().template cast<double>();
    p = model.row(i).transpose().array();
    if (loss == CShapLoss::kL1) {
      q -= p;
      total += q.abs().sum();
      logits.row(i) = (q.sign() / static_cast<double>(n * outputs))
                          .template cast<Scalar>()
                          .matrix()
                          .transpose();
      continue;
    }
    p = (p - p.maxCoeff()).exp();
    p /= p.sum();
    q -= q.maxCoeff();
    q -= std::log(q.exp().sum());
    total -= (p * q).sum();
    logits.row(i) =
        ((q.exp() - p) / static_cast<double>(n)).template cast<Scalar>().matrix().transpose();
  }
  return total / static_cast<double>(loss == CShapLoss::kL1 ? n * outputs : n);
}

}  // namespace

template <typename Scalar>
auto CShapNetwork<Scalar>::initial_weights(Index concepts, Index hidden, Index width,
                                           std::uint64_t seed, CShapInitialisation initialisation)
    -> Weights {
  numerics::Random random(seed);
  const auto draw = [&](auto& entries, Index inputs) {
    const double bound = initialisation == CShapInitialisation::kUniform
                             ? 0.5
                             : 1.0 / std::sqrt(static_cast<double>(inputs));
    for (Index i = 0; i < entries.size(); ++i)
      entries.data()[i] = static_cast<Scalar>(random.uniform(-bound, bound));
  };
  Weights out{Array2(hidden, concepts), Array1(hidden), Array2(width, hidden), Array1(width)};
  draw(out.w1, concepts);
  draw(out.b1, concepts);
  draw(out.w2, hidden);
  draw(out.b2, hidden);
  return out;
}

template <typename Scalar>
CShapNetwork<Scalar>::CShapNetwork(Weights weights, const MatrixRef& head_weight,
                                   const VectorRef& head_bias, bool biases)
    : weights_(std::move(weights)),
      biases_(biases),
      head_(head_weight.cast<Scalar>()),
      head_bias_(head_bias.cast<Scalar>()),
      gradient_(weights_),
      folded_gradient_(head_.rows(), weights_.w1.rows()),
      adam_w1_(weights_.w1.size()),
      adam_b1_(weights_.b1.size()),
      adam_w2_(weights_.w2.size()),
      adam_b2_(weights_.b2.size()) {
  if (biases_) return;
  weights_.b1.setZero();
  weights_.b2.setZero();
}

template <typename Scalar>
void CShapNetwork<Scalar>::hide(const Array2& scores) {
  hidden_.resize(scores.rows(), weights_.w1.rows());
  hidden_.noalias() = scores * weights_.w1.transpose();
  hidden_.rowwise() += weights_.b1.transpose();
  hidden_ = hidden_.cwiseMax(Scalar(0));
}

template <typename Scalar>
void CShapNetwork<Scalar>::forward(const Scores& scores, Array2& logits) {
  folded_.noalias() = head_ * weights_.w2;
  constant_ = head_ * weights_.b2 + head_bias_;
  logits.resize(scores.front().rows(), head_.rows());
  if (scores.size() == 1) {
    hide(scores.front());
    logits.noalias() = hidden_ * folded_.transpose();
  } else {
    for (size_t c = 0; c < scores.size(); ++c) {
      const auto col = static_cast<Index>(c);
      hide(scores[c]);
      logits.col(col).noalias() = hidden_ * folded_.row(col).transpose();
    }
  }
  logits.rowwise() += constant_.transpose();
}

template <typename Scalar>
Matrix CShapNetwork<Scalar>::logits(const Scores& scores) {
  const Index samples = scores.front().rows(), filled = numerics::rows_of_whole_blocks(samples);
  Scores padded = scores;  // or equal rows would get other bits at the end than before it
  for (Array2& of : padded) of.conservativeResizeLike(Array2::Zero(filled, of.cols()));
  Array2 out;
  forward(padded, out);
  return out.topRows(samples).template cast<double>();
}

template <typename Scalar>
double CShapNetwork<Scalar>::dead_units(const Scores& scores) {
  Array1 strongest = Array1::Zero(weights_.w1.rows());
  for (const Array2& of_class : scores) {
    hide(of_class);
    strongest = strongest.cwiseMax(hidden_.colwise().maxCoeff().transpose());
  }
  return static_cast<double>((strongest.array() == Scalar(0)).count()) /
         static_cast<double>(strongest.size());
}

template <typename Scalar>
double CShapNetwork<Scalar>::train(const Scores& scores, const MatrixRef& model_logits,
                                   CShapLoss loss, double learning_rate) {
  Array2 delta;
  forward(scores, delta);
  const double value = loss_and_gradient(model_logits, delta, loss);

  gradient_.w1.setZero();
  gradient_.b1.setZero();
  const auto back_through_hidden = [this](const Array2& inputs) {
    hidden_gradient_.array() *= (hidden_.array() > Scalar(0)).template cast<Scalar>();
    gradient_.w1.noalias() += hidden_gradient_.transpose() * inputs;
    gradient_.b1 += hidden_gradient_.colwise().sum().transpose();
  };
  if (scores.size() == 1) {
    folded_gradient_.noalias() = delta.transpose() * hidden_;
    hidden_gradient_.noalias() = delta * folded_;
    back_through_hidden(scores.front());
  } else {
    // The hidden layer of one class fits the cache, that of all classes does not: it is computed
    // again rather than kept.
    for (size_t c = 0; c < scores.size(); ++c) {
      const auto row = static_cast<Index>(c);
      hide(scores[c]);
      folded_gradient_.row(row).noalias() = delta.col(row).transpose() * hidden_;
      hidden_gradient_.noalias() = delta.col(row) * folded_.row(row);
      back_through_hidden(scores[c]);
    }
  }
  gradient_.w2.noalias() = head_.transpose() * folded_gradient_;
  gradient_.b2 = head_.transpose() * delta.colwise().sum().transpose();

  const auto update = [&](numerics::Adam<Scalar>& adam, auto& x, const auto& g) {
    adam.step(x.data(), g.data(), learning_rate);
  };
  update(adam_w1_, weights_.w1, gradient_.w1);
  update(adam_w2_, weights_.w2, gradient_.w2);
  if (biases_) {
    update(adam_b1_, weights_.b1, gradient_.b1);
    update(adam_b2_, weights_.b2, gradient_.b2);
  }
  return value;
}

template class CShapNetwork<float>;
template class CShapNetwork<double>;

}  // namespace conoscope::metrics
