// SPDX-License-Identifier: Apache-2.0
// TabularToy: three (or five) correlated normal latents, seven (twelve) inputs made of them, and a
// label of the latents' signs. What a concept model can know of it has closed forms.

#include <algorithm>
#include <numeric>

#include "conoscope/sdk/dataset.h"
#include "datasets/tabular_toy/formula.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::datasets;

/// From numbers from 1, none standing for all: the concepts that are annotated, from 0.
/// throws  std::invalid_argument: no such concept, or one that is listed twice
std::vector<std::size_t> annotated_concepts(const std::vector<std::int64_t>& numbers,
                                            std::size_t concepts) {
  std::vector<std::size_t> out;
  if (numbers.empty()) {
    out.resize(concepts);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
  for (const std::int64_t number : numbers) {
    const auto fail = [number](const std::string& why) {
      throw std::invalid_argument("tabular_toy: annotated: " + std::to_string(number) + why);
    };
    if (number < 1 || number > static_cast<std::int64_t>(concepts))
      fail(" is none of the concepts 1 to " + std::to_string(concepts));
    const auto concept_id = static_cast<std::size_t>(number - 1);
    if (std::ranges::find(out, concept_id) != out.end()) fail(" is listed twice");
    out.push_back(concept_id);
  }
  return out;
}

/// e, independent and of unit variance, becomes e A with A = sqrt(1-delta) I + b J, the symmetric
/// root of the matrix with ones on the diagonal and delta off it.
void correlate(std::span<double> e, double delta) {
  const auto k = static_cast<double>(e.size());
  const double own = std::sqrt(1.0 - delta);
  const double shared = (std::sqrt(1.0 + (k - 1.0) * delta) - own) / k;
  const double sum = shared * std::accumulate(e.begin(), e.end(), 0.0);
  for (double& value : e) value = own * value + sum;
}

constexpr auto kParameters = sdk::parameters(
    sdk::text("task", "majority")
        .choices({"majority", "two_concepts", "misspecified_as_printed",
                  "misspecified_coefficient_2", "blocks"})
        .help("what the label is: two of three concepts, one of two, the leakage paper's "
              "misspecified label as printed or with the coefficient 2, or twelve inputs of five "
              "latents in two blocks"),
    sdk::real("delta", 0.25)
        .between(0.0, 0.99)
        .help("covariance of any two latents; the leakage paper has 0.25 and 0.75"),
    sdk::integer("samples", 10000).between(10, 10000000),
    sdk::integers("annotated", {})
        .at_least(1)
        .empty_means("all")
        .help("concepts that are annotated, as [1, 2]; empty: all; the label still looks at all of "
              "them (incomplete concepts)"),
    sdk::real("validation_share", 0.2)
        .between(0.0, 0.9)
        .help("samples that are in neither part of the split, as the paper's validation set"),
    sdk::real("test_share", 0.1).between(0.01, 0.9),
    sdk::integer("data_seed", -1)
        .at_least(-1)
        .help("of samples and split, which then are the same whatever the run's seed, so that "
              "seeds are "
              "trainings; -1: the run's seed"));

class TabularToy final : public sdk::Dataset {
 public:
  explicit TabularToy(const sdk::ParamsOf<kParameters>& params)
      : task_(tabular_toy_task(params.text("task"))),
        delta_(params.real("delta")),
        samples_(params.integer("samples")),
        annotated_(annotated_concepts(params.integers("annotated"), tabular_toy_concepts(task_))),
        validation_share_(params.real("validation_share")),
        test_share_(params.real("test_share")),
        data_seed_(params.integer("data_seed")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const sdk::Seed seed =
        data_seed_ < 0 ? context.seed() : sdk::Seed(static_cast<std::uint64_t>(data_seed_));
    write_split(seed, out);
    const std::size_t latents = tabular_toy_latents(task_), width = tabular_toy_width(latents);
    const auto inputs = out.create<float>("inputs", {samples_, count(width)});
    const auto labels = out.create<std::int64_t>("labels", {samples_});
    const auto concepts = out.create<float>("concepts", {samples_, count(annotated_.size())});
    const auto factors = out.create<double>("factors", {samples_, count(latents)});
    sdk::Random random(seed.child("latent"));
    std::vector<double> x(width);
    std::vector<std::int64_t> c(latents);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i % 65536 == 0) context.check_cancelled();
      const std::span<double> z = factors.subspan(i * latents, latents);
      for (double& value : z) value = random.normal();
      correlate(z.first(3), delta_);
      if (latents > 3) correlate(z.subspan(3), delta_);
      tabular_toy_inputs(z, x);
      std::ranges::transform(z, c.begin(), tabular_toy_concept);
      for (std::size_t j = 0; j < width; ++j) inputs[i * width + j] = static_cast<float>(x[j]);
      for (std::size_t j = 0; j < annotated_.size(); ++j)
        concepts[i * annotated_.size() + j] = static_cast<float>(c[annotated_[j]]);
      labels[i] = tabular_toy_label(c, task_);
    }
    out.text("task", "classification");
  }

 private:
  static std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

  /// Rows drawn without regard to their class, as the reference does.
  void write_split(sdk::Seed seed, sdk::Sink& out) const {
    const auto part = [&](double share) {
      return std::llround(share * static_cast<double>(samples_));
    };
    const std::int64_t test = part(test_share_), validation = part(validation_share_);
    if (test < 1 || test + validation >= samples_)
      throw std::invalid_argument("tabular_toy: test_share = " + std::to_string(test_share_) +
                                  " and validation_share = " + std::to_string(validation_share_) +
                                  " of samples = " + std::to_string(samples_) +
                                  " leave an empty part");
    std::vector<std::int64_t> rows(static_cast<std::size_t>(samples_));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    sdk::Random random(seed.child("split"));
    random.shuffle(rows);
    sdk::Split split{{rows.begin() + test + validation, rows.end()},
                     {rows.begin(), rows.begin() + test}};
    std::ranges::sort(split.train);
    std::ranges::sort(split.test);
    sdk::write_split(out, split);
  }

  TabularToyTask task_;
  double delta_;
  std::int64_t samples_;
  std::vector<std::size_t> annotated_;
  double validation_share_, test_share_;
  std::int64_t data_seed_;
};

}  // namespace

CONOSCOPE_DATASET(TabularToy, "tabular_toy", "1.0.0", R"toml(
summary = "TabularToy: correlated latents, seven inputs made of them, a label of their signs; needs no file"
licence = "Apache-2.0"
citation = "Mahinpei et al., Promises and Pitfalls of Black-Box Concept Learning Models, 2021; Parisini et al., Leakage and Interpretability in Concept-Based Models"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
added = ["data_seed"]
)toml",
                  kParameters)
