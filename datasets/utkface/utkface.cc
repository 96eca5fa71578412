// SPDX-License-Identifier: Apache-2.0
// UTKFace as distributed: face images whose names say age, gender and race,
// age_gender_race_date.jpg (or .jpg.chip.jpg, aligned and cropped).

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <optional>

#include "conoscope/sdk/dataset.h"
#include "datasets/images/image_files.h"
#include "datasets/samples.h"

namespace {

namespace fs = std::filesystem;
namespace sdk = conoscope::sdk;
namespace datasets = conoscope::datasets;

constexpr std::int64_t kOldest = 130, kGenders = 2, kRaces = 5;

struct Person {
  std::int64_t age, gender,
      race;  ///< gender: 0 male, 1 female; race: White, Black, Asian, Indian, other
};

/// nullopt: the name does not say all three.
std::optional<Person> person_of(const std::string& name) {
  std::array<std::int64_t, 3> said{};
  const char *at = name.data(), *end = at + name.size();
  for (std::int64_t& number : said) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || next == end || *next != '_') return std::nullopt;
    at = next + 1;
  }
  const auto in = [](std::int64_t value, std::int64_t below) {
    return value >= 0 && value < below;
  };
  if (!in(said[0], kOldest + 1) || !in(said[1], kGenders) || !in(said[2], kRaces))
    return std::nullopt;
  return Person{said[0], said[1], said[2]};
}

constexpr auto kParameters = sdk::parameters(
    sdk::folder("images").help(
        "the folder of images, named age_gender_race_date.jpg or .jpg.chip.jpg"),
    sdk::text("task", "age")
        .choices({"age", "gender", "race"})
        .choice_offers({"targets", "labels", "labels"})
        .help("what is to be predicted: the age in years by regression, or the gender or race as a "
              "class"),
    sdk::text("without_annotation", "refuse")
        .choices({"refuse", "skip"})
        .help("what becomes of images whose names lack a number (the published set has a few): an "
              "error, or a line in the log"),
    datasets::drawn_samples(4000), datasets::kImageParameters,
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share that goes to the test split: of every class, or of all for the age"),
    sdk::integer("age_strata", 0)
        .between(0, 130)
        .help(
            "age: the split keeps the share of bins of so many years (published: 10); 0: of none"));

class UtkFace final : public sdk::Dataset {
 public:
  explicit UtkFace(const sdk::ParamsOf<kParameters>& params)
      : images_(params.file("images")),
        task_(params.text("task")),
        skip_(params.text("without_annotation") == "skip"),
        samples_(params.integer("samples")),
        how_(params),
        test_share_(params.real("test_share")),
        age_strata_(params.integer("age_strata")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    std::vector<std::string> names;
    std::vector<Person> people;
    for (const std::string& name : datasets::image_names(images_)) {
      const std::string path = (fs::path(images_) / name).string();
      if (const auto person = person_of(name)) {
        names.push_back(path);
        people.push_back(*person);
      } else if (skip_) {
        context.log(path + ": left out, its name does not say age, gender and race");
      } else {
        throw std::invalid_argument(path +
                                    ": expected a name as age_gender_race_date.jpg, with age 0 to "
                                    "130, gender 0 or 1, race 0 "
                                    "to 4; without_annotation = \"skip\" leaves such images out");
      }
    }
    std::vector<std::int64_t> rows(people.size());
    std::iota(rows.begin(), rows.end(), 0);
    rows = datasets::draw_rows(std::move(rows), samples_, context.seed().child("samples"),
                               "utkface (" + images_ + ")");
    std::vector<std::string> paths;
    std::vector<Person> drawn;
    for (const std::int64_t row : rows) {
      paths.push_back(names[static_cast<std::size_t>(row)]);
      drawn.push_back(people[static_cast<std::size_t>(row)]);
    }
    write_annotations(drawn, context.seed(), out);
    datasets::write_image_inputs(paths, how_, context, out);
  }

 private:
  void write_annotations(const std::vector<Person>& people, sdk::Seed seed, sdk::Sink& out) const {
    const auto n = static_cast<std::int64_t>(people.size());
    const auto factors = out.create<float>("factors", {n, 3});
    const bool gender_task = task_ == "gender", race_task = task_ == "race";
    // Female and the five races, except what is to be predicted.
    const std::int64_t k = (gender_task ? 0 : 1) + (race_task ? 0 : kRaces);
    const auto concepts = out.create<float>("concepts", {n, k});
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < people.size(); ++i) {
      const Person& person = people[i];
      factors[i * 3] = static_cast<float>(person.age);
      factors[i * 3 + 1] = static_cast<float>(person.gender);
      factors[i * 3 + 2] = static_cast<float>(person.race);
      auto bits = concepts.subspan(i * static_cast<std::size_t>(k), static_cast<std::size_t>(k));
      if (!gender_task) bits[0] = static_cast<float>(person.gender);
      if (!race_task) bits[static_cast<std::size_t>(person.race + (gender_task ? 0 : 1))] = 1.0F;
      labels.push_back(gender_task       ? person.gender
                       : race_task       ? person.race
                       : age_strata_ > 0 ? person.age / age_strata_
                                         : 0);
    }
    sdk::write_split(out, sdk::stratified_split(labels, test_share_, seed));
    if (gender_task || race_task) {
      std::ranges::copy(labels, out.create<std::int64_t>("labels", {n}).begin());
      return out.text("task", "classification");
    }
    const auto ages = out.create<float>("targets", {n, 1});
    std::ranges::transform(people, ages.begin(),
                           [](const Person& person) { return static_cast<float>(person.age); });
    out.text("task", "regression");
  }

  std::string images_, task_;
  bool skip_;
  std::int64_t samples_;
  datasets::ImageParameters how_;
  double test_share_;
  std::int64_t age_strata_;
};

}  // namespace

CONOSCOPE_DATASET(UtkFace, "utkface", "1.0.0", R"toml(
summary = "UTKFace as distributed: face images whose names say age, gender and race"
licence = "for non-commercial research, see the dataset's own terms"
citation = "Zhang, Song & Qi, Age Progression/Regression by Conditional Adversarial Autoencoder, CVPR 2017"
needs = []
offers = ["inputs", "concepts", "factors"]
seeded = true
added = ["age_strata"]
)toml",
                  kParameters)
