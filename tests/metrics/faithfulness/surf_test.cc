// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <thread>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

using Scores = std::map<std::string, Score>;

Scores surf(const Views& views) { return score_group(views, "surf"); }

struct Made {
  HeadView head = random_head(30, 4, 6, 5, Pooling::kMean);
  Explanation explanation = normal_explanation(5, 3, 6);
  Annotations annotations{IndexVector(30, 2), {}, {}, {}};
  Views subject() const {
    Views all{.head = &head, .explanation = &explanation, .annotations = &annotations};
    return all;
  }
};

const std::vector<std::string> kMeasures{
    "surf_mae",     "surf_emd",      "surf_top1",    "surf_rank_corr", "surf_rank_corr_undefined",
    "surf_norm_l1", "surf_attr_acc", "surf_prob_mae"};

TEST_CASE("surf: every score is within its range or says why there is none") {
  Made made;
  Made flatten;
  flatten.head = random_head(30, 4, 6, 5, Pooling::kFlatten);
  Made curved;
  curved.explanation = rectified(curved.explanation);
  Made sigmoid;
  sigmoid.head.output = Output::kSigmoid;
  Made regression;
  regression.head.output = Output::kRegression;
  for (const Views& subject : {Views(), made.subject(), flatten.subject(), curved.subject(),
                               sigmoid.subject(), regression.subject()}) {
    const Scores scored = surf(subject);
    CHECK(scored.size() == catalogue().select("surf").size());
    for (const auto& [name, score] : scored) {
      const Metric& info = *catalogue().metric(name);
      CHECK(std::isfinite(score.value));
      if (score.reason.empty()) {
        CHECK(score.value >= info.low);
        CHECK(score.value <= info.high);
      } else {
        CHECK_FALSE(score.message.empty());
      }
    }
  }
}

TEST_CASE("surf: what applies follows from the output kind") {
  const auto applicable = [](Output output) {
    Made made;
    made.head.output = output;
    const Scores scored = surf(made.subject());
    std::vector<std::string> names;
    for (const std::string& name : kMeasures) {
      CHECK(scored.at(name).reason == scored.at(name + "_spatial_mean").reason);
      if (scored.at(name).reason.empty())
        names.push_back(name);
      else
        CHECK(scored.at(name).reason == "not_applicable");
    }
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(applicable(Output::kSoftmax) == Names{"surf_mae", "surf_emd", "surf_top1", "surf_rank_corr",
                                              "surf_rank_corr_undefined", "surf_norm_l1"});
  CHECK(applicable(Output::kSigmoid) == Names{"surf_mae", "surf_attr_acc", "surf_prob_mae"});
  CHECK(applicable(Output::kRegression) == Names{"surf_mae"});
}

TEST_CASE("surf: the two position rules are one for a linear psi and two for any other") {
  Made made;
  const Scores linear = surf(made.subject());
  CHECK(linear.at("surf_mae").value == linear.at("surf_mae_spatial_mean").value);
  made.explanation = rectified(made.explanation);
  const Scores curved = surf(made.subject());
  const Matrix model = model_logits(made.head);
  CHECK(curved.at("surf_mae").value ==
        surf_mae(model, surf_surrogate({made.head, made.explanation})).value);
  CHECK(curved.at("surf_mae_spatial_mean").value ==
        surf_mae(model, surf_surrogate({made.head, made.explanation}, PositionRule::kSpatialMean))
            .value);
  CHECK(curved.at("surf_mae").value != curved.at("surf_mae_spatial_mean").value);
}

TEST_CASE("surf: a flatten head has no mean over positions") {
  Made made;
  made.head = random_head(30, 4, 6, 5, Pooling::kFlatten);
  const Scores scored = surf(made.subject());
  CHECK(scored.at("surf_mae").reason.empty());
  CHECK(scored.at("surf_mae_spatial_mean").reason == "not_applicable");
}

TEST_CASE("surf: parts are per sample and average to the value") {
  const Scores scored = surf(Made().subject());
  for (const char* name : {"surf_mae", "surf_emd", "surf_rank_corr"}) {
    const Score& score = scored.at(name);
    REQUIRE(score.parts.size() == 30);
    double sum = 0.0;
    for (const double part : score.parts) sum += part;
    CHECK(sum / 30.0 == doctest::Approx(score.value).epsilon(1e-14));
  }
}

TEST_CASE("surf: one output") {
  Made made;
  made.head = random_head(30, 4, 6, 1, Pooling::kMean);
  made.explanation = normal_explanation(1, 3, 6);
  made.annotations.labels.assign(30, 0);
  const Scores scored = surf(made.subject());
  CHECK(scored.at("surf_emd").value == 0.0);
  CHECK(scored.at("surf_top1").value == 1.0);
  CHECK(scored.at("surf_rank_corr").reason == "undefined");
  CHECK(scored.at("surf_rank_corr_undefined").value == 30.0);
}

TEST_CASE("surf: a surrogate that is constant over outputs is uncorrelated, not unknown") {
  Made made;
  made.head.bias.setConstant(0.25);
  made.explanation.importance.setZero();
  const Scores scored = surf(made.subject());
  CHECK(scored.at("surf_rank_corr").reason.empty());
  CHECK(scored.at("surf_rank_corr").value == 0.0);
  CHECK(scored.at("surf_rank_corr_undefined").value == 30.0);
}

TEST_CASE("surf: norm_l1 without labels, with zero logits") {
  Made made;
  made.annotations.labels.clear();
  CHECK(surf(made.subject()).at("surf_norm_l1").reason == "not_applicable");
  made.annotations.labels.assign(30, 2);
  made.head.weight.row(2).setZero();
  made.head.bias(2) = 0.0;
  CHECK(surf(made.subject()).at("surf_norm_l1").reason == "undefined");
  made.annotations.labels[7] = 1;
  const Scores scored = surf(made.subject());
  CHECK(scored.at("surf_norm_l1").reason.empty());
  CHECK(scored.at("surf_norm_l1").message.find("29 samples left out") != std::string::npos);
}

TEST_CASE("surf: missing views") {
  Made made;
  Views subject = made.subject();
  subject.explanation = nullptr;
  CHECK(surf(subject).at("surf_mae").message == "needs an explanation");
  subject.head = nullptr;
  CHECK(surf(subject).at("surf_flops").message == "needs a head view");
}

TEST_CASE("surf: cost") {
  const Scores scored = surf(Made().subject());
  CHECK(scored.at("surf_params").value == 0.0);
  CHECK(scored.at("surf_flops").value == 2.0 * 5.0 * 3.0);
}

TEST_CASE("surf: the same bits from every thread") {
  Made made;
  made.explanation = rectified(made.explanation);
  const Scores expected = surf(made.subject());
  std::vector<Scores> found(8);
  std::vector<std::thread> threads;
  for (auto& mine : found) threads.emplace_back([&] { mine = surf(made.subject()); });
  for (std::thread& thread : threads) thread.join();
  for (const Scores& scores : found)
    for (const auto& [name, score] : expected) {
      CHECK(scores.at(name).value == score.value);
      CHECK(scores.at(name).parts == score.parts);
    }
}

TEST_CASE("surf: throws") {
  Made made;
  change_activations(made.head, [](Matrix& rows) { rows(5, 2) = std::nan(""); });
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "activations is nan", "row 5",
                      "column 2");
  made = Made();
  made.explanation = normal_explanation(4, 3, 6);
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "explanation", "4 outputs");
  made = Made();
  made.annotations.labels[3] = 5;
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "label 5 of sample 3");
}

}  // namespace

}  // namespace conoscope::tests
