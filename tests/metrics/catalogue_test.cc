// SPDX-License-Identifier: Apache-2.0
#include "metrics/catalogue.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "tests/metrics/metric_tables.h"
#include "tests/metrics/purity/hand_made.h"
#include "tests/support/bytes_of.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

const std::string kRoot = CONOSCOPE_SOURCE_DIR;
const std::string kDocs = kRoot + "/docs/metrics.md";

TEST_CASE("catalogue: rows are complete and names are unique") {
  REQUIRE_FALSE(catalogue().metrics().empty());
  std::set<std::string_view> names;
  for (const Metric& info : catalogue().metrics()) {
    CAPTURE(info.name);
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.question.empty());
    CHECK(info.question.find('\n') == std::string_view::npos);
    CHECK_FALSE(info.source.empty());
    CHECK(info.low < info.high);
    CHECK_FALSE(info.needs.empty());
    for (const std::string_view need : info.needs) CHECK_FALSE(need_text(need).empty());
    for (const std::string_view use : info.uses) CHECK_FALSE(need_text(use).empty());
    CHECK((info.compute || info.compute_with) != bool(info.compare));
  }
}

TEST_CASE("catalogue: a search for a metric's name finds its declaration and its page") {
  std::string sources;
  std::set<std::string> on_pages;  // every word of every header
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + "/metrics")) {
    if (entry.path().extension() == ".cc") sources += testing::bytes_of(entry.path());
    if (entry.path().extension() != ".h") continue;
    static const std::regex kWord("\\w+");
    const std::string text = testing::bytes_of(entry.path());
    for (std::sregex_iterator word(text.begin(), text.end(), kWord), end; word != end; ++word)
      on_pages.insert(word->str());
  }
  for (const Metric& metric : catalogue().metrics()) {
    CHECK_MESSAGE(sources.find('"' + metric.name + '"') != sources.npos, metric.name);
    CHECK_MESSAGE(on_pages.contains(metric.name), metric.name);
  }
}

TEST_CASE("catalogue: lookup by name and by group") {
  REQUIRE(catalogue().metric("surf_emd") != nullptr);
  CHECK(catalogue().metric("surf_emd")->direction == Direction::kLower);
  CHECK(catalogue().metric("surf_emd")->high == 1.0);
  CHECK(catalogue().metric("surf_edm") == nullptr);
  CHECK(catalogue().select("surf").size() > 1);
  REQUIRE(catalogue().select("surf_top1").size() == 1);
  CHECK(catalogue().select("surf_top1")[0]->name == "surf_top1");
  CHECK(catalogue().select("sur").empty());
}

TEST_CASE("catalogue: a name may change a metric's settings") {
  const Metric* small = catalogue().metric("ois(hidden=8)");
  REQUIRE(small != nullptr);
  CHECK(small->name == "ois(hidden=8)");
  CHECK(small->group == "purity");
  CHECK(catalogue().metric("ois(hidden=8)") == small);
  CHECK(catalogue().place("ois(hidden=8)") == catalogue().place("ois"));
  CHECK(catalogue().place("no_such") == catalogue().metrics().size());
  REQUIRE(catalogue().select("ois(batch=512,hidden=8)").size() == 1);
  CHECK(catalogue().metric("ois_failed_fits(batch=512)") != nullptr);
  for (const char* wrong : {"ois()", "ois(hiden=8)", "ois(hidden=0)", "ois(hidden=8",
                            "ois(hidden=8,)", "ois(hidden=-1)", "ois(hidden=8,hidden=9)",
                            "ois(hidden=8.5)", "ois(hidden)", "ois(hidden=9999999)"}) {
    CAPTURE(wrong);
    CHECK(catalogue().metric(wrong) == nullptr);
    CHECK(catalogue().select(wrong).empty());
    CHECK(catalogue().settings_text(wrong) ==
          "ois takes hidden, epochs and batch, whole numbers from 1, as ois(hidden=32)");
  }
  CHECK(catalogue().metric("irs_given(given=0+3,moved=1)") != nullptr);
  for (const char* wrong : {"irs_given(given=)", "irs_given(given=0+)", "irs_given(given=0+0)",
                            "irs_given(given=-1)", "irs_given(given=a)", "irs_given(given=0,3)"}) {
    CAPTURE(std::string(wrong));
    CHECK(catalogue().metric(wrong) == nullptr);
    CHECK(catalogue().settings_text(wrong) ==
          "irs_given takes given, moved and latents, columns by their numbers from 0, as "
          "irs_given(given=0+3)");
  }
  CHECK(catalogue().metric("c_shap_eval_l1_emd(learning_rate=1e-3,biases=false)") != nullptr);
  for (const char* wrong :
       {"c_shap_eval_l1_emd(learning_rate=0)", "c_shap_eval_l1_emd(learning_rate=-0.1)",
        "c_shap_eval_l1_emd(learning_rate=inf)", "c_shap_eval_l1_emd(learning_rate=nan)",
        "c_shap_eval_l1_emd(learning_rate=0.1x)", "c_shap_eval_l1_emd(learning_rate=)",
        "c_shap_eval_l1_emd(epochs=0.5)", "c_shap_eval_l1_emd(biases=2)",
        "c_shap_eval_l1_emd(biases=)", "c_shap_eval_l1_emd(initialisation=xavier)"}) {
    CAPTURE(std::string(wrong));
    CHECK(catalogue().metric(wrong) == nullptr);
    CHECK(catalogue().settings_text(wrong) ==
          "c_shap_eval_l1_emd takes learning_rate (a number above 0), epochs (a whole number from "
          "1), batch (a whole number from 1), initialisation (torch or uniform) and biases (false "
          "or true), as c_shap_eval_l1_emd(learning_rate=0.1)");
  }
  CHECK(catalogue().metric("ctl(hidden=8)") == nullptr);
  CHECK(catalogue().settings_text("ctl(hidden=8)") == "ctl has no settings");
  CHECK(catalogue().settings_text("ois") == "");
  CHECK(catalogue().settings_text("nothing(hidden=8)") == "");
}

TEST_CASE("catalogue: with its published settings a metric is itself, with others another") {
  const HandMade made(400, 3);
  ConceptView view;
  view.scores = made.impure;
  view.probabilities = made.concepts;
  Annotations annotations;
  annotations.concepts = made.concepts;
  Views views{.concepts = &view, .annotations = &annotations};
  const Subject subject(views);
  const auto value = [&](const char* name) {
    const Score found = score(*catalogue().metric(name), subject);
    REQUIRE_MESSAGE(found.reason.empty(), name << ": " << found.message);
    return found.value;
  };
  CHECK(value("ois(hidden=32)") == value("ois"));
  CHECK(value("ois(batch=512)") == value("ois_reference"));
  CHECK(value("ois(hidden=1)") != value("ois"));
  for (const char* name :
       {"nis", "nis_softmax", "nis_complement", "nis_full_grid", "nis_rescaled"}) {
    CHECK(value((std::string(name) + "(hidden=20)").c_str()) == value(name));
    CHECK(value((std::string(name) + "(hidden=2)").c_str()) != value(name));
  }
}

TEST_CASE("catalogue: every metric says what it lacks, with nothing at hand") {
  const Subject nothing{Views()};
  for (const Metric& metric : catalogue().metrics()) {
    const Score found = score(metric, nothing);
    CHECK(found.name == metric.name);
    CHECK(found.reason == "not_applicable");
    CHECK(found.message == "needs " + std::string(need_text(metric.needs.front())));
  }
}

TEST_CASE("catalogue: the tables of docs/metrics.md are made from the declarations") {
  const std::string text = testing::bytes_of(kDocs);
  const std::string fresh = with_metric_tables(text);
  if (std::getenv("CONOSCOPE_WRITE_DOCS") != nullptr) std::ofstream(kDocs) << fresh;
  CHECK_MESSAGE(text == fresh,
                "docs/metrics.md differs from the declarations; CONOSCOPE_WRITE_DOCS=1 ctest -R "
                "metrics/catalogue writes its tables anew");
}

TEST_CASE("catalogue: a table is made anew, the prose around it stays") {
  const std::string made = with_metric_tables(testing::bytes_of(kDocs));
  const auto at = made.find("| `surf_emd` | lower | 0 ... 1 | ");
  REQUIRE(at != std::string::npos);
  std::string altered = made;
  altered.replace(at, 12, "| `surf_emt`");
  CHECK(with_metric_tables(altered) == made);
  CHECK_THROWS_SAYING(with_metric_tables("prose\n"), std::runtime_error,
                      "no table for the group surf");
  CHECK_THROWS_SAYING(with_metric_tables("<!-- metrics: srf -->\n"), std::runtime_error,
                      "no group of metrics is called srf");
}

TEST_CASE("catalogue: directions have names") {
  CHECK(to_string(Direction::kLower) == "lower");
  CHECK(to_string(Direction::kHigher) == "higher");
  CHECK(to_string(Direction::kNone) == "none");
}

TEST_CASE("catalogue: a name is given once") {
  Catalogue mine;
  const auto named = [](const char* name, const char* group) {
    Metric metric;
    metric.name = name;
    metric.group = group;
    return metric;
  };
  mine.add({named("m", "g")});
  CHECK_THROWS_SAYING(mine.add({named("m", "g")}), std::invalid_argument, "name m of group g");
  CHECK_THROWS_SAYING(mine.add({named("g", "h")}), std::invalid_argument, "name g of group h");
  CHECK_THROWS_SAYING(mine.add({named("n", "m")}), std::invalid_argument, "name n of group m");
}

TEST_CASE("score: a number, a caveat, what was needed, what is undefined, what is out of range") {
  HeadView head;
  Views views{.head = &head};
  const Subject subject(views);
  Metric metric;
  metric.name = "m";
  metric.high = 1.0;
  metric.needs = {"head_view"};
  metric.compute = [](const Subject&) -> Result { return {0.5, {1.0, 0.0}, "a caveat"}; };
  const Score good = score(metric, subject);
  CHECK(good.name == "m");
  CHECK(good.value == 0.5);
  CHECK(good.reason.empty());
  CHECK(good.message == "a caveat");
  CHECK(good.parts == std::vector<double>{1.0, 0.0});

  metric.compute = [](const Subject&) -> Result { throw std::domain_error("one label"); };
  CHECK(score(metric, subject).reason == "undefined");
  CHECK(score(metric, subject).message == "one label");
  metric.compute = [](const Subject&) -> Result { throw NotApplicable("no softmax"); };
  CHECK(score(metric, subject).reason == "not_applicable");
  metric.compute = [](const Subject&) -> Result { return {1.0 + 1e-12}; };
  CHECK(score(metric, subject).reason.empty());
  metric.compute = [](const Subject&) -> Result { return {1.5}; };
  CHECK_THROWS_SAYING(score(metric, subject), std::logic_error, "outside its declared range");
  metric.compute = [](const Subject&) -> Result { return {kUnbounded}; };
  CHECK_THROWS_SAYING(score(metric, subject), std::logic_error, "outside its declared range");
  metric.needs = {"explanation"};
  CHECK(score(metric, subject).message == "needs an explanation");
}

TEST_CASE(
    "score: a label that is no class of the model is refused by every metric that uses labels") {
  Annotations known;
  known.labels = {1, 2};  // counted from 1
  ConceptView concepts;
  concepts.outputs = Matrix::Zero(2, 2);
  HeadView head;
  head.weight = Matrix::Zero(2, 1);
  head.output = Output::kSoftmax;
  Metric metric;
  metric.name = "m";
  metric.compute = [](const Subject&) -> Result { return {0.5}; };
  for (const bool of_head : {false, true}) {
    Views views{.annotations = &known};
    if (of_head)
      views.head = &head;
    else
      views.concepts = &concepts;
    const Subject subject(views);
    const auto refuses = [&] {
      CHECK_THROWS_SAYING(
          score(metric, subject), std::invalid_argument,
          "labels: label 2 of sample 1 is outside 0 ... 1, the model's classes, which "
          "count from 0");
    };
    metric.needs = {"labels"}, metric.uses = {};
    refuses();
    metric.needs = {}, metric.uses = {"labels"};
    refuses();
    metric.uses = {};
    CHECK(score(metric, subject).value == 0.5);
  }
  metric.needs = {"labels"};
  Views views{.annotations = &known};
  CHECK(score(metric, Subject(views)).value == 0.5);  // nobody says how many classes there are
  head.output = Output::kSigmoid;
  views.head = &head;
  CHECK(score(metric, Subject(views)).value == 0.5);
  concepts.outputs = Matrix::Zero(2, 1);  // one column: no or yes
  views.concepts = &concepts;
  CHECK_THROWS_AS(score(metric, Subject(views)), std::invalid_argument);
  known.labels = {0, 1};
  CHECK(score(metric, Subject(views)).value == 0.5);
}

int derived = 0;
int count_derivations(const Subject&) { return ++derived; }
int fail(const Subject&) {
  ++derived;
  throw std::domain_error("overflow");
}

TEST_CASE("subject: what is derived is derived once, failures too") {
  const Subject subject{Views()};
  derived = 0;
  CHECK(subject.once(count_derivations) == 1);
  CHECK(subject.once(count_derivations) == 1);
  CHECK_THROWS_AS(subject.once(fail), std::domain_error);
  CHECK_THROWS_AS(subject.once(fail), std::domain_error);
  CHECK(derived == 2);
}

}  // namespace

}  // namespace conoscope::tests
