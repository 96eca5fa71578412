// SPDX-License-Identifier: Apache-2.0
// A world with known features: activations that are sums of few of many directions, more than there
// are dimensions; a linear head above them, whose true importances follow. No network, no file.

#include <algorithm>
#include <cstdio>

#include "conoscope/sdk/dataset.h"
#include "datasets/list_text.h"
#include "datasets/superposition/head.h"
#include "datasets/superposition/world.h"

namespace {

namespace sdk = conoscope::sdk;
namespace world_of = conoscope::datasets::superposition;
using world_of::Index;
using world_of::IndexVector;
using world_of::Matrix;
using world_of::Vector;

/// By far most of the rows' time is spent per row, so blocks need only be small.
constexpr Index kBlock = 128;
/// Of the world's own stream, by which the classes are chosen: the same for all seeds of a run.
constexpr Index kRateRows = 20000;
/// Of the head, as a share of the mean variance of a dimension.
constexpr double kRidge = 1e-3;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("features", 1024).between(2, 1000000).help("N: how many there are"),
    sdk::integer("width", 128).between(2, 100000).help("D: dimensions that they share"),
    sdk::integer("roots", 8).between(0, 1000000).help("trees; features left over are in none"),
    sdk::integer("branching", 4).between(1, 1000000).help("children of each feature of a tree"),
    sdk::integer("depth", 3).between(0, 64).help("levels below the roots"),
    sdk::real("exponent", 0.5)
        .between(0.0, 10.0)
        .help("target rates fall as rank^-exponent, from rate_max to rate_min; 0: all rate_max"),
    sdk::real("rate_max", 0.4)
        .between(1e-9, 1.0)
        .help("how often the first feature shall be active"),
    sdk::real("rate_min", 5e-4).between(1e-9, 1.0).help("how often the last one shall be"),
    sdk::integer("rank", 25)
        .between(1, 10000)
        .help("R: normal variables by which features that fire "
              "together are correlated"),
    sdk::real("scale", 0.1).between(0.0, 100.0).help("of the loadings of these; 0: no correlation"),
    sdk::real("mean_first", 5.0)
        .between(1e-6, 1e6)
        .help("mean activation of the first feature where it fires, before it is cut at 0"),
    sdk::real("mean_last", 4.0).between(1e-6, 1e6).help("of the last one; linear between them"),
    sdk::real("sd_mean", 0.5)
        .between(0.0, 1e6)
        .help("a feature's standard deviation is |N(sd_mean, sd_spread)|"),
    sdk::real("sd_spread", 0.5).between(0.0, 1e6),
    sdk::real("bias_norm", 0.5).between(0.0, 1e6).help("length of what is in every row"),
    sdk::integer("orthogonal_steps", 100)
        .between(0, 1000000)
        .help("of Adam, by which random directions are pushed apart"),
    sdk::real("orthogonal_rate", 3e-4).between(0.0, 1.0).help("its rate"),
    sdk::boolean("scale_children", true)
        .help("a child's activation is scaled by its parent's over its mean; else only silenced "
              "where the parent is"),
    sdk::boolean("exclusive", true).help("of siblings at most one is active"),
    sdk::integer("annotated", 256)
        .between(1, 1000000)
        .help("the first so many features, which have the highest target rates, are the concepts "
              "and the factors"),
    sdk::integer("classes", 10).between(2, 100000),
    sdk::integer("class_features", 6)
        .between(1, 100000)
        .help("features whose sum is a class's score"),
    sdk::integer("train", 20000).between(2, 1000000000).help("rows of the training split"),
    sdk::integer("test", 6000).between(1, 100000000).help("rows of the test split"),
    sdk::integer("world_seed", 0)
        .at_least(0)
        .help("draws the world. It is not the run's seed, which draws its rows: the same features "
              "for all seeds of a run"));

/// What is written is float32, and everything else is computed from what is written.
template <typename Derived>
auto as_float32(const Eigen::DenseBase<Derived>& values) {
  return values.derived().template cast<float>().template cast<double>().eval();
}

template <typename T, typename Derived>
void copy_rows(const Eigen::DenseBase<Derived>& values, Index first, std::span<T> to) {
  const Index width = values.cols();
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < width; ++j)
      to[static_cast<std::size_t>((first + i) * width + j)] = static_cast<T>(values(i, j));
}

class Superposition final : public sdk::Dataset {
 public:
  explicit Superposition(const sdk::ParamsOf<kParameters>& params)
      : annotated_(params.integer("annotated")),
        classes_(params.integer("classes")),
        class_features_(params.integer("class_features")),
        train_(params.integer("train")),
        test_(params.integer("test")),
        world_seed_(static_cast<std::uint64_t>(params.integer("world_seed"))) {
    options_.features = params.integer("features");
    options_.width = params.integer("width");
    options_.roots = params.integer("roots");
    options_.branching = params.integer("branching");
    options_.depth = params.integer("depth");
    options_.exponent = params.real("exponent");
    options_.rate_max = params.real("rate_max");
    options_.rate_min = params.real("rate_min");
    options_.rank = params.integer("rank");
    options_.scale = params.real("scale");
    options_.mean_first = params.real("mean_first");
    options_.mean_last = params.real("mean_last");
    options_.sd_mean = params.real("sd_mean");
    options_.sd_spread = params.real("sd_spread");
    options_.bias_norm = params.real("bias_norm");
    options_.orthogonal_steps = params.integer("orthogonal_steps");
    options_.orthogonal_rate = params.real("orthogonal_rate");
    options_.gating = {params.boolean("scale_children"), params.boolean("exclusive")};
    if (options_.rate_min > options_.rate_max)
      refuse("rate_min = " + std::to_string(options_.rate_min) +
             " is above rate_max = " + std::to_string(options_.rate_max));
    if (annotated_ > options_.features)
      refuse("annotated = " + std::to_string(annotated_) +
             ", but features = " + std::to_string(options_.features));
    if (classes_ * class_features_ > options_.features)
      refuse("classes = " + std::to_string(classes_) +
             " of class_features = " + std::to_string(class_features_) +
             ", but features = " + std::to_string(options_.features));
  }

  void load(const sdk::Context& context, sdk::Sink& out) override {
    context.check_cancelled();
    const sdk::Seed seed = sdk::Seed(world_seed_).child("superposition");
    world_of::World world = world_of::make_world(options_, seed, [&](Index step) {
      context.check_cancelled();
      context.progress(0.5 * static_cast<double>(step) /
                       static_cast<double>(options_.orthogonal_steps));
    });
    world.directions = as_float32(world.directions);
    world.bias = as_float32(world.bias);
    const Vector rates = world_of::realised_rates(world, kRateRows, seed.child("rates"));
    sets_ = world_of::class_features(rates, classes_, class_features_, seed.child("classes"));
    write_world(world, rates, context, out);

    const auto [activations, scores] = write_rows(world, context, out);
    const auto standard = world_of::Standard::of(scores.topRows(train_));
    const IndexVector labels = world_of::largest_of_rows(standard.apply(scores));
    std::ranges::copy(labels, out.create<std::int64_t>("labels", {train_ + test_}).begin());
    const conoscope::numerics::RowSource train(
        train_, options_.width,
        [values = activations, width = options_.width](Index first, Index count, double* to) {
          std::ranges::copy(values.subspan(static_cast<std::size_t>(first * width),
                                           static_cast<std::size_t>(count * width)),
                            to);
        });
    const auto head = world_of::fit_head(train, standard.apply(scores.topRows(train_)), kRidge);
    copy_rows(head.weight, 0, out.create<double>("head_weight", {classes_, options_.width}));
    copy_rows(head.bias, 0, out.create<double>("head_bias", {classes_}));
    out.text("task", "classification");
    out.text("pooling", "none");
    out.text("output", "softmax");
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw std::invalid_argument("superposition: " + what);
  }

  void write_world(const world_of::World& world, const Vector& rates, const sdk::Context& context,
                   sdk::Sink& out) const {
    const Index n = world.features();
    copy_rows(world.directions, 0, out.create<float>("truth_directions", {n, options_.width}));
    copy_rows(world.bias, 0, out.create<float>("truth_bias", {options_.width}));
    copy_rows(rates, 0, out.create<double>("truth_rate", {n}));
    std::ranges::copy(world.forest.parent, out.create<std::int64_t>("truth_parent", {n}).begin());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(annotated_); ++i) {
      const Index parent = world.forest.parent[i], level = world.forest.level[i];
      names.push_back("feature " + std::to_string(i) +
                      (parent >= 0  ? " below " + std::to_string(parent)
                       : level == 0 ? " (a root)"
                                    : ""));
    }
    const std::string text = conoscope::datasets::list_text(names);
    out.text("concept_names", text);
    out.text("factor_names", text);

    std::string shares;
    for (const double share : world_of::rates_over_targets(rates, world)) {
      char digits[32];
      std::snprintf(digits, sizeof digits, " %.2f", share);
      shares += digits;
    }
    context.log("superposition: features active in a row: " + std::to_string(rates.sum()) +
                "; rates over targets, outside the trees (if there are any), then level by level:" +
                shares + "; " + std::to_string(world.drawn.cut) + " drawing rates were cut at 1");
  }

  /// The activations, which stay where they were written, and the classes' scores of all rows.
  std::pair<std::span<const float>, Matrix> write_rows(const world_of::World& world,
                                                       const sdk::Context& context,
                                                       sdk::Sink& out) const {
    const Index all = train_ + test_, n = world.features();
    const auto activations = out.create<float>("activations", {all, options_.width});
    const auto concepts = out.create<float>("concepts", {all, annotated_});
    const auto factors = out.create<float>("factors", {all, annotated_});
    const auto truth = out.create<float>("truth_activations", {test_, n});
    Matrix scores(all, classes_);
    const Matrix ones = Matrix::Ones(classes_, class_features_);
    const auto draw = [&](const char* stream, Index begin, Index rows, bool judged) {
      for (Index at = 0; at < rows; at += kBlock) {
        context.check_cancelled();
        context.progress(0.5 + 0.5 * static_cast<double>(begin + at) / static_cast<double>(all));
        const Matrix a = as_float32(world_of::draw_activations(
            world, at, std::min(kBlock, rows - at), context.seed().child(stream)));
        const Matrix shown = a.leftCols(annotated_);
        copy_rows(world_of::compose(a, world.directions, world.bias), begin + at, activations);
        copy_rows(shown, begin + at, factors);
        copy_rows((shown.array() > 0.0).cast<float>().matrix().eval(), begin + at, concepts);
        if (judged) copy_rows(a, at, truth);
        scores.middleRows(begin + at, a.rows()) = world_of::class_scores(a, sets_, ones);
      }
    };
    draw("train", 0, train_, false);
    draw("test", train_, test_, true);
    sdk::Split split;
    for (Index i = 0; i < all; ++i) (i < train_ ? split.train : split.test).push_back(i);
    sdk::write_split(out, split);
    return {activations, std::move(scores)};
  }

  world_of::WorldOptions options_;
  std::int64_t annotated_, classes_, class_features_, train_, test_;
  std::uint64_t world_seed_;
  std::vector<IndexVector> sets_;
};

}  // namespace

CONOSCOPE_DATASET(Superposition, "superposition", "1.0.0", R"toml(
summary = "activations made of known features in superposition, with trees of features, and a linear head above them; needs no file"
licence = "Apache-2.0"
citation = "SynthSAEBench, arXiv:2602.14687; the head is ours"
needs = []
offers = ["head_view", "labels", "concepts", "factors", "truth"]
seeded = true
)toml",
                  kParameters)
