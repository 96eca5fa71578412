// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/c_shap/concept_shap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/adam.h"
#include "numerics/checks.h"

namespace conoscope::methods {
namespace {

constexpr double kScoreFloor = 1e-3;  // added to the sum of scores, as in the published code

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

void check_loss(const std::string& function, const ConceptShapLoss& loss) {
  require(loss.beta >= 0.0 && loss.beta < 1.0,
          function + ": beta = " + std::to_string(loss.beta) + " is not in [0, 1)");
  numerics::require_weight(function, "similarity_weight", loss.similarity_weight);
  numerics::require_weight(function, "distinct_weight", loss.distinct_weight);
  numerics::require_at_least(function, "top", loss.top, 1);
}

template <typename T>
void check_batch(const std::string& function, Index rows, Index positions,
                 const Coalitions& targets, const FrozenHead<T>& head) {
  numerics::require_at_least(function, "positions", positions, 1);
  require(targets.rows() * positions == rows,
          function + ": " + std::to_string(targets.rows()) + " targets with " +
              std::to_string(positions) + " positions for " + std::to_string(rows) + " rows");
  numerics::require_filled(function, "head weight", head.weight);
  numerics::require_filled(function, "head bias", RowMajor<T>(head.bias));
  require(targets.cols() == head.weight.rows() && head.bias.size() == head.weight.rows(),
          function + ": " + std::to_string(targets.cols()) + " columns of targets and " +
              std::to_string(head.bias.size()) + " biases for " +
              std::to_string(head.weight.rows()) + " outputs");
}

template <typename T>
void check_layers(const std::string& function, Index concepts, const RowMajor<T>& w1,
                  const RowMajor<T>& w2, Index width) {
  numerics::require_filled(function, "w1", w1);
  numerics::require_filled(function, "w2", w2);
  require(w1.rows() == concepts && w2.rows() == w1.cols() && w2.cols() == width,
          function + ": w1 " + numerics::shape_of(w1) + " and w2 " + numerics::shape_of(w2) +
              " do not lead from " + std::to_string(concepts) + " concepts to width " +
              std::to_string(width));
}

template <typename T>
RowMajor<T> unit_rows(const std::string& function, const RowMajorRef<T>& concepts) {
  numerics::require_filled(function, "concepts", concepts);
  RowMajor<T> unit = concepts;
  for (Index m = 0; m < unit.rows(); ++m) {
    const T norm = unit.row(m).norm();
    require(norm > T(0), function + ": concept " + std::to_string(m) + " has norm 0");
    unit.row(m) /= norm;
  }
  return unit;
}

/// What the threshold and the normalisation leave.
template <typename T>
struct Scored {
  RowMajor<T> cosine, score;
  Eigen::Vector<T, Eigen::Dynamic> inverse_norm, inverse_sum;
};

template <typename T>
Scored<T> score_rows(const RowMajorRef<T>& x, const RowMajor<T>& unit, double beta) {
  Scored<T> out;
  out.score.noalias() = x * unit.transpose();
  out.inverse_norm = x.rowwise().norm();
  out.inverse_norm =
      (out.inverse_norm.array() > T(0)).select(out.inverse_norm.array().inverse(), T(0));
  out.cosine = out.inverse_norm.asDiagonal() * out.score;
  out.score = (out.cosine.array() > static_cast<T>(beta)).select(out.score.array(), T(0));
  out.inverse_sum = (out.score.rowwise().sum().array() + static_cast<T>(kScoreFloor)).inverse();
  out.score = out.inverse_sum.asDiagonal() * out.score;
  return out;
}

/// Cross entropy with the targets and, in `logits`, its gradient by the logits.
template <typename T>
double cross_entropy(RowMajor<T>& logits, const Coalitions& targets, bool sigmoid) {
  double sum = 0.0;
  const auto n = static_cast<double>(logits.rows());
  if (sigmoid) {
    const double all = n * static_cast<double>(logits.cols());
    for (Index i = 0; i < logits.size(); ++i) {
      const double z = logits.data()[i], y = targets.data()[i];
      sum += (std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::abs(z)))) / all;
      logits.data()[i] = static_cast<T>((1.0 / (1.0 + std::exp(-z)) - y) / all);
    }
    return sum;
  }
  for (Index i = 0; i < logits.rows(); ++i) {
    Eigen::RowVectorXd z = logits.row(i).template cast<double>();
    const Eigen::RowVectorXd y = targets.row(i).template cast<double>();
    const double most = z.maxCoeff();
    const double log_sum = most + std::log((z.array() - most).exp().sum());
    sum += (log_sum - z.dot(y)) / n;
    logits.row(i) = (((z.array() - log_sum).exp() - y.array()) / n).matrix().template cast<T>();
  }
  return sum;
}

}  // namespace

template <typename T>
RowMajor<T> concept_scores(const RowMajorRef<T>& x, const RowMajorRef<T>& concepts, double beta) {
  numerics::require_filled("concept_scores", "x", x);
  check_loss("concept_scores", {.beta = beta});
  require(x.cols() == concepts.cols(), "concept_scores: concepts have width " +
                                           std::to_string(concepts.cols()) + ", x has " +
                                           std::to_string(x.cols()));
  return score_rows<T>(x, unit_rows<T>("concept_scores", concepts), beta).score;
}

template <typename T>
double concept_shap_loss(const RowMajorRef<T>& x, Index positions, const Coalitions& targets,
                         const FrozenHead<T>& head, const ConceptShapModel<T>& model,
                         const ConceptShapLoss& loss, ConceptShapModel<T>* gradient) {
  const std::string me = "concept_shap_loss";
  numerics::require_filled(me, "x", x);
  check_loss(me, loss);
  check_batch(me, x.rows(), positions, targets, head);
  require(x.cols() == model.concepts.cols() && x.cols() == head.weight.cols(),
          me + ": x, concepts and head have widths " + std::to_string(x.cols()) + ", " +
              std::to_string(model.concepts.cols()) + " and " + std::to_string(head.weight.cols()));
  check_layers(me, model.concepts.rows(), model.w1, model.w2, x.cols());
  const RowMajor<T> unit = unit_rows<T>(me, model.concepts);
  const Index n = targets.rows(), m_count = unit.rows(), hidden = model.w1.cols();

  const Scored<T> scored = score_rows<T>(x, unit, loss.beta);
  RowMajor<T> layer(x.rows(), hidden);
  layer.noalias() = scored.score * model.w1;
  layer = layer.cwiseMax(T(0));
  // Pooling and both linear maps behind the ReLU commute: W2 only ever meets n pooled rows.
  const T share = static_cast<T>(1.0 / static_cast<double>(positions));
  RowMajor<T> pooled(n, hidden);
  for (Index i = 0; i < n; ++i)
    pooled.row(i) = layer.middleRows(i * positions, positions).colwise().sum() * share;
  RowMajor<T> logits = (pooled * model.w2) * head.weight.transpose();
  logits.rowwise() += head.bias.transpose();
  double value = cross_entropy(logits, targets, head.sigmoid);

  // R1 and where it pulls.
  const Index top = std::min(loss.top, x.rows());
  RowMajor<T> by_product = RowMajor<T>::Zero(x.rows(), m_count);  // gradient by <h, c>
  const T pull = static_cast<T>(loss.similarity_weight / static_cast<double>(m_count * top));
  std::vector<Index> order(static_cast<std::size_t>(x.rows()));
  double similarity = 0.0;
  for (Index m = 0; m < m_count; ++m) {
    std::iota(order.begin(), order.end(), Index{0});
    std::nth_element(order.begin(), order.begin() + (top - 1), order.end(), [&](Index a, Index b) {
      const T left = scored.cosine(a, m), right = scored.cosine(b, m);
      return left > right || (left == right && a < b);
    });
    std::sort(order.begin(), order.begin() + top);  // one order of summation
    for (Index t = 0; t < top; ++t) {
      const Index i = order[static_cast<std::size_t>(t)];
      similarity += static_cast<double>(scored.cosine(i, m));
      by_product(i, m) = -pull * scored.inverse_norm[i];
    }
  }
  value -= loss.similarity_weight * similarity / static_cast<double>(m_count * top);
  const auto entries = static_cast<double>(m_count * m_count);
  const RowMajor<T> sum_of_concepts = unit.colwise().sum();
  value += loss.distinct_weight *
           (static_cast<double>(sum_of_concepts.squaredNorm()) - static_cast<double>(m_count)) /
           entries;
  if (gradient == nullptr) return value;

  const RowMajor<T> by_rebuilt = logits * head.weight;  // n x D
  gradient->w2.noalias() = pooled.transpose() * by_rebuilt;
  const RowMajor<T> by_pooled = by_rebuilt * model.w2.transpose() * share;  // n x hidden
  for (Index i = 0; i < x.rows(); ++i)
    layer.row(i) = (layer.row(i).array() > T(0)).select(by_pooled.row(i / positions).array(), T(0));
  gradient->w1.noalias() = scored.score.transpose() * layer;
  RowMajor<T> by_score(x.rows(), m_count);
  by_score.noalias() = layer * model.w1.transpose();
  for (Index i = 0; i < x.rows(); ++i) {
    // score = s / t with t = sum s + floor: ds_m = (dscore_m - <dscore, score>) / t
    const T common = by_score.row(i).dot(scored.score.row(i));
    by_product.row(i).array() +=
        (scored.cosine.row(i).array() > static_cast<T>(loss.beta))
            .select((by_score.row(i).array() - common) * scored.inverse_sum[i], T(0));
  }
  RowMajor<T> by_unit = by_product.transpose() * x;
  by_unit.rowwise() +=
      sum_of_concepts.row(0) * static_cast<T>(2.0 * loss.distinct_weight / entries);
  gradient->concepts.resizeLike(unit);
  for (Index m = 0; m < m_count; ++m) {
    const T along = by_unit.row(m).dot(unit.row(m));
    gradient->concepts.row(m) =
        (by_unit.row(m) - along * unit.row(m)) / model.concepts.row(m).norm();
  }
  return value;
}

ConceptShapModel<float> concept_shap_fit(const RowSource& x, Index positions,
                                         const Coalitions& targets, const FrozenHead<float>& head,
                                         const ConceptShapOptions& options, numerics::Seed seed,
                                         const std::function<void(int)>& after_epoch) {
  const std::string me = "concept_shap_fit";
  require_finite_rows(me, "x", x, 1);
  numerics::require_at_least(me, "rows of x", x.rows(), 1);
  numerics::require_at_least(me, "columns of x", x.cols(), 1);
  check_loss(me, options.loss);
  check_batch(me, x.rows(), positions, targets, head);
  numerics::require_at_least(me, "concepts", options.concepts, 1);
  numerics::require_at_least(me, "hidden", options.hidden, 1);
  numerics::require_at_least(me, "epochs", options.epochs, 1);
  numerics::require_at_least(me, "batch", options.batch, 1);
  numerics::require_weight(me, "learning_rate", options.learning_rate);

  ConceptShapModel<float> model, gradient;
  const auto draw = [&seed](const char* name, Index rows, Index cols, double bound) {
    numerics::Random random(seed.child(name));
    MatrixF out(rows, cols);
    for (Index i = 0; i < out.size(); ++i)
      out.data()[i] = static_cast<float>(random.uniform(-bound, bound));
    return out;
  };
  const auto glorot = [](Index in, Index out) {
    return std::sqrt(6.0 / static_cast<double>(in + out));
  };
  model.concepts = draw("concepts", options.concepts, x.cols(), 0.5);
  model.w1 = draw("w1", options.concepts, options.hidden, glorot(options.concepts, options.hidden));
  model.w2 = draw("w2", options.hidden, x.cols(), glorot(options.hidden, x.cols()));
  numerics::Adam<float> adam_concepts(model.concepts.size()), adam_w1(model.w1.size()),
      adam_w2(model.w2.size());

  const Index n = targets.rows(), batch = std::min(options.batch, n);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random shuffling(seed.child("order"));
  MatrixF rows(batch * positions, x.cols());
  Coalitions wanted(batch, targets.cols());
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    shuffling.shuffle(order);
    for (Index at = 0; at < n; at += batch) {
      const Index count = std::min(batch, n - at);
      for (Index i = 0; i < count; ++i) {
        const Index sample = order[static_cast<std::size_t>(at + i)];
        rows.middleRows(i * positions, positions) =
            x.block(sample * positions, positions).cast<float>();
        wanted.row(i) = targets.row(sample);
      }
      const double loss =
          concept_shap_loss<float>(rows.topRows(count * positions), positions,
                                   wanted.topRows(count), head, model, options.loss, &gradient);
      if (!std::isfinite(loss))
        throw std::domain_error(me + ": the loss is " + std::to_string(loss) + " in epoch " +
                                std::to_string(epoch + 1));
      const double rate = options.learning_rate;
      adam_concepts.step(model.concepts.data(), gradient.concepts.data(), rate);
      adam_w1.step(model.w1.data(), gradient.w1.data(), rate);
      adam_w2.step(model.w2.data(), gradient.w2.data(), rate);
    }
    if (after_epoch) after_epoch(epoch);
  }
  model.concepts = unit_rows<float>(me, model.concepts);
  return model;
}

std::vector<Index> duplicate_of(const MatrixRef& concepts, double limit) {
  require(limit > 0.0 && limit <= 1.0,
          "duplicate_of: limit = " + std::to_string(limit) + " is not in (0, 1]");
  const Matrix unit = unit_rows<double>("duplicate_of", concepts);
  std::vector<Index> first(static_cast<std::size_t>(unit.rows()));
  for (Index m = 0; m < unit.rows(); ++m) {
    auto& found = first[static_cast<std::size_t>(m)];
    found = m;
    for (Index earlier = 0; earlier < m && found == m; ++earlier)
      if (first[static_cast<std::size_t>(earlier)] == earlier &&
          unit.row(m).dot(unit.row(earlier)) > limit)
        found = earlier;
  }
  return first;
}

template MatrixF concept_scores(const MatrixRefF&, const MatrixRefF&, double);
template Matrix concept_scores(const MatrixRef&, const MatrixRef&, double);
template double concept_shap_loss(const MatrixRefF&, Index, const Coalitions&,
                                  const FrozenHead<float>&, const ConceptShapModel<float>&,
                                  const ConceptShapLoss&, ConceptShapModel<float>*);
template double concept_shap_loss(const MatrixRef&, Index, const Coalitions&,
                                  const FrozenHead<double>&, const ConceptShapModel<double>&,
                                  const ConceptShapLoss&, ConceptShapModel<double>*);

}  // namespace conoscope::methods
