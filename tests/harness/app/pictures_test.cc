// SPDX-License-Identifier: Apache-2.0
// Tables that pictures are drawn from, and pictures that the command draws itself.

#include <filesystem>
#include <sstream>

#include "datasets/formats/npz.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::testing;
namespace formats = conoscope::formats;
namespace fs = std::filesystem;

namespace {

std::string models_run(const std::string& more) {
  return "name = \"models\"\nseeds = [0, 1]\n" + more +
         "[[dataset]]\nid = \"tabular_toy\"\nparams = { samples = 300 }\n"
         "[[model]]\nid = \"ladder_concepts\"\nparams = { step = [\"perfect\", \"half\"], "
         "width = 2 }\n";
}

/// The attribute of every element of this name, as numbers.
std::vector<double> numbers_of(const std::string& svg, const std::string& element,
                               const std::string& name) {
  std::vector<double> out;
  for (auto at = svg.find("<" + element + " "); at != svg.npos;
       at = svg.find("<" + element + " ", at + 1)) {
    const auto value = svg.find(" " + name + "=\"", at);
    REQUIRE(value < svg.find('>', at));
    out.push_back(std::stod(svg.substr(value + name.size() + 3)));
  }
  return out;
}

}  // namespace

TEST_CASE("summaries: as csv files and as arrays, the same numbers, equal bytes") {
  const Workspace here;
  here.run_text(models_run("metrics = [\"concept_accuracy\"]\nsummaries = true\n"));
  CHECK_SAYS(here.run({"export", "models", "--summaries", "-o", here.path("tables")}).err,
             "embedding_components: 4 cells");
  here.run({"export", "models", "--summaries", "-o", here.path("a.npz")});
  here.run({"export", "--summaries", "-o", here.path("b.npz")});
  CHECK(bytes_of(here.path("a.npz")) == bytes_of(here.path("b.npz")));

  std::istringstream lines(bytes_of(here.path("tables/embedding_components.csv")));
  std::string head, first;
  std::getline(lines, head);
  std::getline(lines, first);
  CHECK(head ==
        "dataset,model,explainer,control,seed,cell,concept,sample,truth,label,first,second");
  const formats::Npz archive(here.path("a.npz"));
  const auto array = archive.get("embedding_components");
  std::int64_t rows = 1;
  for (std::string line; std::getline(lines, line);) ++rows;
  CHECK(rows % (4 * 3) == 0);  // as many samples of each concept
  CHECK(array.shape == std::vector<std::int64_t>{rows, 7});
  CHECK_FALSE(archive.has("latent_traversals"));  // there are no images

  // The same numbers, to the last digit.
  const std::string stored = here.query(
                                     "SELECT value FROM sample_score WHERE metric = "
                                     "'embedding_components' AND part = 4 ORDER BY attempt")[0]
                                 .dump();
  CHECK_SAYS(bytes_of(here.path("tables/embedding_components.csv")),
             stored.substr(stored.find(':') + 1, stored.size() - stored.find(':') - 2));
  CHECK_SAYS(here.run({"metric", "embedding_components"}).out,
             "concept, sample, truth, label, first, second");
}

TEST_CASE("summaries: nobody asked, nowhere to write") {
  const Workspace here;
  here.run_text(models_run(""));
  const auto asked = here.query("SELECT count(*) AS n FROM metric_key WHERE grp = 'summaries'");
  CHECK(asked[0]["n"] == 0);
  CHECK_SAYS(here.run({"export", "--summaries", "-o", here.path("a.npz")}, 2).err,
             "no cell here has a summary");
  CHECK_SAYS(here.run({"export", "--summaries"}, 2).err, "--summaries needs -o");
  CHECK_SAYS(here.run({"export", "-o", here.path("a.npz")}, 2).err, "-o is for --summaries");
  const auto file = here.write("with.toml", models_run("metrics = [\"concept_correlation\"]\n"));
  here.run({"run", file, "--no-board"});
  CHECK_SAYS(here.run({"export", "--summaries", "-o", here.path("no/such/folder/a.npz")}, 5).err,
             "a.npz: cannot be written: No such file or directory");
}

TEST_CASE("--plot: points stand where their numbers are") {
  const Workspace here;
  here.run({"run",
            here.write("plain.toml", digits_run("name = \"plain\"\nseeds = [0, 1, 2]\ncontrols = "
                                                "[\"none\", \"random_concepts\"]\nmetrics = "
                                                "[\"surf_emd\", \"surf_top1\"]",
                                                {"svd", "kmeans", "pca"})),
            "--no-board"});
  here.run({"board", "plain", "-m", "surf_emd", "--plot", here.path("a.svg")});
  const std::string svg = bytes_of(here.path("a.svg"));
  const auto points = numbers_of(svg, "circle", "cx");
  const Json board = here.json({"board", "plain", "-m", "surf_emd"});
  REQUIRE(board.size() == 3);
  REQUIRE(points.size() == 3 + 1);  // and the legend's
  std::vector<double> values;
  for (const auto& row : board) values.push_back(row["surf_emd"]);
  const auto place = [&](std::size_t i) {
    return points[0] + (points[2] - points[0]) * (values[i] - values[0]) / (values[2] - values[0]);
  };
  CHECK(values[2] > values[0]);
  CHECK(points[2] > points[0]);
  CHECK(points[1] == doctest::Approx(place(1)).epsilon(0.001));
  for (const char* name : {"svd", "kmeans", "pca", "surf_emd@random_concepts"})
    CHECK_SAYS(svg, name);
  CHECK(numbers_of(svg, "path", "stroke-width").size() == 3 + 1);  // the twins, and the legend's

  const int code =
      here.conoscope({"compare", "svd", "kmeans", "-m", "surf_emd", "--plot", here.path("b.html")})
          .run(60)
          .code;
  CHECK((code == 0 || code == 6));  // whether they differ is not the question here
  const std::string page = bytes_of(here.path("b.html"));
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK_SAYS(page, "surf_emd: svd - kmeans");
  CHECK_FALSE(has(page, "<script"));
  here.run({"history", "surf_emd", "--plot", here.path("c.svg")});
  CHECK(numbers_of(bytes_of(here.path("c.svg")), "circle", "cx").size() == 9);

  CHECK_SAYS(here.run({"board", "plain", "--plot", here.path("a.svg")}, 2).err, "one metric");
  CHECK_SAYS(here.run({"board", "plain", "-m", "surf_emd", "--plot", here.path("a.png")}, 2).err,
             ".svg or .html");
  CHECK_SAYS(here.run({"compare", "svd", "kmeans", "--plot", here.path("a.svg")}, 2).err,
             "metrics share no axis");
  CHECK_SAYS(here.run({"history", "surf_emd", "--plot", "/no/such/folder/a.svg"}, 5).err,
             "cannot write /no/such/folder/a.svg");
}

TEST_CASE(
    "show --sample: an explanation as a sum, beside its twins, from the cache or made again") {
  const Workspace here;
  here.run_text(digits_run(
      "controls = [\"none\", \"random_importance\"]\nmetrics = [\"surf_mae\"]\n", {"svd"}));
  const std::string cell = here.query(
      "SELECT key FROM cell WHERE control = 'none' AND explainer IS NOT NULL LIMIT 1")[0]["key"];
  const auto rows = here.json({"show", cell, "--sample", "3"});
  double sum = 0.0;
  std::size_t panels = 0;
  for (const auto& row : rows) {
    const std::string term = row["term"];
    if (term == "bias") sum = 0.0;
    if (row["contribution"].is_number()) sum += row["contribution"].get<double>();
    if (term.starts_with("concept"))
      CHECK(row["contribution"].get<double>() ==
            doctest::Approx(row["score"].get<double>() * row["importance"].get<double>()));
    if (term == "surrogate")
      CHECK(row["logit"].get<double>() == doctest::Approx(sum).epsilon(1e-9));
    if (term == "model") {
      ++panels;
      CHECK(row["logit"] == rows.back()["logit"]);
    }
  }
  CHECK(panels == 2);
  CHECK(rows.front()["control"] == "none");
  CHECK(rows.back()["control"] == "random_importance");

  fs::remove_all(here.cache());
  here.run({"show", cell, "--sample", "3", "-o", here.path("sample.svg")});
  const std::string svg = bytes_of(here.path("sample.svg"));
  CHECK(numbers_of(svg, "rect class=\"model\"", "data-to").size() == 2);
  CHECK(here.count("attempt") == 2);  // nothing was added

  CHECK_SAYS(here.run({"show", cell, "--sample", "100000"}, 2).err,
             "there is no test sample 100000: the last of them is");
  CHECK_SAYS(here.run({"show", cell, "--sample", "1", "-o", here.path("a.png")}, 2).err,
             "a name that ends with .svg");
  CHECK_SAYS(here.run({"show", cell, "-o", here.path("a.svg")}, 2).err, "-o is for --sample");
}

TEST_CASE("measure --picture: the explanations of one's own arrays, a panel each") {
  const Workspace here;
  const std::string digits = CONOSCOPE_TEST_DIGITS;
  const auto draw = [&](const std::vector<std::string>& more, int code) {
    std::vector<std::string> words = {"measure", "surf_mae", digits, "--explain", "svd,kmeans"};
    words.insert(words.end(), more.begin(), more.end());
    return here.run(words, code);
  };
  const auto said = draw({"--sample", "2", "--picture", here.path("a.svg")}, 0);
  CHECK_FALSE(has(said.out, "explained_samples"));
  const std::string svg = bytes_of(here.path("a.svg"));
  CHECK(numbers_of(svg, "rect class=\"surrogate\"", "data-to").size() == 2);
  CHECK_SAYS(svg, "data-title=\"kmeans\"");
  CHECK_SAYS(draw({"--sample", "2"}, 2).err, "--sample N and --picture FILE.svg go together");
  CHECK_SAYS(draw({"--sample", "2", "--picture", "a.png"}, 2).err, "ends with .svg");
  const auto late = draw({"--sample", "70000", "--picture", here.path("a.svg")}, 2);
  CHECK_SAYS(late.err, "there is no test sample 70000");
  CHECK_SAYS(late.out, "surf_mae");  // the scores are not lost
  CHECK_SAYS(draw({"--sample", "2", "--picture", here.path("no/a.svg")}, 5).err, "no/a.svg");
}

TEST_CASE("report: samples, what an autoencoder makes of them, and of a latent that is moved") {
  const Workspace here;
  if (!here.can_train()) SKIP_TEST("this build trains no model");
  here.run_text(
      "name = \"codes\"\nmetrics = [\"latent_traversals\"]\n[[dataset]]\nid = \"digits\"\n"
      "[[model]]\nid = \"vae\"\nparams = { steps = 20, latents = 8 }\n");
  here.run({"report", "codes", "-o", here.path("codes.html")});
  const std::string page = bytes_of(here.path("codes.html"));
  const std::size_t from = page.find("id=\"traversals\"");
  REQUIRE(from != page.npos);
  const std::string drawn = page.substr(from, page.find("</svg>", from) - from);
  CHECK(numbers_of(drawn, "text", "x").size() == 2 + 6 + 6 * 7);  // names, and the values below
  std::size_t images = 0;
  for (auto at = drawn.find("<use "); at != drawn.npos; at = drawn.find("<use ", at + 1)) ++images;
  CHECK(images == 7 + 7 + 6 * 7);
}
