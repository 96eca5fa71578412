// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "metrics/information/mi_noise.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Soft concepts of three independent true ones; `leak` mixes the label into every concept,
// and a share of the concepts is replaced by coin tosses.
struct World {
  ConceptView view;
  Annotations annotations;
  explicit World(double leak, double randomised = 0.0) {
    const Draws draw = normal_draws(3);
    const Index n = 800;
    view.scores.resize(n, 3);
    annotations.concepts.resize(n, 3);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < 3; ++j) annotations.concepts(i, j) = draw() > 0.0;
      const Index label = annotations.concepts.row(i).sum() >= 2.0;
      annotations.labels.push_back(label);
      for (Index j = 0; j < 3; ++j) {
        const bool toss = static_cast<double>((i * 37 + j * 11) % 100) < 100.0 * randomised;
        const double c = toss ? (draw() > 0.0 ? 1.0 : 0.0) : annotations.concepts(i, j);
        const double z = 3.0 * (c - 0.5) + leak * (static_cast<double>(label) - 0.5) + draw();
        view.scores(i, j) = 1.0 / (1.0 + std::exp(-z));
      }
    }
    view.probabilities = view.scores;
    view.intervene = [](const MatrixRef& scores, const MatrixRef&) {
      Matrix out = Matrix::Zero(scores.rows(), 2);
      out.col(1) = scores.rowwise().sum().array() - 1.5;
      return out;
    };
    view.outputs = view.intervene(view.scores, Matrix());
    view.reference_outputs = view.intervene(annotations.concepts, Matrix());
  }
  Views subject() const {
    Views out{.concepts = &view, .annotations = &annotations};
    return out;
  }
};

TEST_CASE("leakage: more of it scores higher; worse concepts score lower") {
  const auto none = score_group(World(0.0).subject(), "leakage");
  const auto some = score_group(World(2.0).subject(), "leakage");
  const auto much = score_group(World(6.0).subject(), "leakage");
  for (const char* name : {"ctl", "icl", "icl_ij", "icl_true_entropy", "ctl_conditional"}) {
    CAPTURE(name);
    CHECK(none.at(name).reason.empty());
    CHECK(none.at(name).value <= some.at(name).value);
    CHECK(some.at(name).value < much.at(name).value);
  }
  CHECK(much.at("ctl").parts.size() == 3);
  CHECK(much.at("icl_ij").parts.size() == 3);
  CHECK(none.at("ctl").message.empty());
  CHECK(none.at("mi_ct").reason == "not_applicable");
  // A perfect, a half-randomised and a randomised model.
  const auto half = score_group(World(0.0, 0.5).subject(), "leakage");
  const auto random = score_group(World(0.0, 1.0).subject(), "leakage");
  for (const char* name :
       {"concept_accuracy", "concept_f1", "concept_auc", "task_accuracy", "task_f1", "task_auc"}) {
    CAPTURE(name);
    CHECK(none.at(name).value > half.at(name).value);
    CHECK(half.at(name).value > random.at(name).value);
  }
}

TEST_CASE("leakage: where there are ties noise steps in, and the score says so") {
  World world(0.0);
  world.view.scores = (world.view.scores.array() > 0.5).cast<double>();
  world.view.scores(0, 0) = 0.5;  // no longer whole numbers
  const auto scores = score_group(world.subject(), "leakage");
  for (const char* name : {"ctl", "icl", "icl_ij", "icl_true_entropy"}) {
    CAPTURE(name);
    CHECK(scores.at(name).reason.empty());
    CHECK(scores.at(name).message.starts_with("noise breaks ties: concept 0 has the value of"));
    CHECK(scores.at(name).parts.size() == 3);
  }
}

TEST_CASE("leakage: ties of a part of the samples, as of saturated probabilities") {
  const auto with_ties = [](double share) {
    World world(6.0);
    for (Index j = 0; j < world.view.scores.cols(); ++j) {
      std::vector<double> column(world.view.scores.col(j).begin(), world.view.scores.col(j).end());
      std::sort(column.begin(), column.end());
      const auto at = static_cast<std::size_t>((1.0 - share) * static_cast<double>(column.size()));
      const double top = column[at];
      world.view.scores.col(j) =
          (world.view.scores.col(j).array() >= top).select(1.0, world.view.scores.col(j));
    }
    return score_group(world.subject(), "leakage");
  };
  const auto none = with_ties(0.005), few = with_ties(0.04);
  for (const char* name : {"ctl", "icl", "icl_ij", "icl_true_entropy"}) {
    CAPTURE(name);
    CHECK(none.at(name).message.empty());  // four samples with three others each
    CHECK(
        few.at(name).message ==
        "noise breaks ties: concept 0 has the value of at least 3 others in 32 of 800 samples (it "
        "is saturated: exactly 0 or 1 in 32); give the logits, or probabilities that are computed "
        "in float64");
  }
  // Nearly all that concepts say about the label is left, and noise finds it.
  const auto many = with_ties(0.3);
  CHECK(many.at("ctl").value > 0.8 * none.at("ctl").value);
  CHECK(many.at("ctl_conditional").value > 0.8 * none.at("ctl_conditional").value);
}

TEST_CASE("leakage: noise of a mean near 0 breaks no ties") {
  World world(2.0);
  world.view.scores = (world.view.scores.array() > 0.5).select(1.0, -1.0 * Matrix::Ones(800, 3));
  world.view.scores(0, 0) = 0.5;
  world.view.scores.rowwise() -= world.view.scores.colwise().mean().eval();
  world.view.probabilities = world.view.scores;
  const auto scores = score_group(world.subject(), "leakage");
  for (const char* name : {"ctl", "icl", "ctl_conditional", "conditional_leakage",
                           "ctl_significant", "icl_significant"}) {
    CAPTURE(name);
    CHECK(scores.at(name).reason == "undefined");
    CHECK(scores.at(name).message.find("too small to break") != std::string::npos);
  }
}

TEST_CASE("leakage: embeddings, and what is missing") {
  World world(1.0);
  const Draws draw = normal_draws(9);
  Matrix vectors(800, 6);
  for (Index i = 0; i < 800; ++i)
    for (Index c = 0; c < 6; ++c)
      vectors(i, c) = draw() + 10.0 * world.annotations.concepts(i, c / 2);
  world.view.scores = vectors;
  world.view.width = 2;
  auto scores = score_group(world.subject(), "leakage");
  CHECK(scores.at("mi_self").value == doctest::Approx(1.0).epsilon(0.02));
  CHECK(scores.at("mi_ic").value < 0.1);
  CHECK(scores.at("mi_ic").parts.size() == 9);
  CHECK(scores.at("ctl").reason.empty());  // by the probabilities
  CHECK(scores.at("mi_align").message == "the model has no vectors of present and absent concepts");
  world.view.active = world.view.inactive = vectors;
  scores = score_group(world.subject(), "leakage");
  CHECK(scores.at("mi_align").value == doctest::Approx(0.0));  // both sides are the same
  CHECK(scores.at("mi_align").parts.size() == 3);
  world.annotations.labels.assign(800, 1);
  scores = score_group(world.subject(), "leakage");
  CHECK(scores.at("mi_align").reason == "undefined");
  for (const char* name : {"ctl", "mi_ct", "mi_self", "task_auc"})
    CHECK(scores.at(name).reason == "undefined");
  world.annotations.labels.clear();
  scores = score_group(world.subject(), "leakage");
  for (const char* name : {"ctl", "mi_ct", "task_accuracy"})
    CHECK(scores.at(name).message == "needs annotated labels");
  world.annotations.concepts.conservativeResize(800, 2);
  scores = score_group(world.subject(), "leakage");
  CHECK(scores.at("icl").message == "the model has 3 concepts, the annotations 2");
}

TEST_CASE("leakage: representations without names are aligned first") {
  // The same scores in another order, one of them reversed, with one more that means nothing.
  World world(2.0);
  const Matrix named = world.view.scores;
  const auto wanted = score_group(world.subject(), "leakage");
  const Draws draw = normal_draws(17);
  world.view.scores.resize(800, 4);
  world.view.scores << named.col(2), -named.col(0), Vector::Zero(800), named.col(1);
  for (Index i = 0; i < 800; ++i) world.view.scores(i, 2) = draw();
  world.view.probabilities.resize(0, 0);
  const auto scores = score_group(world.subject(), "leakage");
  for (const char* name : {"ctl", "icl", "icl_ij", "icl_true_entropy", "ctl_conditional",
                           "ctl_significant", "concept_auc"}) {
    CAPTURE(name);
    CHECK(scores.at(name).value == doctest::Approx(wanted.at(name).value).epsilon(1e-12));
    CHECK(scores.at(name).parts.size() == wanted.at(name).parts.size());
  }
  CHECK(scores.at("concept_accuracy").message == "concept scores are no probabilities");
  World absent = world;
  absent.annotations.concepts.col(1).setZero();
  const auto without = score_group(absent.subject(), "leakage").at("concept_auc");
  CHECK(without.reason.empty());
  REQUIRE(without.parts.size() == 3);  // a part's number is its concept's
  CHECK(std::isnan(without.parts[1]));
  CHECK(without.message == "1 concept left out: the truth is constant");
  world.view.scores.conservativeResize(800, 2);
  CHECK(score_group(world.subject(), "leakage").at("ctl").message ==
        "2 representations cannot stand for 3 concepts");
}

TEST_CASE("mi_true_ic, mi_true_ct: what the annotations say, by hand") {
  World world(0.0);
  const auto independent = score_group(world.subject(), "leakage");
  CHECK(independent.at("mi_true_ic").parts.size() == 3);
  CHECK(independent.at("mi_true_ic").value < 0.01);
  // A majority of three has 1 bit, 0.811 of which remain when one vote is known.
  CHECK(independent.at("mi_true_ct").value == doctest::Approx(0.189).epsilon(0.15));
  world.annotations.concepts.col(1) = world.annotations.concepts.col(0);
  const Score twins = score_group(world.subject(), "leakage").at("mi_true_ic");
  CHECK(twins.parts[0] == doctest::Approx(1.0));
  CHECK(twins.parts[1] == twins.parts[2]);
  world.annotations.concepts(0, 0) = 0.5;
  CHECK(score_group(world.subject(), "leakage").at("mi_true_ct").message ==
        "the annotated concepts are not whole numbers");
}

TEST_CASE("leakage: one concept has no pairs; a constant truth has no AUC") {
  World world(1.0);
  world.view.scores.conservativeResize(800, 1);
  world.view.probabilities.conservativeResize(800, 1);
  world.annotations.concepts = Matrix::Ones(800, 1);
  const auto scores = score_group(world.subject(), "leakage");
  CHECK(scores.at("icl").reason == "not_applicable");
  CHECK(scores.at("icl_ij").reason == "not_applicable");
  CHECK(scores.at("ctl").reason.empty());
  CHECK(scores.at("concept_auc").reason == "undefined");
}

TEST_CASE("intervention: told all concepts, the head is right; policies are ordered") {
  const World world(0.0);
  const auto scores = score_group(world.subject(), "intervention");
  CHECK(scores.at("s_int").value == 0.0);
  CHECK(scores.at("reference_accuracy").value == 1.0);
  CHECK(scores.at("intervention_random").parts.size() == 4);
  CHECK(scores.at("intervention_random").parts.back() == doctest::Approx(1.0));
  CHECK(scores.at("intervention_gain").value ==
        doctest::Approx(1.0 - scores.at("intervention_random").parts.front()));
  CHECK(scores.at("intervention_oracle").value > scores.at("intervention_coop").value);
  CHECK(scores.at("intervention_coop").value > scores.at("intervention_random").value);
  CHECK(scores.at("s_int").message.empty());
}

TEST_CASE("s_int: a head that cannot be right of true concepts is not blamed for leakage") {
  World world(0.0);
  for (Index i = 0; i < 800; ++i) {  // c3 and (c1 xor c2): the head knows of majorities alone
    const auto c = world.annotations.concepts.row(i);
    world.annotations.labels[static_cast<std::size_t>(i)] = c(2) == 1.0 && c(0) != c(1);
  }
  const auto misspecified = score_group(world.subject(), "intervention");
  CHECK(misspecified.at("best_table_accuracy").value == 1.0);
  CHECK(misspecified.at("reference_accuracy").value < 0.9);
  CHECK(misspecified.at("s_int").value == 0.0);
  // The same kind of head does better by itself: what was lost has leaked.
  world.view.reference_outputs.setZero();
  world.view.reference_outputs.col(0).setConstant(0.5);
  const auto leaking = score_group(world.subject(), "intervention");
  CHECK(leaking.at("s_int").value == doctest::Approx(leaking.at("reference_accuracy").value -
                                                     misspecified.at("reference_accuracy").value));
}

TEST_CASE("s_int: parts are the wrong shares by number of present concepts") {
  World world(0.0);
  // Concepts told present outweigh those told absent: one of three suffices.
  world.view.intervene = [](const MatrixRef& scores, const MatrixRef&) {
    Matrix out = Matrix::Zero(scores.rows(), 2);
    out.col(1) = scores.rowwise().sum().array() - 0.5;
    return out;
  };
  const Score score = score_group(world.subject(), "intervention").at("s_int");
  CHECK(score.parts == std::vector<double>{0.0, 1.0, 0.0, 0.0});
  const Vector present = world.annotations.concepts.rowwise().sum();
  CHECK(score.value == doctest::Approx((present.array() == 1.0).cast<double>().mean()));
  world.annotations.concepts(0, 0) = 0.5;  // neither there nor not
  CHECK(score_group(world.subject(), "intervention").at("s_int").parts.empty());
}

TEST_CASE("s_int: a model without a reference head gets a linear one, and is told so") {
  World world(0.0);
  world.view.reference_outputs.resize(0, 0);
  const auto judged = score_group(world.subject(), "intervention");
  CHECK(judged.at("s_int").value == 0.0);
  CHECK(judged.at("reference_accuracy").value == 1.0);
  const std::string fitted =
      "the model brings no head that was trained on true concepts: the reference is a linear one, "
      "fitted to the ";
  CHECK(judged.at("s_int").message == fitted + "800 samples judged");
  Annotations known;
  known.concepts = world.annotations.concepts.topRows(400);
  known.labels.assign(world.annotations.labels.begin(), world.annotations.labels.begin() + 400);
  Views subject = world.subject();
  subject.train_annotations = &known;
  CHECK(score_group(subject, "intervention").at("reference_accuracy").message ==
        fitted + "400 training samples");
  // c3 and (c1 xor c2): no linear head is right of it.
  for (Index i = 0; i < 800; ++i) {
    const auto c = world.annotations.concepts.row(i);
    world.annotations.labels[static_cast<std::size_t>(i)] = c(2) == 1.0 && c(0) != c(1);
  }
  const auto misspecified = score_group(world.subject(), "intervention");
  CHECK(misspecified.at("reference_accuracy").value < 0.9);
  CHECK(misspecified.at("s_int").message.find(" of 800 samples, a table of true concepts of 800") !=
        std::string::npos);
  world.view.intervene = nullptr;
  CHECK(score_group(world.subject(), "intervention").at("reference_accuracy").message ==
        "the model answers no interventions");
}

TEST_CASE("best_table_accuracy: of many concepts, a head that generalises is better") {
  World world(0.0);
  const Draws draw = normal_draws(4);
  Annotations known;
  for (Annotations* part : {&world.annotations, &known}) {  // y: most of thirty concepts
    part->concepts.resize(800, 30);
    part->labels.clear();
    for (Index i = 0; i < 800; ++i) {
      for (Index j = 0; j < 30; ++j) part->concepts(i, j) = draw() > 0.0;
      part->labels.push_back(part->concepts.row(i).sum() > 15.0);
    }
  }
  world.view.scores = world.view.probabilities = world.annotations.concepts;
  world.view.intervene = [](const MatrixRef& scores, const MatrixRef&) {
    Matrix out = Matrix::Zero(scores.rows(), 2);
    out.col(1) = scores.rowwise().sum().array() - 15.5;
    return out;
  };
  world.view.reference_outputs.resize(0, 0);
  Views subject = world.subject();
  subject.train_annotations = &known;
  const auto scores = score_group(subject, "intervention");
  CHECK(scores.at("best_table_accuracy").value < 0.7);
  CHECK(scores.at("reference_accuracy").value > 0.95);
  CHECK(scores.at("reference_accuracy").message.find("a table") == std::string::npos);
}

TEST_CASE("intervention: logits are set to percentiles; what is missing") {
  World world(0.0);
  world.view.scores *= 8.0;
  CHECK(score_group(world.subject(), "intervention").at("s_int").message.find("percentiles") !=
        std::string::npos);
  // The training samples' percentiles, where there are any; and a head made on them.
  ConceptView train;
  train.scores = world.view.scores.topRows(400);
  Annotations known;
  known.concepts = world.annotations.concepts.topRows(400);
  known.labels.assign(world.annotations.labels.begin(), world.annotations.labels.begin() + 400);
  Views subject = world.subject();
  subject.train_concepts = &train;
  subject.train_annotations = &known;
  const auto scores = score_group(subject, "intervention");
  CHECK(scores.at("s_int").message ==
        "logits were set to the 5th and 95th percentiles of the training samples");
  CHECK(scores.at("best_table_accuracy").value == 1.0);
  CHECK(scores.at("best_table_accuracy").message == "a table made on 400 training samples");
  world.view.intervene = nullptr;
  CHECK(score_group(world.subject(), "intervention").at("s_int").message ==
        "the model answers no interventions");
  CHECK(score_group(Views(), "intervention").at("s_int").message == "needs a concept view");
}

}  // namespace

}  // namespace conoscope::tests
