#include "metrics/faithfulness/surf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_mae.h"
#include "metrics/faithfulness/surf_surrogate.h"
#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

struct Scored {
  explicit Scored(const Views& subject, const SurfOptions& options = {}) {
    for (const Score& score : surf(subject, options)) {
      order.push_back(score.name);
      CHECK(by_name.emplace(score.name, score).second);
      CHECK(std::isfinite(score.value));
    }
  }
  const Score& operator[](const std::string& name) const { return by_name.at(name); }
  std::vector<std::string> order;
  std::map<std::string, Score> by_name;
};

struct Made {
  HeadView head = random_head(30, 4, 6, 5, Pooling::kMean);
  Explanation explanation = normal_explanation(5, 3, 6);
  Annotations annotations{IndexVector(30, 2), {}, {}, {}};
  Views subject() const {
    Views all;
    all.head = &head;
    all.explanation = &explanation;
    all.annotations = &annotations;
    return all;
  }
};

const std::vector<std::string> kMeasures{
    "surf_mae",     "surf_emd",      "surf_top1",    "surf_rank_corr", "surf_rank_corr_undefined",
    "surf_norm_l1", "surf_attr_acc", "surf_prob_mae"};

TEST_CASE("surf: every row of the catalogue, always, in its order and within its range") {
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
    const Scored scored(subject);
    const auto rows = catalogue().select("surf");
    REQUIRE(rows.size() == scored.order.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i]->name == scored.order[i]);
      const Score& score = scored[scored.order[i]];
      if (score.reason.empty()) {
        CHECK(score.value >= rows[i]->low);
        CHECK(score.value <= rows[i]->high);
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
    const Scored scored(made.subject());
    std::vector<std::string> names;
    for (const std::string& name : kMeasures) {
      CHECK(scored[name].reason == scored[name + "_spatial_mean"].reason);
      if (scored[name].reason.empty())
        names.push_back(name);
      else
        CHECK(scored[name].reason == "not_applicable");
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
  const Scored linear(made.subject());
  CHECK(linear["surf_mae"].value == linear["surf_mae_spatial_mean"].value);
  made.explanation = rectified(made.explanation);
  const Scored curved(made.subject());
  const Matrix model = model_logits(made.head);
  CHECK(curved["surf_mae"].value == surf_mae(model, surf_surrogate(made.head, made.explanation)));
  CHECK(curved["surf_mae_spatial_mean"].value ==
        surf_mae(model, surf_surrogate(made.head, made.explanation, PositionRule::kSpatialMean)));
  CHECK(curved["surf_mae"].value != curved["surf_mae_spatial_mean"].value);
  SurfOptions pooled_only;
  pooled_only.spatial_mean = false;
  CHECK(Scored(made.subject(), pooled_only)["surf_mae_spatial_mean"].reason == "not_applicable");
}

TEST_CASE("surf: a flatten head has no mean over positions") {
  Made made;
  made.head = random_head(30, 4, 6, 5, Pooling::kFlatten);
  const Scored scored(made.subject());
  CHECK(scored["surf_mae"].reason.empty());
  CHECK(scored["surf_mae_spatial_mean"].reason == "not_applicable");
}

TEST_CASE("surf: parts are per sample and average to the value") {
  const Scored scored(Made().subject());
  for (const char* name : {"surf_mae", "surf_emd", "surf_rank_corr"}) {
    const Score& score = scored[name];
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
  const Scored scored(made.subject());
  CHECK(scored["surf_emd"].value == 0.0);
  CHECK(scored["surf_top1"].value == 1.0);
  CHECK(scored["surf_rank_corr"].reason == "undefined");
  CHECK(scored["surf_rank_corr_undefined"].value == 30.0);
}

TEST_CASE("surf: a surrogate that is constant over outputs is uncorrelated, not unknown") {
  Made made;
  made.head.bias.setConstant(0.25);
  made.explanation.importance.setZero();
  const Scored scored(made.subject());
  CHECK(scored["surf_rank_corr"].reason.empty());
  CHECK(scored["surf_rank_corr"].value == 0.0);
  CHECK(scored["surf_rank_corr_undefined"].value == 30.0);
}

TEST_CASE("surf: norm_l1 without labels, with zero logits") {
  Made made;
  made.annotations.labels.clear();
  CHECK(Scored(made.subject())["surf_norm_l1"].reason == "not_applicable");
  made.annotations.labels.assign(30, 2);
  made.head.weight.row(2).setZero();
  made.head.bias(2) = 0.0;
  CHECK(Scored(made.subject())["surf_norm_l1"].reason == "undefined");
  made.annotations.labels[7] = 1;
  const Scored scored(made.subject());
  CHECK(scored["surf_norm_l1"].reason.empty());
  CHECK(scored["surf_norm_l1"].message.find("29 samples left out") != std::string::npos);
}

TEST_CASE("surf: missing views") {
  Made made;
  Views subject = made.subject();
  subject.explanation = nullptr;
  CHECK(Scored(subject)["surf_mae"].message == "needs an explanation");
  subject.head = nullptr;
  CHECK(Scored(subject)["surf_flops"].message == "needs a head view");
}

TEST_CASE("surf: cost") {
  const Scored scored(Made().subject());
  CHECK(scored["surf_params"].value == 0.0);
  CHECK(scored["surf_flops"].value == 2.0 * 5.0 * 3.0);
}

TEST_CASE("surf: the same bits from every thread") {
  Made made;
  made.explanation = rectified(made.explanation);
  const std::vector<Score> expected = surf(made.subject());
  std::vector<std::vector<Score>> found(8);
  std::vector<std::thread> threads;
  for (auto& mine : found) threads.emplace_back([&] { mine = surf(made.subject()); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& scores : found)
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(scores[i].value == expected[i].value);
      CHECK(scores[i].parts == expected[i].parts);
    }
}

TEST_CASE("surf: throws") {
  Made made;
  made.head.activations(5, 2) = std::nan("");
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "activations is nan", "row 5",
                      "column 2");
  made = Made();
  made.explanation = normal_explanation(4, 3, 6);
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "surf_surrogate", "4 outputs");
  made = Made();
  made.annotations.labels[3] = 5;
  CHECK_THROWS_SAYING(surf(made.subject()), std::invalid_argument, "label 5 of sample 3");
}

}  // namespace

}  // namespace conoscope::tests
