// SPDX-License-Identifier: Apache-2.0
// What pictures are drawn from: each table against values worked out by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "metrics/catalogue.h"
#include "metrics/robustness/interventional_effects.h"
#include "metrics/robustness/irs_matrix.h"
#include "metrics/summaries/shown_items.h"
#include "metrics/summaries/summary.h"
#include "numerics/random.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// The rows of a summary, by column.
struct Rows {
  Rows(const Subject& subject, std::string_view name)
      : of(*find_summary(name.substr(0, name.find('(')))) {
    const Score found = score(*catalogue().metric(name), subject);
    CAPTURE(found.message);
    REQUIRE(found.reason.empty());
    cells = found.parts;
    caveat = found.message;
    CHECK(found.value == static_cast<double>(size()));
  }

  std::size_t size() const { return cells.size() / of.columns.size(); }
  double at(std::size_t row, const std::string& column) const {
    const auto place = std::find(of.columns.begin(), of.columns.end(), column);
    REQUIRE(place != of.columns.end());
    return cells.at(row * of.columns.size() + static_cast<std::size_t>(place - of.columns.begin()));
  }

  const Summary& of;
  std::vector<double> cells;
  std::string caveat;
};

std::string reason_of(const Subject& subject, std::string_view name) {
  const Score found = score(*catalogue().metric(name), subject);
  return found.reason + ": " + found.message;
}

/// Two concepts of a bottleneck, annotated, of four samples.
struct Bottleneck {
  Bottleneck() {
    view.scores.resize(4, 2);
    view.scores << 0.0, 1.0, 0.1, 0.5, 0.9, 0.5, 1.0, 0.0;
    view.probabilities = view.scores;
    known.concepts.resize(4, 2);
    known.concepts << 0, 1, 0, 0, 1, 1, 1, 0;
    known.labels = {0, 1, 1, 1};
  }
  Views views() const { return {.concepts = &view, .annotations = &known}; }

  ConceptView view;
  Annotations known;
};

TEST_CASE("summaries: off unless asked for, with a table as declared") {
  CHECK(catalogue().select(kSummaries).size() == summaries().size());
  for (const Summary& summary : summaries()) {
    CAPTURE(summary.name);
    const Metric& metric = *catalogue().metric(summary.name);
    CHECK(metric.direction == Direction::kNone);
    CHECK(metric.unit == "rows");
    CHECK_FALSE(summary.columns.empty());
  }
}

TEST_CASE("concept_histogram: every sample is in the bin of its activation, value and label") {
  Bottleneck model;
  const Subject subject(model.views());
  const Rows rows(subject, "concept_histogram");
  REQUIRE(rows.size() == 6);  // (0,0) (0,1) (1,1) of the first concept; (0,1) (1,0) (1,1)
  CHECK(rows.at(0, "concept") == 0.0);
  CHECK(rows.at(0, "truth") == 0.0);
  CHECK(rows.at(0, "label") == 0.0);
  CHECK(rows.at(0, "low") == 0.0);
  CHECK(rows.at(0, "high") == 1.0);
  CHECK(rows.at(0, "bin_0") == 1.0);
  CHECK(rows.at(1, "bin_2") == 1.0);   // 0.1
  CHECK(rows.at(2, "bin_18") == 1.0);  // 0.9
  CHECK(rows.at(2, "bin_19") == 1.0);  // 1.0: the largest is in the last
  double counted = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (int b = 0; b < 20; ++b) counted += rows.at(r, "bin_" + std::to_string(b));
  CHECK(counted == 8.0);  // 4 samples, 2 concepts

  model.known = {};
  const Rows bare(Subject(model.views()), "concept_histogram");
  REQUIRE(bare.size() == 2);
  CHECK(std::isnan(bare.at(0, "truth")));
  CHECK(std::isnan(bare.at(0, "label")));
}

TEST_CASE(
    "summaries: an activation that is not finite is refused, annotations of other samples unused") {
  Bottleneck model;
  model.known.concepts.conservativeResize(3, 2);
  const Rows rows(Subject(model.views()), "concept_correlation");
  CHECK(std::isnan(rows.at(0, "truth")));
  model.view.scores(2, 1) = kNoNumber;
  const Subject broken(model.views());
  for (const char* name : {"concept_histogram", "concept_correlation"})
    CHECK_THROWS_AS(score(*catalogue().metric(name), broken), std::invalid_argument);
}

TEST_CASE("concept_histogram: of many concepts the first, of many labels one") {
  ConceptView view;
  view.scores = Matrix::Constant(30, 40, 0.5);
  Annotations known;
  for (Index i = 0; i < 30; ++i) known.labels.push_back(i);
  const Rows rows(Subject({.concepts = &view, .annotations = &known}), "concept_histogram");
  CHECK(rows.size() == 12);
  CHECK(rows.caveat == "the first 12 of 40 concepts");
  CHECK(std::isnan(rows.at(0, "label")));
  CHECK(rows.at(0, "bin_0") == 30.0);  // all are equal
}

TEST_CASE("concept_correlation: Pearson's r of representations and of annotations") {
  Bottleneck model;
  const Rows rows(Subject(model.views()), "concept_correlation");
  REQUIRE(rows.size() == 4);
  CHECK(rows.at(0, "correlation") == doctest::Approx(1.0));
  // Centred (-.5 -.4 .4 .5) and (.5 0 0 -.5): -0.5 / sqrt(0.82 * 0.5).
  CHECK(rows.at(1, "correlation") == doctest::Approx(-0.5 / std::sqrt(0.82 * 0.5)));
  CHECK(rows.at(1, "correlation") == rows.at(2, "correlation"));
  CHECK(rows.at(1, "truth") == 0.0);

  model.view.scores.col(1).setConstant(0.3);
  model.view.probabilities = model.view.scores;
  const Rows constant(Subject(model.views()), "concept_correlation");
  CHECK(constant.at(0, "correlation") == doctest::Approx(1.0));
  CHECK(std::isnan(constant.at(1, "correlation")));
  CHECK(std::isnan(constant.at(3, "correlation")));
}

TEST_CASE("embedding_components: along the directions of the largest variance") {
  // Two concepts in the plane: the first varies along (1, 1), the second along its second axis.
  ConceptView view;
  view.width = 2;
  view.scores.resize(4, 4);
  view.scores << 1, 1, 0, 4, 3, 3, 0, 0, 5, 5, 1, 2, 7, 7, 1, 2;
  view.probabilities = Matrix::Constant(4, 2, 0.5);
  Annotations known;
  known.labels = {0, 1, 0, 1};
  const Subject subject({.concepts = &view, .annotations = &known});
  const Rows rows(subject, "embedding_components");
  REQUIRE(rows.size() == 8);
  const double root = std::sqrt(2.0);
  CHECK(rows.at(0, "first") == doctest::Approx(-3.0 * root));
  CHECK(rows.at(3, "first") == doctest::Approx(3.0 * root));
  CHECK(rows.at(1, "second") == doctest::Approx(0.0));
  CHECK(rows.at(4, "concept") == 1.0);
  CHECK(rows.at(4, "first") == doctest::Approx(2.0));  // 4 - 2, its axis points up
  CHECK(rows.at(1, "label") == 1.0);

  view.width = 1;
  CHECK(reason_of(Subject({.concepts = &view}), "embedding_components") ==
        "not_applicable: concepts are numbers, not embeddings");
}

/// A full grid of three factors; the first code is the first factor, the second follows two.
struct Grid {
  Grid() {
    known.factors.resize(4 * 3 * 5, 3);
    for (Index i = 0; i < known.factors.rows(); ++i)
      known.factors.row(i) << static_cast<double>(i / 15), static_cast<double>(i / 5 % 3),
          static_cast<double>(i % 5);
    latent.codes.resize(known.factors.rows(), 3);
    latent.codes.col(0) = known.factors.col(0);
    latent.codes.col(1) = known.factors.col(1) + 0.5 * known.factors.col(2);
    latent.codes.col(2).setConstant(1.0);
  }
  Views views() const { return {.latent = &latent, .annotations = &known, .seed = 3}; }

  LatentView latent;
  Annotations known;
};

TEST_CASE("dependency_matrix: the entries of irs_matrix; a constant latent has none") {
  const Grid grid;
  const Subject subject(grid.views());
  const Rows rows(subject, "dependency_matrix");
  const IrsMatrix irs = irs_matrix(grid.latent.codes, grid.known.factors);
  REQUIRE(rows.size() == 9);
  for (std::size_t r = 0; r < 6; ++r)
    CHECK(rows.at(r, "irs") == irs.irs(static_cast<Index>(r / 3), static_cast<Index>(r % 3)));
  CHECK(std::isnan(rows.at(6, "irs")));
  CHECK(rows.at(0, "information") == doctest::Approx(1.0));
  CHECK(rows.at(1, "information") == doctest::Approx(0.0));
}

TEST_CASE("interventional_effect: the lines of interventional_effects; violins of every value") {
  const Grid grid;
  const Subject subject(grid.views());
  const Rows rows(subject, "interventional_effect");
  const auto effects = interventional_effects(grid.latent.codes, grid.known.factors, {0, 1, -1});
  std::size_t own = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto latent = static_cast<std::size_t>(rows.at(r, "latent"));
    REQUIRE(latent < 2);
    if (rows.at(r, "factor") == rows.at(r, "parent")) {
      CHECK(std::isnan(rows.at(r, "held")));
      const auto value = static_cast<Index>(rows.at(r, "value"));
      CHECK(rows.at(r, "mean") == effects[latent].curve.mean[value]);
      CHECK(rows.at(r, "deviation") == effects[latent].curve.standard_deviation[value]);
      ++own;
      continue;
    }
    for (const EffectLines& lines : effects[latent].lines)
      if (static_cast<double>(lines.factor) == rows.at(r, "factor"))
        CHECK(rows.at(r, "mean") == lines.given_parent(static_cast<Index>(rows.at(r, "held")),
                                                       static_cast<Index>(rows.at(r, "value"))));
  }
  CHECK(own == 4 + 3);
  CHECK(rows.size() == 4 + 4 * (3 + 5) + 3 + 3 * (4 + 5));

  const Rows outlines(subject, "latent_violin");
  REQUIRE(outlines.size() == 2 * (4 + 3 + 5));
  CHECK(std::isnan(outlines.at(0, "density_0")));  // the first code at the first factor: one value
  const auto expected = violins(grid.latent.codes.col(1), grid.known.factors.col(0), 24);
  CHECK(outlines.at(12, "latent") == 1.0);
  CHECK(outlines.at(12, "high") == expected[0].position[23]);
  CHECK(outlines.at(12, "density_7") == expected[0].density[7]);
}

TEST_CASE("interventional_effect: of many values some, evenly spaced") {
  CHECK(evenly(3, 5) == IndexVector{0, 1, 2});
  CHECK(evenly(10, 5) == IndexVector{0, 2, 4, 6, 8});
  CHECK(evenly(0, 5).empty());
}

/// Five samples of four positions, a square; two outputs with a concept each, the two features.
struct Explained {
  Explained() {
    activations = Matrix::Zero(5 * 4, 2);
    for (Index i = 0; i < 5; ++i) activations(i * 4 + i % 4, 0) = static_cast<double>(i);
    head.activations = activations;
    head.positions = 4;
    head.pooling = Pooling::kMean;
    head.weight = Matrix::Identity(2, 2);
    head.bias = Vector::Constant(2, 0.5);
    explanation.cavs = Matrix::Identity(2, 2);
    explanation.importance = Vector::Ones(2);
    explanation.offset = {0, 1, 2};
    concepts.scores.resize(5, 2);
    for (Index i = 0; i < 5; ++i) concepts.scores.row(i) << static_cast<double>(i) / 4.0, 0.0;
    known.labels = {0, 1, 0, 1, 1};
  }
  Views views() const {
    return {
        .head = &head, .explanation = &explanation, .concepts = &concepts, .annotations = &known};
  }

  Matrix activations;
  HeadView head;
  Explanation explanation;
  ConceptView concepts;
  Annotations known;
};

/// Level 63 of a 2 x 2 grid's cell.
double cell_of(Index column) { return 63.0 * std::pow(64.0, static_cast<double>(column)); }

TEST_CASE("concept_cards: share and range, the strongest first, and where they fire") {
  Explained of;
  const Subject subject(of.views());
  const Rows rows(subject, "concept_cards");
  REQUIRE(rows.size() == 6);  // of one concept: the second is 0 in every sample
  CHECK(rows.caveat == "1 of 2 concepts have the same score in every sample");
  CHECK(rows.at(0, "output") == 0.0);
  CHECK(rows.at(0, "importance") == 1.0);
  CHECK(rows.at(0, "share") == 0.8);
  CHECK(rows.at(0, "low") == 0.0);
  CHECK(rows.at(0, "high") == 1.0);
  CHECK(rows.at(0, "rank") == 0.0);
  CHECK(rows.at(0, "sample") == 4.0);
  CHECK(rows.at(1, "sample") == 3.0);
  CHECK(rows.at(0, "label") == 1.0);
  CHECK(rows.at(0, "activation") == 1.0);
  CHECK(rows.at(0, "row_0") == cell_of(0));  // sample 4 fires at position 0
  CHECK(rows.at(0, "row_1") == 0.0);
  CHECK(std::isnan(rows.at(0, "row_2")));
  CHECK(rows.at(1, "row_1") == std::round(63.0 * 0.75) * 64.0);  // sample 3 at position 3
  CHECK(std::isnan(rows.at(5, "rank")));
  CHECK(rows.at(5, "sample") == 0.0);  // where it is weakest
  CHECK(rows.at(5, "row_0") == 0.0);

  // The more important concept comes first; of equals the lowest sample.
  of.concepts.scores.col(1).tail(2).setOnes();
  of.explanation.importance << 1.0, -2.0;
  const Rows both(Subject(of.views()), "concept_cards");
  REQUIRE(both.size() == 12);
  CHECK(both.at(0, "concept") == 1.0);
  CHECK(both.at(0, "output") == 1.0);
  CHECK(both.at(0, "importance") == -2.0);
  CHECK(both.at(0, "sample") == 3.0);
  CHECK(both.at(6, "concept") == 0.0);

  of.head.positions = 2;
  of.head.activations = Matrix(of.activations.topRows(10));
  const Rows uneven(Subject(of.views()), "concept_cards");
  CHECK(std::isnan(uneven.at(0, "row_0")));  // no square

  const Rows bottleneck(Subject({.concepts = &of.concepts}), "concept_cards");
  CHECK(bottleneck.at(0, "concept") == 0.0);
  CHECK(std::isnan(bottleneck.at(0, "output")));
}

TEST_CASE("concept_cards: outputs with concepts of their own take turns") {
  Explained of;
  of.concepts.scores.resize(5, 60);
  for (Index i = 0; i < of.concepts.scores.size(); ++i)
    of.concepts.scores.data()[i] = static_cast<double>(i % 7);
  of.explanation.cavs = Matrix::Ones(60, 2);
  of.explanation.importance = Vector::LinSpaced(60, 60.0, 1.0);
  of.explanation.offset = {0, 50, 60};
  const Rows turns(Subject(of.views()), "concept_cards");
  CHECK(turns.size() == 24 * 6);
  CHECK(turns.caveat == "the 24 of 60 most important concepts");
  CHECK(turns.at(0, "concept") == 0.0);
  CHECK(turns.at(6, "concept") == 50.0);
  CHECK(turns.at(12, "concept") == 1.0);

  of.explanation.class_agnostic = true;
  of.explanation.importance_by_output = Matrix::Zero(2, 60);
  of.explanation.importance_by_output(1, 59) = -3.0;
  const Rows shared(Subject(of.views()), "concept_cards");
  CHECK(shared.at(0, "concept") == 59.0);
  CHECK(shared.at(0, "output") == 1.0);
  CHECK(shared.at(0, "importance") == -3.0);
}

TEST_CASE("explained_samples: contributions that add up to the surrogate's logit") {
  Explained of;
  of.explanation.importance << 0.5, 1.0;
  const Subject subject(of.views());
  const Rows rows(subject, "explained_samples");
  // Sample 0 ties, to output 0 as the others; three of its five are shown, a concept each.
  REQUIRE(rows.size() == 3);
  CHECK(rows.at(0, "choice") == 0.0);
  CHECK(rows.at(0, "sample") == 0.0);
  CHECK(rows.at(1, "choice") == 1.0);
  CHECK(rows.at(1, "sample") == 2.0);
  CHECK(rows.at(2, "choice") == 2.0);
  CHECK(rows.at(2, "sample") == 4.0);
  CHECK(rows.at(2, "label") == 1.0);
  CHECK(rows.at(2, "output") == 0.0);
  CHECK(rows.at(2, "logit") == 1.5);
  CHECK(rows.at(2, "surrogate_logit") == 1.0);
  CHECK(rows.at(2, "bias") == 0.5);
  CHECK(rows.at(2, "concept") == 0.0);
  CHECK(rows.at(2, "score") == 1.0);
  CHECK(rows.at(2, "importance") == 0.5);
  CHECK(rows.at(2, "contribution") == 0.5);
  CHECK(rows.at(2, "probability") == doctest::Approx(1.0 / (1.0 + std::exp(-1.0))));
  CHECK(rows.at(2, "surrogate_probability") == doctest::Approx(1.0 / (1.0 + std::exp(-0.5))));
  CHECK(rows.at(2, "surrogate_output") == 0.0);
  CHECK(rows.at(2, "row_0") == cell_of(0));
  CHECK(rows.at(2, "row_1") == 0.0);

  // A twin shows the same samples, though its own errors differ.
  const Explanation original = of.explanation;
  of.explanation.importance << 0.0, 2.0;
  Views views = of.views();
  views.twin_of = &original;
  const Rows twin(Subject(views), "explained_samples");
  for (std::size_t r = 0; r < 3; ++r) CHECK(twin.at(r, "sample") == rows.at(r, "sample"));
  CHECK(twin.at(2, "surrogate_logit") == 0.5);

  const Rows asked(subject, "explained_samples(sample=3+1)");
  REQUIRE(asked.size() == 2);
  CHECK(asked.at(0, "sample") == 3.0);
  CHECK(std::isnan(asked.at(0, "choice")));
  CHECK(reason_of(subject, "explained_samples(sample=5)") ==
        "not_applicable: there is no test sample 5: the last of them is 4");

  of.head.output = Output::kRegression;
  CHECK(std::isnan(Rows(Subject(of.views()), "explained_samples").at(0, "probability")));
}

TEST_CASE("explained_samples: of many concepts the largest, and what the others add") {
  numerics::Random random(2);
  for (const bool class_agnostic : {false, true})
    for (const Pooling pooling : {Pooling::kMean, Pooling::kFlatten}) {
      Explained of;
      of.head.pooling = pooling;
      for (Index i = 0; i < of.activations.size(); ++i)
        of.activations.data()[i] = random.uniform(-1.0, 1.0);
      of.head.activations = of.activations;
      if (pooling == Pooling::kFlatten) of.head.weight = Matrix::Random(2, 8);
      of.explanation.cavs = Matrix::Random(class_agnostic ? 9 : 13, 2);
      of.explanation.class_agnostic = class_agnostic;
      of.explanation.importance = Vector::Random(13);
      of.explanation.importance_by_output = Matrix::Random(2, 9);
      of.explanation.offset = {0, 4, 13};
      // Not linear: |h V^T|.
      of.explanation.project = [&](Index output, const MatrixRef& rows) -> Matrix {
        const Matrix cavs = class_agnostic ? of.explanation.cavs
                            : output == 0  ? of.explanation.cavs.topRows(4)
                                           : of.explanation.cavs.bottomRows(9);
        return (rows * cavs.transpose()).cwiseAbs();
      };
      const Rows rows(Subject(of.views()), "explained_samples");
      std::map<double, double> sums, logits;
      std::size_t rests = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double sample = rows.at(r, "sample");
        sums.try_emplace(sample, rows.at(r, "bias")).first->second += rows.at(r, "contribution");
        logits[sample] = rows.at(r, "surrogate_logit");
        rests += std::isnan(rows.at(r, "concept")) ? 1 : 0;
        if (r > 0 && rows.at(r - 1, "sample") == sample && !std::isnan(rows.at(r, "concept")))
          CHECK(std::abs(rows.at(r, "contribution")) <= std::abs(rows.at(r - 1, "contribution")));
        CHECK(std::isnan(rows.at(r, "row_0")) ==
              (pooling == Pooling::kFlatten || std::isnan(rows.at(r, "concept"))));
      }
      CHECK(rests > 0);
      for (const auto& [sample, sum] : sums)
        CHECK(sum == doctest::Approx(logits.at(sample)).epsilon(1e-12));
    }
}

TEST_CASE("explained_samples: an output without a concept has its bias alone") {
  Explained of;
  of.explanation.cavs = Matrix::Identity(1, 2);
  of.explanation.importance = Vector::Ones(1);
  of.explanation.offset = {0, 0, 1};
  const Rows rows(Subject(of.views()), "explained_samples");
  CHECK(std::isnan(rows.at(0, "concept")));
  CHECK(rows.at(0, "contribution") == 0.0);
  CHECK(rows.at(0, "surrogate_logit") == 0.5);
}

TEST_CASE("surrogate_logits, concept_importances: as the explanation says") {
  Explained of;
  of.explanation.importance << 0.5, 9.0;
  const Subject subject(of.views());
  const Rows logits(subject, "surrogate_logits");
  REQUIRE(logits.size() == 5);
  CHECK(logits.at(4, "sample") == 4.0);
  CHECK(logits.at(4, "label") == 1.0);
  CHECK(logits.at(4, "output") == 0.0);
  CHECK(logits.at(4, "logit") == 1.5);
  CHECK(logits.at(4, "surrogate_logit") == 1.0);
  CHECK(logits.at(4, "surrogate_output") == 0.0);

  const Rows own(subject, "concept_importances");
  REQUIRE(own.size() == 2);
  CHECK(own.at(1, "output") == 1.0);
  CHECK(own.at(1, "concept") == 0.0);  // the first of its output
  CHECK(own.at(1, "importance") == 9.0);

  of.explanation.cavs = Matrix::Ones(20, 2);
  of.explanation.class_agnostic = true;
  of.explanation.importance_by_output = Matrix::Zero(2, 20);
  of.explanation.importance_by_output(1, 17) = -4.0;
  const Rows shared(Subject(of.views()), "concept_importances");
  CHECK(shared.size() == 24);
  CHECK(shared.caveat == "the 12 most important of 20 concepts");
  CHECK(shared.at(0, "concept") == 17.0);
  CHECK(shared.at(12, "importance") == -4.0);
}

TEST_CASE("latent_traversals: what is decoded, packed; a latent is moved and the others stay") {
  // 20 samples of 8 latents; latent l varies l times as much. The decoder paints latent 7 into the left
  // half of a 64 x 32 image, and latent 2 into the right one.
  LatentView latent;
  latent.codes.resize(20, 8);
  for (Index i = 0; i < 20; ++i)
    for (Index l = 0; l < 8; ++l) latent.codes(i, l) = static_cast<double>(i * l) / 200.0;
  latent.decode = [](const MatrixRef& codes) -> Matrix {
    Matrix out(codes.rows(), 64 * 32);
    for (Index i = 0; i < out.rows(); ++i)
      for (Index p = 0; p < out.cols(); ++p) out(i, p) = codes(i, p % 32 < 16 ? 7 : 2);
    return out;
  };
  ImageView images;
  Matrix pixels = Matrix::Zero(20, 64 * 32);
  pixels(3, 5) = 1.0;
  images.pixels = pixels;
  images.height = 64;
  images.width = 32;
  images.channels = 1;
  const Annotations known;
  const Subject subject({.latent = &latent, .annotations = &known, .images = &images});
  const Rows rows(subject, "latent_traversals");
  REQUIRE(rows.size() == 7 + 7 * 6);
  CHECK(rows.caveat == "the 6 of 8 latents that vary most");
  CHECK(std::isnan(rows.at(1, "latent")));
  CHECK(rows.at(1, "sample") == 2.0);
  const auto level = [&](std::size_t row, int pixel) {  // of the first of two pixels, red
    return std::floor(rows.at(row, "pixel_" + std::to_string(pixel)) / 0x1p40);
  };
  CHECK(level(6, 0) == std::round(255.0 * latent.codes(17, 7)));
  CHECK(level(6, 8) == std::round(255.0 * latent.codes(17, 2)));
  // Grey: all colours and both pixels alike.
  const double grey = level(6, 0);
  double both = 0.0;
  for (int byte = 0; byte < 6; ++byte) both = both * 256.0 + grey;
  CHECK(rows.at(6, "pixel_0") == both);
  // Latents 2 to 7, the last of which is moved in the last seven rows.
  CHECK(rows.at(7, "latent") == 2.0);
  CHECK(rows.at(42, "latent") == 7.0);
  CHECK(rows.at(42, "value") == 0.0);
  CHECK(rows.at(48, "value") == latent.codes(19, 7));
  CHECK(level(48, 0) == std::round(255.0 * latent.codes(19, 7)));
  CHECK(level(48, 8) == 0.0);  // as the first sample has it
  CHECK(level(13, 8) == std::round(255.0 * latent.codes(19, 2)));

  latent.decode = nullptr;
  CHECK(reason_of(subject, "latent_traversals") ==
        "not_applicable: the model does not turn codes back into inputs (decode)");
}

TEST_CASE("purity_matrix: that of ois, beside the oracle's") {
  numerics::Random random(4);
  ConceptView view;
  Annotations known;
  known.concepts.resize(200, 2);
  view.scores.resize(200, 2);
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < 2; ++j) {
      known.concepts(i, j) = random.uniform(0.0, 1.0) < 0.5 ? 0.0 : 1.0;
      view.scores(i, j) = known.concepts(i, j) * 0.8 + random.uniform(0.0, 0.2);
    }
  view.probabilities = view.scores;
  const Subject subject({.concepts = &view, .annotations = &known, .seed = 1});
  const Score ois = score(*catalogue().metric("ois"), subject);
  REQUIRE(ois.parts.size() == 4);
  const Rows rows(subject, "purity_matrix");
  REQUIRE(rows.size() == 4);
  double squares = 0.0;
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(rows.at(r, "auc") == ois.parts[r]);
    squares += std::pow(rows.at(r, "auc") - rows.at(r, "ideal"), 2);
  }
  CHECK(rows.at(0, "ideal") == 1.0);
  CHECK(std::sqrt(squares) == doctest::Approx(ois.value));  // 2/k = 1
}

}  // namespace

}  // namespace conoscope::tests
