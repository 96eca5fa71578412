// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/helper_networks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/adam.h"
#include "numerics/random.h"

namespace conoscope::metrics::detail {

namespace {

constexpr Index kLanes = 8;
using Lanes [[gnu::vector_size(sizeof(float) * kLanes)]] = float;
using ArrayF = Eigen::ArrayXf;

inline Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

inline void store(float* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

inline float sum(const Lanes& v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/// Samples as columns of floats, each padded with zeros to whole lanes: column c of sample i is
/// at(c)[i].
class Columns {
 public:
  Columns(Index columns, Index most_rows)
      : stride_((most_rows + kLanes - 1) / kLanes * kLanes),
        values_(static_cast<std::size_t>(columns * stride_)),
        columns_(columns) {}

  /// column_major  one contiguous column after the other, `samples` long
  void gather(const Eigen::MatrixXf& column_major, const Index* rows, Index count) {
    for (Index c = 0; c < columns_; ++c) {
      const float* const from = column_major.data() + c * column_major.rows();
      float* const to = at(c);
      for (Index i = 0; i < count; ++i) to[i] = from[rows[i]];
      std::fill(to + count, to + (count + kLanes - 1) / kLanes * kLanes, 0.0f);
    }
  }

  float* at(Index column) { return values_.data() + column * stride_; }
  const float* at(Index column) const { return values_.data() + column * stride_; }

 private:
  Index stride_;
  std::vector<float> values_;
  Index columns_;
};

/// Where a network's numbers stand in the array of all parameters: W1 (hidden x width), b1
/// (hidden), W2 (outputs x hidden), b2 (outputs).
struct Shape {
  Index hidden, width, outputs;
  Index b1() const { return hidden * width; }
  Index w2() const { return b1() + hidden; }
  Index b2() const { return w2() + outputs * hidden; }
  Index size() const { return b2() + outputs; }
};

// kWidth, kOutputs: 0 is "as the shape says". Networks of one input and one output, which are
// nearly all there are, keep everything in registers.
template <int kWidth, int kOutputs>
void forward(const Shape& shape, const float* p, const Columns& x, Index first_column, Index count,
             Columns& logits) {
  const Index width = kWidth > 0 ? kWidth : shape.width;
  const Index outputs = kOutputs > 0 ? kOutputs : shape.outputs;
  const float *const b1 = p + shape.b1(), *const w2 = p + shape.w2(), *const b2 = p + shape.b2();
  const Lanes zero{};
  for (Index at = 0; at < count; at += kLanes)
    for (Index o = 0; o < outputs; ++o) {
      Lanes out = zero + b2[o];
      for (Index u = 0; u < shape.hidden; ++u) {
        Lanes a = zero + b1[u];
        for (Index d = 0; d < width; ++d) a += p[u * width + d] * load(x.at(first_column + d) + at);
        out += w2[o * shape.hidden + u] * (a > zero ? a : zero);
      }
      store(logits.at(o) + at, out);
    }
}

/// delta: derivative of the loss by the logits, zero in the padding.
template <int kWidth, int kOutputs>
void backward(const Shape& shape, const float* p, const Columns& x, Index first_column, Index count,
              const Columns& delta, float* gradient) {
  const Index width = kWidth > 0 ? kWidth : shape.width;
  const Index outputs = kOutputs > 0 ? kOutputs : shape.outputs;
  const float *const b1 = p + shape.b1(), *const w2 = p + shape.w2();
  const Lanes zero{};
  std::vector<Lanes> to_w1(static_cast<std::size_t>(width));
  std::vector<Lanes> to_w2(static_cast<std::size_t>(outputs));
  for (Index u = 0; u < shape.hidden; ++u) {
    Lanes to_b1 = zero, single_w1 = zero, single_w2 = zero;
    std::fill(to_w1.begin(), to_w1.end(), zero);
    std::fill(to_w2.begin(), to_w2.end(), zero);
    for (Index at = 0; at < count; at += kLanes) {
      Lanes a = zero + b1[u];
      for (Index d = 0; d < width; ++d) a += p[u * width + d] * load(x.at(first_column + d) + at);
      const Lanes h = a > zero ? a : zero;
      Lanes g = zero;
      if constexpr (kOutputs == 1) {
        const Lanes error = load(delta.at(0) + at);
        single_w2 += error * h;
        g = error * w2[u];
      } else {
        for (Index o = 0; o < outputs; ++o) {
          const Lanes error = load(delta.at(o) + at);
          to_w2[static_cast<std::size_t>(o)] += error * h;
          g += error * w2[o * shape.hidden + u];
        }
      }
      g = a > zero ? g : zero;
      to_b1 += g;
      if constexpr (kWidth == 1)
        single_w1 += g * load(x.at(first_column) + at);
      else
        for (Index d = 0; d < width; ++d)
          to_w1[static_cast<std::size_t>(d)] += g * load(x.at(first_column + d) + at);
    }
    gradient[shape.b1() + u] = sum(to_b1);
    if constexpr (kWidth == 1)
      gradient[u] = sum(single_w1);
    else
      for (Index d = 0; d < width; ++d)
        gradient[u * width + d] = sum(to_w1[static_cast<std::size_t>(d)]);
    if constexpr (kOutputs == 1)
      gradient[shape.w2() + u] = sum(single_w2);
    else
      for (Index o = 0; o < outputs; ++o)
        gradient[shape.w2() + o * shape.hidden + u] = sum(to_w2[static_cast<std::size_t>(o)]);
  }
  for (Index o = 0; o < outputs; ++o) {
    Lanes to_b2 = zero;
    for (Index at = 0; at < count; at += kLanes) to_b2 += load(delta.at(o) + at);
    gradient[shape.b2() + o] = sum(to_b2);
  }
}

/// Logits become the derivative of the mean cross entropy.
void differentiate(const HelperTask& task, const Columns& y, Index count, Columns& logits) {
  const auto samples = static_cast<float>(count);
  if (task.softmax) {
    for (Index i = 0; i < count; ++i) {
      float top = logits.at(0)[i], total = 0.0f;
      for (Index o = 1; o < task.outputs; ++o) top = std::max(top, logits.at(o)[i]);
      for (Index o = 0; o < task.outputs; ++o)
        total += logits.at(o)[i] = std::exp(logits.at(o)[i] - top);
      for (Index o = 0; o < task.outputs; ++o)
        logits.at(o)[i] = (logits.at(o)[i] / total - y.at(task.target + o)[i]) / samples;
    }
  } else {
    const float scale = 1.0f / (samples * static_cast<float>(task.outputs));
    // Lane by lane, the padding too: the exp of a lane and that of a single number differ in the last
    // bit, and Eigen takes numbers singly up to the first address that is a multiple of a lane's.
    using Lane = Eigen::Array<float, kLanes, 1>;
    for (Index o = 0; o < task.outputs; ++o)
      for (Index at = 0; at < count; at += kLanes) {
        Eigen::Map<Lane> out(logits.at(o) + at);
        const Eigen::Map<const Lane> truth(y.at(task.target + o) + at);
        const Lane logit = out;
        out = (1.0f / (1.0f + (-logit).exp()) - truth) * scale;
      }
  }
  for (Index o = 0; o < task.outputs; ++o)
    std::fill(logits.at(o) + count, logits.at(o) + (count + kLanes - 1) / kLanes * kLanes, 0.0f);
}

bool is_single(const Shape& shape) { return shape.width == 1 && shape.outputs == 1; }

}  // namespace

void train_helper_networks(const MatrixRef& c_hat, Index width, const MatrixRef& targets,
                           const TrainTest& rows, const std::vector<HelperTask>& tasks,
                           const HelperOptions& options, std::uint64_t seed, std::uint64_t stream,
                           const TestLogits& on_test) {
  const Eigen::MatrixXf inputs = c_hat.cast<float>(), truth = targets.cast<float>();
  numerics::Random random(seed, stream);
  std::vector<Shape> shapes;
  std::vector<Index> offset;
  Index size = 0, most_outputs = 1;
  for (const HelperTask& task : tasks) {
    shapes.push_back({options.hidden, width, task.outputs});
    offset.push_back(size);
    size += shapes.back().size();
    most_outputs = std::max(most_outputs, task.outputs);
  }
  ArrayF parameters = ArrayF::Zero(size), gradient = ArrayF::Zero(size);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const auto fill = [&](Index begin, Index count, Index fan_in, Index fan_out) {
      const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
      for (Index i = 0; i < count; ++i)
        parameters(offset[t] + begin + i) = static_cast<float>(random.uniform(-limit, limit));
    };
    const Shape& shape = shapes[t];
    fill(0, shape.hidden * shape.width, shape.width, shape.hidden);
    fill(shape.w2(), shape.outputs * shape.hidden, shape.hidden, shape.outputs);
  }
  numerics::Adam<float> adam(size, {.epsilon = 1e-7, .epsilon_first = true});

  IndexVector order = rows.train;
  const auto n = static_cast<Index>(order.size());
  const Index batch = std::min(options.batch, n);
  Columns x(inputs.cols(), batch), y(truth.cols(), batch), work(most_outputs, batch);
  for (Index epoch = 0; epoch < options.epochs; ++epoch) {
    random.shuffle(order);
    for (Index first = 0; first < n; first += batch) {
      const Index count = std::min(batch, n - first);
      x.gather(inputs, order.data() + first, count);
      y.gather(truth, order.data() + first, count);
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const Shape& shape = shapes[t];
        const float* const p = parameters.data() + offset[t];
        float* const g = gradient.data() + offset[t];
        const Index column = tasks[t].input * width;
        const bool single = is_single(shape);
        (single ? forward<1, 1> : forward<0, 0>)(shape, p, x, column, count, work);
        differentiate(tasks[t], y, count, work);
        (single ? backward<1, 1> : backward<0, 0>)(shape, p, x, column, count, work, g);
      }
      adam.step(parameters.data(), gradient.data(), options.learning_rate);
    }
  }

  const auto tested = static_cast<Index>(rows.test.size());
  Columns test(inputs.cols(), tested), logits(most_outputs, tested);
  test.gather(inputs, rows.test.data(), tested);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    (is_single(shapes[t]) ? forward<1, 1> : forward<0, 0>)(shapes[t], parameters.data() + offset[t],
                                                           test, tasks[t].input * width, tested,
                                                           logits);
    Matrix values(tested, tasks[t].outputs);
    for (Index o = 0; o < tasks[t].outputs; ++o)
      values.col(o) = Eigen::Map<const ArrayF>(logits.at(o), tested).cast<double>();
    on_test(t, values);
  }
}

}  // namespace conoscope::metrics::detail
