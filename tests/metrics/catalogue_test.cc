#include "metrics/catalogue.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

std::vector<Score> nothing(const Subject&) { return {}; }

TEST_CASE("catalogue: rows are complete and names are unique") {
  REQUIRE_FALSE(catalogue().metrics().empty());
  const std::set<std::string_view> views{
      "head_view",          "train_head_view", "explanation", "concept_view",
      "train_concept_view", "latent_view",     "labels",      "targets",
      "concepts",           "factors",         "inputs",      "forward"};
  std::set<std::string_view> names;
  for (const MetricInfo& info : catalogue().metrics()) {
    CAPTURE(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(catalogue().group(info.group) != nullptr);
    CHECK_FALSE(info.question.empty());
    CHECK(info.question.find('\n') == std::string_view::npos);
    CHECK_FALSE(info.citation.empty());
    CHECK(info.low < info.high);
    CHECK_FALSE(info.needs.empty());
    for (const std::string_view need : info.needs) CHECK(views.contains(need));
  }
}

TEST_CASE("catalogue: lookup by name and by group") {
  REQUIRE(catalogue().metric("surf_emd") != nullptr);
  CHECK(catalogue().metric("surf_emd")->direction == Direction::kLower);
  CHECK(catalogue().metric("surf_emd")->high == 1.0);
  CHECK(catalogue().metric("surf_edm") == nullptr);
  CHECK(catalogue().group("surf_emd") == nullptr);
  CHECK(catalogue().select("surf").size() == 18);
  REQUIRE(catalogue().select("surf_top1").size() == 1);
  CHECK(catalogue().select("surf_top1")[0]->name == "surf_top1");
  CHECK(catalogue().select("sur").empty());
}

TEST_CASE("catalogue: every group answers every one of its names, with nothing at hand") {
  for (const MetricGroup& group : catalogue().groups()) {
    const std::vector<Score> scores = group.score(Subject());
    const auto rows = catalogue().select(group.name);
    REQUIRE(scores.size() == rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CHECK(scores[i].name == rows[i]->name);
      CHECK(scores[i].reason == "not_applicable");
    }
  }
}

TEST_CASE("catalogue: docs/metrics.md has a row for every metric, with its direction and range") {
  std::ifstream file(std::string(CONOSCOPE_SOURCE_DIR) + "/docs/metrics.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bound = [](double value) -> std::string {
    if (value == kUnbounded) return "inf";
    if (value == -kUnbounded) return "-inf";
    std::string printed = std::to_string(value);
    printed.erase(printed.find_last_not_of('0') + 1);
    if (printed.back() == '.') printed.pop_back();
    return printed;
  };
  for (const MetricInfo& info : catalogue().metrics()) {
    const std::string row = "| `" + std::string(info.name) + "` | " +
                            std::string(to_string(info.direction)) + " | " + bound(info.low) +
                            " ... " + bound(info.high) + " |";
    CHECK_MESSAGE(text.find(row) != std::string::npos, "docs/metrics.md lacks: ", row);
  }
}

TEST_CASE("catalogue: directions have names") {
  CHECK(to_string(Direction::kLower) == "lower");
  CHECK(to_string(Direction::kHigher) == "higher");
  CHECK(to_string(Direction::kNone) == "none");
}

TEST_CASE("catalogue: a name is given once") {
  Catalogue mine;
  MetricInfo info;
  info.name = "m";
  info.group = "g";
  mine.add({"g", nothing}, {info});
  CHECK_THROWS_SAYING(mine.add({"g", nothing}, {}), std::invalid_argument, "g is taken");
  info.group = "h";
  CHECK_THROWS_SAYING(mine.add({"h", nothing}, {info}), std::invalid_argument, "m is taken");
  info.name = "n";
  CHECK_THROWS_SAYING(mine.add({"i", nothing}, {info}), std::invalid_argument,
                      "names group h, not i");
}

}  // namespace

}  // namespace conoscope::tests
