// SPDX-License-Identifier: Apache-2.0
// conoscope compare: what it pairs, what it says, and exit code 6.

#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

struct Fixture {
  Fixture() {
    file = here.write("run.toml", digits_run("seeds = [0, 1, 2]\nmetrics = [\"surf\"]",
                                             {"perfect", "kmeans", "nmf"}));
    here.run({"run", file, "--no-board"});
  }

  Json compare(std::vector<std::string> words, int code) const {
    words.insert(words.begin(), "compare");
    words.insert(words.end(), {"--format", "json"});
    return Json::parse(here.run(words, code).out);
  }

  /// Values of a metric by seed.
  std::vector<double> values(const std::string& explainer, const std::string& metric) const {
    std::vector<double> out;
    for (const auto& row : here.query(
             "SELECT s.value FROM current_score AS s JOIN cell ON cell.key = s.cell JOIN component "
             "AS e ON e.key = cell.explainer WHERE e.plugin_id = '" +
             explainer + "' AND s.metric = '" + metric + "' ORDER BY cell.seed"))
      out.push_back(row["value"]);
    return out;
  }

  Workspace here;
  std::string file;
};

/// Changes a value behind the back of the command: another month's store.
void shift(const std::string& store, double by) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(store.c_str(), &db) == SQLITE_OK);
  const std::string sql = "UPDATE current_score SET value = value + " + std::to_string(by) +
                          " * (1 + 0.01 * length(cell)) WHERE metric = 'surf_mae'";
  char* message = nullptr;
  CHECK_MESSAGE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK, message);
  sqlite3_free(message);
  sqlite3_close(db);
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "two explainers, paired by dataset, model and seed") {
  const Json rows = compare({"kmeans", "nmf", "--metric", "surf_mae", "-m", "surf_emd"}, 6);
  REQUIRE(rows.size() == 2);
  const Json& row = rows[0];
  CHECK(row["metric"] == "surf_mae");
  CHECK(row["better"] == "lower");
  CHECK(row["pairs"] == 3);
  const auto a = values("kmeans", "surf_mae"), b = values("nmf", "surf_mae");
  REQUIRE(a.size() == 3);
  REQUIRE(b.size() == 3);
  double mean = 0, squares = 0;
  for (int i = 0; i < 3; ++i) mean += (a[i] - b[i]) / 3;
  for (int i = 0; i < 3; ++i) squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
  CHECK(row["difference"].get<double>() == doctest::Approx(mean));
  CHECK(row["a"].get<double>() == doctest::Approx((a[0] + a[1] + a[2]) / 3));
  CHECK(row["b"].get<double>() == doctest::Approx((b[0] + b[1] + b[2]) / 3));
  // Two degrees of freedom have a closed form.
  if (squares > 0) {
    const double t = std::abs(mean) / std::sqrt(squares / 2 / 3);
    CHECK(row["p"].get<double>() == doctest::Approx(1 - t / std::sqrt(2 + t * t)).epsilon(1e-6));
  }
  CHECK(row["low"].get<double>() <= mean);
  CHECK(row["high"].get<double>() >= mean);
  CHECK(row["p_holm"].get<double>() >= row["p"].get<double>());
  CHECK_SAYS(row["verdict"].get<std::string>(), "better by");

  // The other way round.
  const Json turned = compare({"nmf", "kmeans", "-m", "surf_mae", "-m", "surf_emd"}, 6);
  CHECK(turned[0]["difference"].get<double>() == doctest::Approx(-mean));
  CHECK(turned[0]["p"] == row["p"]);
}

TEST_CASE_FIXTURE(Fixture, "nothing differs from itself, and the exit code says so") {
  const Json rows = compare({"kmeans", "kmeans"}, 0);
  CHECK(rows.size() > 5);
  for (const auto& row : rows) {
    CHECK(row["difference"] == 0);
    CHECK(row["p"] == 1);
    CHECK(row["verdict"] == "equal in all 3 pairs");
  }
  const Json cells = compare({"run:run", "run:run", "-m", "surf_mae"}, 0);
  REQUIRE(cells.size() == 3);  // one for each explainer
  for (const auto& row : cells) CHECK(row["pairs"] == 3);
  CHECK(cells[0]["explainer"] != cells[1]["explainer"]);
}

TEST_CASE_FIXTURE(Fixture, "tests, corrections and groups") {
  // Three pairs are never enough for signs and ranks.
  const Json ranks = compare({"kmeans", "nmf", "-m", "surf_mae", "--test", "wilcoxon"}, 0);
  CHECK(ranks[0]["p"] >= 0.25);
  CHECK_SAYS(ranks[0]["verdict"].get<std::string>(), "not separable with 3 pairs");
  const Json drawn =
      compare({"kmeans", "nmf", "-m", "surf_mae", "--test", "bootstrap", "--alpha", "0.000001"}, 0);
  CHECK(drawn[0]["p"] > 0);
  const Json bare = compare({"kmeans", "nmf", "-m", "surf", "--correction", "none"}, 6);
  CHECK_FALSE(bare[0].contains("p_holm"));
  CHECK(bare.size() > 5);
  CHECK(compare({"kmeans", "nmf", "-m", "surf", "--correction", "bh"}, 6)[0].contains("p_bh"));
  const Json groups = compare({"kmeans", "nmf", "-m", "surf_mae", "--unpaired"}, 6);
  CHECK(groups[0]["n_a"] == 3);
  CHECK(groups[0]["n_b"] == 3);
  CHECK_FALSE(groups[0].contains("pairs"));
  const Json each = compare({"kmeans", "nmf", "-m", "surf_mae"}, 6);
  REQUIRE(each.size() == 1);
  CHECK(each[0]["dataset"] == "digits");
  CHECK(each[0]["metric"] == "surf_mae");
  CHECK_FALSE(each[0].contains("explainer"));
  // One dataset is one value: nothing to test.
  const Json pooled = compare({"kmeans", "nmf", "-m", "surf_mae", "--pooled"}, 0);
  CHECK(pooled[0]["pairs"] == 1);
  CHECK_FALSE(pooled[0].contains("dataset"));
  CHECK(pooled[0]["difference"] == doctest::Approx(each[0]["difference"].get<double>()));
  // Splits that share rows: three pairs have (1/3 + 1/4) / (1/3) times the variance.
  const Json split =
      compare({"kmeans", "nmf", "-m", "surf_mae", "--resampled", "0.25", "--alpha", "0.5"}, 6);
  const Json plain = compare({"kmeans", "nmf", "-m", "surf_mae", "--alpha", "0.5"}, 6);
  const auto width = [](const Json& rows) {
    return rows[0]["high"].get<double>() - rows[0]["low"].get<double>();
  };
  CHECK(width(split) == doctest::Approx(width(plain) * std::sqrt(1.75)));
  CHECK(split[0]["p"] > plain[0]["p"]);
  CHECK(split[0]["needed"].is_null());
  // The t test without it says what it takes for granted.
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", "kmeans", "nmf", "-m", "surf_mae", "--alpha", "0.5"});
    return here.conoscope(more).run().err;
  };
  const std::string caveat = "p takes seeds for independent samples";
  CHECK_SAYS(said({}), caveat);
  for (const auto& more : {std::vector<std::string>{"--resampled", "0.25"},
                           {"--pooled"},
                           {"--test", "wilcoxon"},
                           {"--unpaired"}})
    CHECK_FALSE(has(said(more), caveat));
}

TEST_CASE("columns that are equal bit for bit are one test") {
  const Workspace here;
  // A linear psi of the mean over positions is the mean of its scores.
  here.run_text(
      digits_run("seeds = [0, 1, 2]\nmetrics = [\"surf_mae\", \"surf_emd\", "
                 "\"surf_mae_spatial_mean\", \"surf_emd_spatial_mean\"]",
                 {"kmeans", "svd"}));
  const auto compare = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"compare", "kmeans", "svd", "--format", "json"});
    return here.conoscope(words).run();
  };
  const Ended all = compare({}), two = compare({"-m", "surf_mae", "-m", "surf_emd"});
  const Json rows = Json::parse(all.out), alone = Json::parse(two.out);
  REQUIRE(rows.size() == 4);
  REQUIRE(alone.size() == 2);
  std::map<std::string, Json> by_metric;
  for (const auto& row : rows) by_metric[row["metric"]] = row;
  for (const auto& row : alone) {
    const std::string metric = row["metric"];
    for (const auto& same : {metric, metric + "_spatial_mean"}) {
      CAPTURE(same);
      CHECK(by_metric[same]["p_holm"] == row["p_holm"]);
      CHECK(by_metric[same]["needed"] == row["needed"]);
    }
  }
  CHECK_SAYS(all.err,
             "equal bit for bit, and so one test in the correction: surf_emd_spatial_mean = "
             "surf_emd, surf_mae_spatial_mean = surf_mae\n");
  CHECK_FALSE(has(two.err, "bit for bit"));
  CHECK_FALSE(has(compare({"--correction", "none"}).err, "bit for bit"));
}

TEST_CASE("of a word's meanings the one counts that the other word has, a run's only at last") {
  const Workspace here;
  for (const char* name : {"kmeans", "later"})
    here.run({"run",
              here.write(std::string(name) + ".toml",
                         digits_run("name = \"" + std::string(name) +
                                        "\"\nseeds = [0, 1]\nmetrics = [\"surf_mae\"]",
                                    {"perfect", "kmeans"})),
              "--no-board"});
  const auto said = [&](const char* a, const char* b) {
    return here.conoscope({"compare", a, b}).run().err;
  };
  CHECK_SAYS(said("kmeans", "perfect"), "A is explainer kmeans, B is explainer perfect");
  CHECK_SAYS(said("perfect", "kmeans"), "A is explainer perfect, B is explainer kmeans");
  CHECK_SAYS(said("kmeans", "kmeans"), "A is explainer kmeans, B is explainer kmeans");
  CHECK_SAYS(said("kmeans", "later"), "A is run kmeans, B is run later");
  CHECK_SAYS(said("run:kmeans", "later"), "A is run kmeans, B is run later");
  // The dataset and the model of these activations bear one name.
  CHECK_SAYS(said("precomputed", "perfect"), "write model:precomputed or dataset:precomputed");
  CHECK_SAYS(said("precomputed", "precomputed"), "precomputed has several meanings");
}

TEST_CASE_FIXTURE(Fixture, "two metrics on the same cells") {
  const Json rows = compare({"surf_emd", "metric:surf_mae"}, 6);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["metric"] == "surf_emd - surf_mae");
  CHECK(rows[0]["pairs"] == 3);
  CHECK(rows[0]["better"] == "lower");
}

TEST_CASE_FIXTURE(Fixture, "two stores: what changed since last month") {
  const std::string old = here.path("old.db");
  std::filesystem::copy_file(here.store(), old);
  CHECK(compare({old, here.store()}, 0)[0]["pairs"] == 3);
  shift(old, 0.25);
  // The file named by --store plays no part when both sides are files.
  const Json rows = compare({"store:" + old, here.store(), "--store", here.path("none.db")}, 6);
  for (const auto& row : rows) {
    const bool changed = row["metric"] == "surf_mae";
    CHECK((row["difference"] != 0) == changed);
    CHECK_SAYS(row["verdict"].get<std::string>(), changed ? "B better by" : "equal in all 3 pairs");
  }
  // A run against a store.
  CHECK(compare({"run:run", old, "-m", "surf_emd"}, 0)[0]["pairs"] == 3);
}

TEST_CASE_FIXTURE(Fixture, "what cannot be paired is said") {
  here.run({"run", file, "--no-board"});
  const std::string more =
      here.write("more.toml", digits_run("seeds = [2, 3]\nmetrics = [\"surf\"]", {"nmf"}));
  here.run({"run", more, "--no-board"});
  const auto ended = here.run({"compare", "kmeans", "nmf", "-m", "surf_mae"}, 6);
  CHECK_SAYS(ended.err, "0 scores of A and 1 of B have no partner");
  // The other one is not in that run at all.
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--run", "more", "-m", "surf_mae"}, 2).err,
             "0 scores of kmeans and 2 of nmf, and no two of them belong together");
}

TEST_CASE_FIXTURE(Fixture, "formats and mistakes") {
  for (const char* format : {"table", "csv", "ndjson", "md", "latex"})
    CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--format", format}, 6).out, "better by");
  CHECK_SAYS(here.run({"compare", "--help"}).out, "conoscope compare svd kmeans");
  CHECK_SAYS(here.run({"compare", "kmeans"}, 2).err, "which two?");
  CHECK_SAYS(here.run({"compare", "kmeans", "nfm"}, 2).err, "did you mean nmf?");
  const std::string too_long(300, 'x');  // for a file's name
  CHECK_SAYS(here.run({"compare", "kmeans", too_long}, 2).err, "dataset or metric " + too_long);
  CHECK_SAYS(here.run({"compare", "kmeans", "surf_mae"}, 2).err, "of the kind metric");
  CHECK_SAYS(here.run({"compare", "kmeans", "metric:surf_mea"}, 2).err, "surf_mea");
  // Also where another metric is right.
  for (const auto& words : {std::vector<std::string>{"-m", "surf_mea"},
                            std::vector<std::string>{"-m", "surf_emd", "-m", "surf_mea"}}) {
    std::vector<std::string> line = {"compare", "kmeans", "nmf"};
    line.insert(line.end(), words.begin(), words.end());
    CHECK_SAYS(here.run(line, 2).err, "no metric or group surf_mea (did you mean surf_mae?)");
  }
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "-m", "surf_mae", "-m", "ctl"}, 6).err,
             "ctl: no two scores of it belong together");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "-m", "ctl"}, 2).err, "nothing to compare");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--test", "z"}, 2).err, "t, wilcoxon");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--correction", "z"}, 2).err, "holm, bh");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--alpha", "2"}, 2).err, "--alpha");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--power", "0.01"}, 2).err, "--power");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--unpaired", "--test", "wilcoxon"}, 2).err,
             "Welch");
  CHECK_SAYS(here.run({"compare", "digits", "digits", "--pooled"}, 2).err, "--pooled");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--resampled", "-1"}, 2).err, "--resampled");
  CHECK_SAYS(here.run({"compare", "kmeans", "nmf", "--resampled", "0.2", "--pooled"}, 2).err,
             "one dataset's seeds only");
  CHECK_SAYS(here.run({"compare", "precomputed", "kmeans"}, 2).err,
             "write model:precomputed or dataset:precomputed");
  CHECK_SAYS(here.run({"compare", "surf_mae", "surf_emd", "-m", "surf_mae"}, 2).err, "--metric");
  CHECK_SAYS(here.run({"compare", "run:run", "run:run", "--run", "run"}, 2).err, "--run");
}

TEST_CASE("a name that stands for several explainers is refused") {
  const Workspace here;
  std::string text = digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\"]", {"perfect"});
  text += "[[explainer]]\nid = \"kmeans\"\nparams = { k = [2, 3] }\n";
  here.run({"run", here.write("sweep.toml", text), "--no-board"});
  const auto ended = here.run({"compare", "perfect", "kmeans"}, 2);
  CHECK_SAYS(ended.err, "explainer kmeans stands for 2: kmeans(k=");
  CHECK_SAYS(ended.err, "name one");
  CHECK_SAYS(here.run({"compare", "perfect", "kmeans(k=3)"}, 6).out, "A better by");
  // The one with the default k has the bare name.
  here.run(
      {"run",
       here.write("bare.toml", digits_run("seeds = [0, 1]\nmetrics = [\"surf_mae\"]", {"kmeans"})),
       "--no-board"});
  CHECK_SAYS(here.run({"compare", "perfect", "kmeans"}, 6).out, "A better by");
}
