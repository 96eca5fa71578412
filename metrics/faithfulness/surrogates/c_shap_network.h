// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/types.h"
#include "numerics/adam.h"

namespace conoscope::metrics {

enum class CShapLoss {
  kCel,  ///< mean_x -sum_c softmax(y)_c log softmax(y^)_c
  kL1,   ///< mean_{x,c} |y_c - y^_c|
};

/// What each layer's entries are drawn from.
enum class CShapInitialisation {
  kTorch,    ///< uniform in +-1/sqrt(its inputs), PyTorch's default for Linear
  kUniform,  ///< uniform in +-0.5, as in the published code of ConceptSHAP
};

/// The surrogate of C-SHAP-Eval: concept scores -> one hidden layer -> embedding -> the model's own
/// head. One network serves all classes; class c sends its own scores p_c through it:
///
///   g(p)   = W2 relu(W1 p + b1) + b2          W1 H x K, W2 D x H
///   y^_c   = <w_c, g(p_c)> + b_c
///
/// The embedding is never formed: with U = W W2 (C x H) an output is <u_c, relu(W1 p_c + b1)> plus
/// a constant, and dW2 = W^T dU; a batch of B samples then costs B C H K instead of B C H D.
///
/// Class-specific scores come as C matrices n x K, shared ones as a single matrix for all classes.
/// Shapes and finiteness are the caller's to promise.
template <typename Scalar>
class CShapNetwork {
 public:
  using Array2 = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Array1 = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Scores = std::vector<Array2>;

  struct Weights {
    Array2 w1;  ///< H x K
    Array1 b1;  ///< H
    Array2 w2;  ///< D x H
    Array1 b2;  ///< D
  };

  static Weights initial_weights(Index concepts, Index hidden, Index width, std::uint64_t seed,
                                 CShapInitialisation initialisation = CShapInitialisation::kTorch);

  /// head_weight: C x D.   head_bias: C.   biases: false: b1 and b2 are 0 and stay so.
  CShapNetwork(Weights weights, const MatrixRef& head_weight, const VectorRef& head_bias,
               bool biases = true);

  /// y^, n x C.
  Matrix logits(const Scores& scores);

  /// One Adam step on these samples towards the model's logits, n x C. Returns the loss before it.
  double train(const Scores& scores, const MatrixRef& model_logits, CShapLoss loss,
               double learning_rate);

  /// The share of hidden units that are 0 for each of these scores: no gradient reaches them.
  double dead_units(const Scores& scores);

  const Weights& weights() const { return weights_; }

 private:
  void forward(const Scores& scores, Array2& logits);
  void hide(const Array2& scores);  // hidden_ = relu(scores W1^T + b1)

  Weights weights_;
  bool biases_;
  Array2 head_;       // W, C x D
  Array1 head_bias_;  // b
  Array2 folded_;     // U = W W2, C x H
  Array1 constant_;   // W b2 + b
  Array2 hidden_, hidden_gradient_;
  Weights gradient_;
  Array2 folded_gradient_;
  numerics::Adam<Scalar> adam_w1_, adam_b1_, adam_w2_, adam_b2_;
};

extern template class CShapNetwork<float>;
extern template class CShapNetwork<double>;

}  // namespace conoscope::metrics
