// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <thread>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surrogates/c_shap_eval_surrogate.h"
#include "metrics/faithfulness/surrogates/constant_surrogate.h"
#include "numerics/plateau.h"
#include "tests/support/capture_binding.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

CShapEvalOptions quick() {
  CShapEvalOptions options;
  options.hidden = 64;
  options.epochs = 40;
  options.learning_rate = 0.01;
  return options;
}

HeadView centred_head(std::uint64_t seed) {
  HeadView head = random_head(200, 1, 8, 4, Pooling::kNone, seed);
  head.weight = normal_matrix(4, 8, 77);
  head.bias = -head.weight * Vector::Constant(8, 0.4);
  return head;
}

Matrix surrogate(const Explanation& explanation, CShapLoss loss, std::uint64_t seed = 3) {
  const HeadView train = centred_head(1), test = centred_head(50);
  return c_shap_eval_surrogate({train, explanation}, {test, explanation}, loss, seed, quick())
      .logits;
}

TEST_CASE("c_shap_network: by hand") {
  // g(p) = W2 relu(W1 p + b1) + b2 with K = 1, H = 2, D = 2; head W = (1 2; 3 -1), b = (0, 1).
  CShapNetwork<double>::Weights w{Matrix(2, 1), Vector(2), Matrix(2, 2), Vector(2)};
  w.w1 << 1, -1;
  w.b1 << 0.5, 0;
  w.w2 << 2, 0, 1, 3;
  w.b2 << 1, 0;
  const Matrix head = (Matrix(2, 2) << 1, 2, 3, -1).finished();
  const Vector bias = (Vector(2) << 0, 1).finished();
  CShapNetwork<double> network(w, head, bias);
  // p_0 = 1: relu = (1.5, 0), g = (4, 1.5), y_0 = 7.  p_1 = -2: relu = (0, 2), g = (1, 6), y_1 =
  // -2.
  const Matrix y = network.logits({Matrix::Constant(1, 1, 1.0), Matrix::Constant(1, 1, -2.0)});
  CHECK(y == (Matrix(1, 2) << 7, -2).finished());
  // Shared scores: both outputs see p = 1; y_1 = 3 * 4 - 1.5 + 1.
  CHECK(network.logits({Matrix::Constant(1, 1, 1.0)}) == (Matrix(1, 2) << 7, 11.5).finished());
}

TEST_CASE("c_shap_network: one Adam step goes down the numerical gradient, for shared scores too") {
  const Matrix head = normal_matrix(3, 4, 5), target = normal_matrix(6, 3, 6);
  const Vector bias = normal_matrix(3, 1, 7);
  for (const size_t matrices : {size_t{1}, size_t{3}})
    for (const CShapLoss loss : {CShapLoss::kCel, CShapLoss::kL1}) {
      CShapNetwork<double>::Scores scores;
      for (size_t c = 0; c < matrices; ++c) scores.push_back(normal_matrix(6, 2, 8 + c));
      const auto start = CShapNetwork<double>::initial_weights(2, 5, 4, 9);
      const auto loss_at = [&](const CShapNetwork<double>::Weights& weights) {
        CShapNetwork<double> network(weights, head, bias);
        return network.train(scores, target, loss, 0.0);
      };
      CShapNetwork<double> network(start, head, bias);
      network.train(scores, target, loss, 1e-3);
      // The first step of Adam is -lr sign(gradient), wherever the gradient is not tiny.
      for (Index i = 0; i < start.w2.size(); ++i) {
        auto up = start, down = start;
        up.w2.data()[i] += 1e-5;
        down.w2.data()[i] -= 1e-5;
        const double slope = (loss_at(up) - loss_at(down)) / 2e-5;
        if (std::abs(slope) < 1e-4) continue;
        CHECK(network.weights().w2.data()[i] - start.w2.data()[i] ==
              doctest::Approx(slope > 0 ? -1e-3 : 1e-3).epsilon(1e-3));
      }
    }
}

TEST_CASE("plateau: by hand") {
  Plateau plateau({0.1, 0.5, 1e-4, 1});
  CHECK(plateau.step(1.0) == 0.1);
  CHECK(plateau.step(0.99995) == 0.1);  // less than 1e-4 better: a bad epoch
  CHECK(plateau.step(1.0) == 0.05);     // the second one: more than patience
  CHECK(plateau.step(1.0) == 0.05);
  CHECK(plateau.step(0.5) == 0.05);
  CHECK(Plateau({1.5e-8, 0.5, 1e-4, 0}).step(std::numeric_limits<double>::infinity()) == 1.5e-8);
}

TEST_CASE("c_shap_eval: the ladder is blind to importances") {
  const HeadView head = centred_head(50);
  const Matrix model = model_logits(head);
  for (const CShapLoss loss : {CShapLoss::kCel, CShapLoss::kL1}) {
    const auto error = [&](const Explanation& explanation) {
      return (surrogate(explanation, loss) - model).cwiseAbs().mean();
    };
    const double perfect = error(perfect_explanation(head));
    CHECK(error(half_random_explanation(head, sdk::Seed(1))) == perfect);
    CHECK(error(random_explanation(head, sdk::Seed(1))) > perfect);
  }
}

TEST_CASE("c_shap_eval: the seed alone decides, in any thread") {
  const Explanation explanation = normal_explanation(4, 2, 8);
  const Matrix once = surrogate(explanation, CShapLoss::kL1);
  std::vector<Matrix> again(4);
  std::vector<std::thread> threads;
  for (Matrix& out : again)
    threads.emplace_back([&] { out = surrogate(explanation, CShapLoss::kL1); });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix& out : again) CHECK(out == once);
  CHECK(surrogate(explanation, CShapLoss::kL1, 4) != once);
}

TEST_CASE("c_shap_eval: fewer concepts are filled up with zeros") {
  Explanation padded = normal_explanation(4, 2, 8);
  padded.cavs.row(1).setZero();
  Explanation ragged = padded;
  ragged.cavs = Matrix(7, 8);
  ragged.cavs << padded.cavs.row(0), padded.cavs.bottomRows(6);
  ragged.importance = Vector::Ones(7);
  ragged.offset = {0, 1, 3, 5, 7};
  CHECK(surrogate(ragged, CShapLoss::kCel) == surrogate(padded, CShapLoss::kCel));
}

TEST_CASE("c_shap_eval: scores, reasons and cost") {
  const HeadView train = centred_head(1);
  HeadView head = centred_head(50);
  Explanation explanation = perfect_explanation(head);
  Annotations annotations;
  const Matrix model = model_logits(head);
  for (Index i = 0; i < model.rows(); ++i) {
    Index best = 0;
    model.row(i).maxCoeff(&best);
    annotations.labels.push_back(best);
  }
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  for (const auto& [name, score] : score_group(subject, "c_shap_eval"))
    CHECK(score.message == "needs a head view of the training split");
  subject.train_head = &train;
  auto scores = score_group(subject, "c_shap_eval");
  REQUIRE(scores.size() == 18);
  for (const auto& [name, score] : scores) {
    CAPTURE_BINDING(name);
    CHECK(score.reason.empty());
  }
  // Labels are the model's own answers, so completeness is top1 above chance.
  for (const std::string prefix : {"c_shap_eval_cel", "c_shap_eval_l1"})
    CHECK(scores[prefix + "_completeness"].value ==
          doctest::Approx((scores[prefix + "_top1"].value - 0.25) / 0.75));
  CHECK(scores["c_shap_eval_params"].value == 500 + 500 + 500 * 8 + 8);
  CHECK(scores["c_shap_eval_flops"].value == 2 * 4 * (500 + 500 * 8 + 8));

  head.output = Output::kRegression;
  for (const auto& [name, score] : score_group(subject, "c_shap_eval"))
    CHECK(score.reason.empty() ==
          (name == "c_shap_eval_l1_mae" || name == "c_shap_eval_l1_dead_units" ||
           name == "c_shap_eval_params" || name == "c_shap_eval_flops"));
  head.output = Output::kSoftmax;
  explanation.offset = IndexVector(5, 0);
  explanation.cavs.resize(0, 8);
  explanation.importance.resize(0);
  for (const auto& [name, score] : score_group(subject, "c_shap_eval"))
    CHECK(score.message == "the explanation has no concept");
  head.pooling = Pooling::kFlatten;
  for (const auto& [name, score] : score_group(subject, "c_shap_eval"))
    CHECK(score.reason == "not_applicable");
}

TEST_CASE("c_shap_network: units that nothing reaches") {
  CShapNetwork<double>::Weights w{Matrix(3, 1), Vector(3), Matrix::Ones(2, 3), Vector::Zero(2)};
  w.w1 << 1, -1, 1;
  w.b1 << 0, 0, -9;
  CShapNetwork<double> network(w, Matrix::Ones(1, 2), Vector::Zero(1));
  CHECK(network.dead_units({Matrix::Constant(4, 1, 2.0)}) == doctest::Approx(2.0 / 3.0));
  CHECK(network.dead_units({Matrix::Constant(4, 1, 2.0), Matrix::Constant(4, 1, -2.0)}) ==
        doctest::Approx(1.0 / 3.0));
}

TEST_CASE("constant_surrogate: by hand, and no less than a surrogate that is constant") {
  const Matrix logits = (Matrix(4, 2) << 0, 2, 0, 2, 2, 0, 0, 4).finished();
  const ConstantSurrogate found = constant_surrogate(logits);
  CHECK(found.top1 == 0.75);
  // Medians 0 and 2: |0 0 2 0| and |0 0 2 2|.
  CHECK(found.mae == doctest::Approx((2.0 / 4 + 4.0 / 4) / 2));
  const double q = 1 / (1 + std::exp(-2.0)), r = 1 / (1 + std::exp(-4.0));
  CHECK(found.emd_one_hot == doctest::Approx((2 * (1 - q) + q + 1 - r) / 4));
  const double mean = (2 * q + 1 - q + r) / 4;
  CHECK(found.emd_mean == doctest::Approx((2 * (q - mean) + mean - (1 - q) + r - mean) / 4));
  CHECK_THROWS_SAYING(constant_surrogate(Matrix::Zero(2, 1)), std::invalid_argument, "one output");
}

TEST_CASE("c_shap_network: without biases 0 stays 0, and uniform weights reach 0.5") {
  using Network = CShapNetwork<double>;
  const auto bound = [](CShapInitialisation initialisation) {
    const auto start = Network::initial_weights(2, 500, 300, 9, initialisation);
    return std::pair(start.w1.cwiseAbs().maxCoeff(), start.w2.cwiseAbs().maxCoeff());
  };
  // The largest of 1,000 and of 150,000 draws.
  CHECK(bound(CShapInitialisation::kTorch).first == doctest::Approx(std::sqrt(0.5)).epsilon(0.01));
  CHECK(bound(CShapInitialisation::kTorch).second ==
        doctest::Approx(std::sqrt(1 / 500.0)).epsilon(0.01));
  CHECK(bound(CShapInitialisation::kUniform).first == doctest::Approx(0.5).epsilon(0.01));
  CHECK(bound(CShapInitialisation::kUniform).second == doctest::Approx(0.5).epsilon(0.01));

  const Matrix head = normal_matrix(3, 4, 5), target = normal_matrix(6, 3, 6);
  const Vector bias = normal_matrix(3, 1, 7);
  Network network(Network::initial_weights(2, 5, 4, 9), head, bias, false);
  const Network::Scores nothing{Matrix::Zero(1, 2)};
  CHECK(network.logits(nothing) == bias.transpose());
  for (int step = 0; step < 5; ++step)
    network.train({normal_matrix(6, 2, 8)}, target, CShapLoss::kCel, 0.1);
  CHECK(network.logits(nothing) == bias.transpose());
}

TEST_CASE("c_shap_eval: a name may set how the network is trained") {
  const HeadView train = centred_head(1), head = centred_head(50);
  const Explanation explanation = normal_explanation(4, 2, 8);
  Views views{.head = &head, .explanation = &explanation, .train_head = &train};
  const Subject subject(views);
  const auto value = [&](const std::string& settings) {
    const Metric* metric = catalogue().metric("c_shap_eval_l1_mae" + settings);
    REQUIRE_MESSAGE(metric != nullptr, settings);
    const Score found = score(*metric, subject);
    REQUIRE_MESSAGE(found.reason.empty(), settings << ": " << found.message);
    return found.value;
  };
  const double usual = value("");
  const auto mae_of = [&](const CShapEvalOptions& options) {
    return (c_shap_eval_surrogate({train, explanation}, {head, explanation}, CShapLoss::kL1,
                                  views.seed, options)
                .logits -
            model_logits(head))
        .cwiseAbs()
        .mean();
  };
  CHECK(usual == doctest::Approx(mae_of({})).epsilon(1e-14));
  CHECK(value("(learning_rate=0.1,epochs=100,batch=128,initialisation=torch,biases=true)") ==
        usual);
  for (const char* other : {"(learning_rate=0.01)", "(epochs=99)", "(batch=64)",
                            "(initialisation=uniform)", "(biases=false)"}) {
    CAPTURE(std::string(other));
    CHECK(value(other) != usual);
  }
  CShapEvalOptions published;
  published.learning_rate = 0.001;
  published.epochs = 20;
  published.initialisation = CShapInitialisation::kUniform;
  published.biases = false;
  CHECK(value("(learning_rate=1e-3,epochs=20,initialisation=uniform,biases=false)") ==
        doctest::Approx(mae_of(published)).epsilon(1e-14));
  // A rate at which training explodes has no score, rather than a wrong one.
  CHECK(score(*catalogue().metric("c_shap_eval_l1_mae(learning_rate=1e30)"), subject).reason ==
        "undefined");
}

TEST_CASE("c_shap_eval: throws") {
  const HeadView head = centred_head(1);
  const Explanation good = perfect_explanation(head);
  const auto run = [&](const HeadView& train, const HeadView& test, const Explanation& explanation,
                       const CShapEvalOptions& options) {
    return c_shap_eval_surrogate({train, explanation}, {test, explanation}, CShapLoss::kCel, 0,
                                 options);
  };
  CShapEvalOptions options;
  options.batch = 0;
  CHECK_THROWS_SAYING(run(head, head, good, options), std::invalid_argument, "c_shap_eval",
                      "batch must be >= 1");
  options = {};
  options.learning_rate = 0.0;
  CHECK_THROWS_SAYING(run(head, head, good, options), std::invalid_argument, "learning_rate is 0");
  HeadView other = random_head(10, 1, 7, 4, Pooling::kNone);
  CHECK_THROWS_SAYING(run(other, head, good, quick()), std::invalid_argument, "the activations 7");
  const HeadView flat = random_head(10, 2, 8, 4, Pooling::kFlatten);
  CHECK_THROWS_SAYING(run(flat, flat, good, quick()), std::invalid_argument, "a flatten head");
  Explanation none = good;
  none.cavs = Matrix(0, 8);
  none.importance = Vector(0);
  none.offset = IndexVector(5, 0);
  CHECK_THROWS_SAYING(run(head, head, none, quick()), std::invalid_argument, "no concept");
  Explanation wide = good;
  wide.cavs = Matrix::Ones(4, 9);
  CHECK_THROWS_SAYING(run(head, head, wide, quick()), std::invalid_argument, "9 features");
  Explanation shaped = good;
  shaped.project = [](Index, const MatrixRef& rows) -> Matrix {
    return Matrix::Ones(rows.rows(), 3);
  };
  CHECK_THROWS_SAYING(run(head, head, shaped, quick()), std::invalid_argument,
                      "psi of output 0 returned 200 x 3; expected 200 x 1");
  HeadView bad = head;
  change_activations(bad,
                     [](Matrix& rows) { rows(3, 2) = std::numeric_limits<double>::infinity(); });
  CHECK_THROWS_SAYING(run(head, bad, good, quick()), std::invalid_argument, "row 3, column 2");
  HeadView huge = head;
  // float32 scores times weights overflow
  change_activations(huge, [](Matrix& rows) { rows *= 1e30; });
  options = quick();
  options.learning_rate = 1e20;
  CHECK_THROWS_SAYING(run(huge, head, good, options), std::domain_error, "not finite");
}

}  // namespace

}  // namespace conoscope::tests
