// SPDX-License-Identifier: Apache-2.0
// `conoscope measure`: arrays of a user's own, scored without a run file.

#include <cmath>
#include <filesystem>
#include <map>

#include "datasets/formats/read_array.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/own_arrays.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;
namespace formats = conoscope::formats;

namespace {

using Values = std::map<std::string, Json>;

/// What `measure` judged under that word, by metric.
Values measured(const Workspace& here, std::vector<std::string> arguments,
                const std::string& judged) {
  arguments.insert(arguments.begin(), "measure");
  Values out;
  for (const auto& row : here.json(arguments))
    if (row["judged"] == judged) out[row["metric"]] = row["value"];
  return out;
}

/// What a run stored, by metric.
Values stored(const Workspace& here) {
  Values out;
  for (const auto& row : here.query("SELECT metric, value FROM score WHERE value IS NOT NULL"))
    out[row["metric"]] = row["value"];
  return out;
}

void check_equal(const Values& got, const Values& wanted, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    CAPTURE(name);
    REQUIRE(wanted.contains(name));
    REQUIRE(got.contains(name));
    // Other processes have other addresses, and where a vector begins decides how its sum is cut.
    const double number = wanted.at(name);
    CHECK(got.at(name).get<double>() == doctest::Approx(number).epsilon(1e-13));
  }
}

/// Four rows, two outputs, width two, and their labels: enough to be refused.
struct Small {
  Workspace here;
  std::map<std::string, std::string> files;

  Small() {
    put<double>("activations", {4, 2}, {1, 0, 2, 1, 0, 1, 1, 3});
    put<double>("head_weight", {2, 2}, {1, -1, -1, 1});
    put<double>("head_bias", {2}, {0, 0});
    put<double>("cavs", {2, 2}, {1, 0, 0, 1});
    put<double>("importance", {2, 2}, {1, 0, 0, 1});
    put<std::int64_t>("labels", {4}, {0, 0, 1, 1});
  }

  template <typename T>
  void put(const std::string& name, const std::vector<std::int64_t>& shape,
           const std::vector<T>& values) {
    files[name] = here.write(name + ".npy", npy_of(shape, values));
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out = {"measure", "surf"};
    for (const auto& [name, file] : files) out.push_back(file);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  void refuses(const std::string& text, const std::vector<std::string>& more = {}) const {
    const Ended ended = here.run(arguments(more), 2);
    CHECK(ended.out == "");
    CHECK_SAYS(ended.err, text);
  }
};

}  // namespace

TEST_CASE("measure: the arrays of a run give the run's numbers") {
  const Workspace here;
  SUBCASE("an explanation that is fitted on the way") {
    here.run_text(digits_run("seeds = [0]\nmetrics = [\"surf\", \"completeness\"]", {"svd"}));
    check_equal(
        measured(here, {"surf", "completeness", CONOSCOPE_TEST_DIGITS, "--explain", "svd"}, "svd"),
        stored(here), {"surf_mae", "surf_emd", "surf_top1", "surf_rank_corr", "completeness"});
  }
  SUBCASE("an explanation that the files bring") {
    here.run_text(digits_run("seeds = [0]\nmetrics = [\"surf\", \"deletion_weight_auc\"]",
                             {"random_importance"}));
    std::vector<std::string> arguments = {"surf", "deletion_weight_auc", CONOSCOPE_TEST_DIGITS};
    for (const auto& entry : fs::recursive_directory_iterator(here.cache()))
      for (const std::string name : {"cavs", "importance", "counts"})
        if (entry.path().filename() == name + ".npy")
          arguments.push_back(name + "=" + entry.path().string());
    REQUIRE(arguments.size() == 6);
    const auto got = measured(here, arguments, "files");
    CHECK(got.at("surf_mae") > 0.01);
    check_equal(got, stored(here),
                {"surf_mae", "surf_emd", "surf_top1", "surf_rank_corr", "surf_norm_l1",
                 "deletion_weight_auc"});
  }
  SUBCASE("concepts and codes") {
    here.run_text(
        "seeds = [0]\n[[dataset]]\nid = \"soft_concepts\"\nparams = { samples = 600 }\n"
        "[[model]]\nid = \"precomputed_concepts\"\n[[model]]\nid = \"precomputed_codes\"\n");
    const auto file = here.path("soft.npz");
    here.run({"dataset", "export", "soft_concepts", "--param", "samples=600", "-o", file});
    // Those that draw nothing of their own.
    check_equal(
        measured(here, {file}, "model"), stored(here),
        {"concept_accuracy", "concept_auc", "concept_f1", "icl", "mig", "mig_ross", "modularity",
         "sap_continuous", "explicitness", "dci_disentanglement", "dci_completeness",
         "dci_informativeness", "beta_vae_score", "factor_vae_score", "irs_score"});
  }
}

TEST_CASE("measure: whatever the file, the same numbers") {
  const Small small;
  const Workspace& here = small.here;
  const auto wanted = measured(
      here,
      [&] {
        auto arguments = small.arguments();
        arguments.erase(arguments.begin());
        return arguments;
      }(),
      "files");
  CHECK(!wanted.at("surf_mae").is_null());

  std::vector<ZipMember> members;
  for (const auto& [name, file] : small.files)
    members.push_back(
        {name + ".npy", npy_of(formats::read_array(file).shape,
                               formats::to_vector<double>(formats::read_array(file)))});
  const auto npz = write_zip(here.path("all.npz"), members);
  CHECK(measured(here, {"surf", npz}, "files") == wanted);
  // A file by itself wins over the archive, by any name, and as columns of a table.
  const auto table = here.write("t.csv", "y,h1,h2\n0,1,0\n0,2,1\n1,0,1\n1,1,3\n");
  CHECK(measured(here, {"surf", npz, "activations=" + table + ":h1,h2", "labels=" + table + ":y"},
                 "files") == wanted);
  CHECK(measured(here, {"surf", npz, "--labels", table + ":y"}, "files") == wanted);
}

TEST_CASE("measure: what is missing is listed with the array that would bring it") {
  const Small small;
  const Workspace& here = small.here;
  const auto& files = small.files;
  const Ended head = here.run(
      {"measure", files.at("activations"), files.at("head_weight"), files.at("head_bias")}, 4);
  CHECK(head.out == "");
  CHECK_SAYS(head.err, "  cavs and importance (or --explain): surf");
  CHECK_SAYS(head.err, "  concept_scores and concepts: ");
  // Groups, also those of which some metrics are only on request.
  CHECK_SAYS(head.err, "  codes and factors: disentanglement and irs\n");

  // Learnt concepts alone, without a word about the rows.
  const auto scores = here.write("c_hat.npy", npy_of<double>({4, 1}, {0.1, 0.2, 0.7, 0.9}));
  const Ended alone = here.run({"measure", "ctl", "concept_scores=" + scores}, 4);
  CHECK_SAYS(alone.err, "  concepts and labels: ctl");

  const Ended all = here.run(small.arguments());
  CHECK(!has(all.err, "cavs"));
  CHECK_SAYS(all.out, "surf_mae");
  const auto rows =
      here.json({"measure", "mig", "surf_mae", files.at("activations"), files.at("head_weight"),
                 files.at("head_bias"), files.at("cavs"), files.at("importance")});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["metric"] == "surf_mae");
  CHECK(rows[1]["reason"] == "not_applicable");
  CHECK(rows[1]["message"] == "needs factors");  // the concept scores are codes
}

TEST_CASE("measure: bad input is named by file, array and value") {
  Small small;
  SUBCASE("rows") {
    small.put<std::int64_t>("labels", {3}, {0, 0, 1});
    small.refuses("labels.npy: labels has 3 rows, but " + small.files["activations"] + " has 4");
  }
  SUBCASE("a class beyond the head") {
    small.put<std::int64_t>("labels", {4}, {0, 0, 1, 2});
    small.refuses("labels.npy: the label at [3] is 2, but " + small.files["head_weight"] +
                  " has 2 outputs");
  }
  SUBCASE("NaN") {
    small.put<double>("cavs", {2, 2}, {1, 0, std::nan(""), 1});
    small.refuses("cavs.npy: the value at [1, 0] is nan, cavs must be finite");
  }
  SUBCASE("a wrong width") {
    small.put<double>("cavs", {2, 3}, {1, 0, 0, 0, 1, 0});
    small.refuses("cavs.npy: cavs are 2 x 3, expected concepts x 2");
  }
  SUBCASE("importance by concept without counts") {
    small.put<double>("importance", {2}, {1, 1});
    small.refuses("importance.npy: importance has one number for each row of cavs, so counts");
  }
  SUBCASE("half an explanation") {
    small.files.erase("importance");
    small.refuses("cavs.npy: cavs are given without importance");
  }
  SUBCASE("a file that is cut short") {
    const auto whole = npy_of<double>({4, 2}, {1, 0, 2, 1, 0, 1, 1, 3});
    small.here.write("activations.npy", whole.substr(0, whole.size() - 8));
    small.refuses("activations.npy: cut short: expected 64 bytes of data (4 x 2, float64), found");
  }
  SUBCASE("Python objects") {
    small.here.write("labels.npy", npy_bytes<double>("|O", "(4,)", {1, 1, 1, 1}));
    small.refuses("labels.npy: dtype '|O' holds pickled Python objects");
  }
  SUBCASE("PyTorch's file") {
    const auto file = write_zip(small.here.path("m.pt"), {{"m/data.pkl", "x"}});
    small.refuses("m.pt: holds pickled Python objects", {file});
  }
  SUBCASE("a header that lies") {
    const std::string header = R"({"labels":{"dtype":"I64","shape":[4],"data_offsets":[0,32]}})";
    const auto file =
        small.here.write("l.safetensors", std::string(1, static_cast<char>(header.size())) +
                                              std::string(7, '\0') + header + std::string(8, '\0'));
    small.files.erase("labels");
    small.refuses("l.safetensors: labels: its bytes are said to be 0 to 32, but the file has 8",
                  {file});
  }
  SUBCASE("no such file, array, metric or option") {
    small.refuses("/nowhere/y.npy: no such file", {"labels=/nowhere/y.npy"});
    small.refuses("no array is called lables (did you mean labels?)", {"lables=x.npy"});
    small.refuses("labels is given twice", {"labels=" + small.files["labels"]});
    small.refuses("no metric, group, metric plugin or file surff (did you mean surf?)", {"surff"});
    small.refuses("--splits: expected a number from 1 to 1000", {"--splits", "0"});
    small.refuses("--split: expected the share", {"--split", "1.5"});
    small.refuses("--seed 9223372036854775807: the seeds of all splits",
                  {"--seed", "9223372036854775807", "--splits", "2"});
    small.refuses("no explainer of that id (did you mean svd?)", {"--explain", "svdd"});
  }
  SUBCASE("two splits") {
    small.put<std::int64_t>("train_index", {2}, {0, 2});
    small.put<std::int64_t>("test_index", {2}, {1, 3});
    small.here.run(small.arguments());
    small.refuses("the files bring a split of their own", {"--splits", "2"});
  }
}

TEST_CASE("measure: repeated splits have a mean and an interval") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), false);
  const auto rows = here.json(
      {"measure", "surf_emd", whole, "--explain", "kmeans(k=3)", "--splits", "3", "--seed", "5"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["judged"] == "files");
  CHECK(rows[1]["judged"] == "kmeans(k=3)");
  CHECK(rows[1]["value_n"] == 3);
  CHECK(rows[1]["value_half_width"].get<double>() > 0.0);
  const auto again = here.json(
      {"measure", "surf_emd", whole, "--explain", "kmeans(k=3)", "--splits", "3", "--seed", "5"});
  CHECK(again == rows);
  const auto other = here.json(
      {"measure", "surf_emd", whole, "--explain", "kmeans(k=3)", "--splits", "3", "--seed", "6"});
  CHECK(other != rows);
}

TEST_CASE("measure: a metric plugin by its file or its id, beside built-in ones") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const std::string plugin = CONOSCOPE_TEST_BROKEN "/score_upside_down.so";
  const Json rows =
      here.json({"measure", "surf_mae", plugin, whole, "--explain", "svd(k=1)", "--name", "mine"});
  REQUIRE(rows.size() == 4);
  CHECK(rows[1]["judged"] == "files");
  CHECK(rows[1]["metric"] == "score_upside_down");
  CHECK(rows[1]["better"] == "higher");
  CHECK(rows[1]["value"].get<double>() == doctest::Approx(0.0));  // the weights themselves
  CHECK(rows[3]["judged"] == "svd(k=1)");
  for (const auto& row : here.json({"board", "-m", "surf_mae", "-m", "score_upside_down"}))
    CHECK(row["score_upside_down"].is_number());

  fs::create_directories(here.path("plugins"));
  fs::copy_file(plugin, here.path("plugins/metric.so"));
  const auto by_id =
      measured(here, {"score_upside_down", whole, "--plugin-path", here.path("plugins")}, "files");
  CHECK(by_id == Values{{"score_upside_down", rows[1]["value"]}});  // named alone, applied alone

  CHECK_SAYS(here.run({"measure", plugin, plugin, whole}, 2).err,
             "its metric score_upside_down is already one of " + plugin);
  CHECK_SAYS(
      here.run({"measure", "score_upside_downn", whole, "--plugin-path", here.path("plugins")}, 2)
          .err,
      "did you mean score_upside_down?");
  CHECK_SAYS(here.run({"measure", CONOSCOPE_TEST_BROKEN "/overlapping_split.so", whole}, 2).err,
             "its kind is dataset, not metric");
  const auto scores = here.write("c_hat.npy", npy_of<double>({4, 1}, {0.1, 0.2, 0.7, 0.9}));
  CHECK_SAYS(here.run({"measure", plugin, "concept_scores=" + scores}, 4).err,
             "cavs and importance (or --explain): score_upside_down");
}

TEST_CASE("measure: a metric plugin that fails costs its own scores") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const Ended ended =
      here.run({"measure", "surf_mae", "surf_emd", CONOSCOPE_TEST_BROKEN "/score_out_of_range.so",
                whole, "--format", "json"},
               4);
  CHECK_SAYS(ended.err, "failed: files: score_out_of_range: score: ");
  CHECK_SAYS(ended.err, "score score_out_of_range = 1.5 is outside its declared range");
  const Json rows = Json::parse(ended.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["value"].is_number());
  CHECK(rows[1]["value"].is_number());
  CHECK(rows[2]["reason"] == "error");
}

TEST_CASE("measure: controls stand beside what they are controls of") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const Json rows = here.json(
      {"measure", "surf_mae", whole, "--control", "random_concepts,random_importance,none"});
  REQUIRE(rows.size() == 3);
  std::map<std::string, double> mae;
  for (const auto& row : rows) {
    CHECK(row["judged"] == "files");
    mae[row["control"]] = row["value"];
  }
  CHECK(mae.at("none") == doctest::Approx(0.0));
  CHECK(mae.at("random_importance") > 0.01);
  CHECK(mae.at("random_concepts") > 0.01);
  CHECK(mae.at("random_concepts") != mae.at("random_importance"));

  CHECK_SAYS(here.run({"measure", "surf_mae", whole, "--control", "random_model"}, 2).err,
             "--control random_model: it explains anew, so an explainer is needed (--explain)");
  CHECK_SAYS(here.run({"measure", "surf_mae", whole, "--control", "random_concept"}, 2).err,
             "no control random_concept (did you mean random_concepts?)");
  const auto scores = here.write("c_hat.npy", npy_of<double>({4, 1}, {0.1, 0.2, 0.7, 0.9}));
  CHECK_SAYS(
      here.run({"measure", "concept_scores=" + scores, "--control", "random_concepts"}, 2).err,
      "it is the control of an explanation");
}

TEST_CASE("measure: controls of fitted explanations are fitted, compared and kept as they are") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), false);
  const Json rows = here.json({"measure", "surf_mae", "kept_concepts", "stability", whole,
                               "--explain", "svd(k=1)", "--splits", "2", "--control",
                               "random_concepts,random_model,poisoned", "--name", "mine"});
  std::map<std::string, Json> values;
  for (const auto& row : rows)
    values[row["judged"].get<std::string>() + " " + row["control"].get<std::string>() + " " +
           row["metric"].get<std::string>()] = row["value"];
  CHECK(values.size() == 2 + 4 * 2 + 1);
  CHECK(values.contains("files random_concepts surf_mae"));
  CHECK_FALSE(values.contains("files poisoned surf_mae"));  // nothing was fitted
  CHECK(values.at("svd(k=1) poisoned kept_concepts").is_number());
  CHECK_FALSE(values.contains("svd(k=1) none kept_concepts"));
  for (const std::string control : {"none", "random_concepts", "random_model", "poisoned"}) {
    CAPTURE(control);
    CHECK(values.at("svd(k=1) " + control + " surf_mae").is_number());
    CHECK(values.at("svd(k=1) " + control + " stability").is_number());
  }
  CHECK(values.at("svd(k=1) random_concepts stability").get<double>() <
        values.at("svd(k=1) none stability").get<double>());
  CHECK(here.query("SELECT control, count(*) AS n FROM cell GROUP BY control ORDER BY control") ==
        Json::parse(R"([{"control": "none", "n": 4}, {"control": "poisoned", "n": 2},
                        {"control": "random_concepts", "n": 4},
                        {"control": "random_model", "n": 2}])"));
  CHECK(here.query("SELECT DISTINCT state FROM cell_state") == Json::parse(R"([{"state": "ok"}])"));
}

TEST_CASE("measure: metrics over seeds compare each split with the others") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), false);
  // What is fitted to the first split of seed 5, 6 and 7 is what --splits fits to its three.
  std::vector<std::vector<double>> cavs;
  for (const char* seed : {"5", "6", "7"}) {
    here.run({"measure", "effective_concepts", whole, "--explain", "svd(k=1)", "--split", "0.2",
              "--seed", seed, "--save-explanations", here.path(seed)});
    cavs.push_back(
        formats::to_vector<double>(formats::Npz(here.path(seed) + "/svd_k_1_.npz").get("cavs")));
  }
  // One CAV for each of ten outputs: the mean of |cos|.
  const auto similarity = [&cavs](std::size_t a, std::size_t b) {
    const std::size_t width = cavs[a].size() / 10;
    double sum = 0;
    for (std::size_t c = 0; c < 10; ++c) {
      double dot = 0, of_a = 0, of_b = 0;
      for (std::size_t i = c * width; i < (c + 1) * width; ++i) {
        dot += cavs[a][i] * cavs[b][i];
        of_a += cavs[a][i] * cavs[a][i];
        of_b += cavs[b][i] * cavs[b][i];
      }
      sum += std::abs(dot) / std::sqrt(of_a * of_b);
    }
    return sum / 10;
  };
  const Json answer =
      here.json({"measure", "surf_mae", "stability", whole, "--explain", "svd(k=1)", "--splits",
                 "3", "--seed", "5", "--per-concept", "--name", "mine"});
  REQUIRE(answer["scores"].size() == 3);  // the files' own explanation is the same in each split
  CHECK(answer["scores"][2]["judged"] == "svd(k=1)");
  CHECK(answer["scores"][2]["metric"] == "stability");
  CHECK(answer["scores"][2]["value_n"] == 3);
  const double mean = (similarity(0, 1) + similarity(0, 2) + similarity(1, 2)) / 3;
  CHECK(mean < 1.0);
  CHECK(answer["scores"][2]["value"].get<double>() == doctest::Approx(mean).epsilon(1e-10));
  REQUIRE(answer["parts"].size() == 2);  // the first split's peers
  for (std::size_t peer : {0, 1})
    CHECK(answer["parts"][peer]["value"].get<double>() ==
          doctest::Approx(similarity(0, peer + 1)).epsilon(1e-10));

  // The store has them as it has those of a run: an attempt with the cells that it compares with.
  CHECK(here.count("cell") == 6);
  CHECK(here.count("attempt") == 9);
  const Json peers = here.query(
      "SELECT own.seed AS own, other.seed AS other, value FROM current_score AS score "
      "JOIN cell AS own ON own.key = score.cell "
      "JOIN attempt_peer AS peer ON peer.attempt = score.attempt "
      "JOIN cell AS other ON other.key = peer.cell AND other.explainer = own.explainer "
      "WHERE metric = 'stability' ORDER BY own.seed, other.seed");
  REQUIRE(peers.size() == 6);
  CHECK(peers[0]["own"] == 5);
  CHECK(peers[0]["other"] == 6);
  CHECK(peers[1]["other"] == 7);
  CHECK(peers[0]["value"].get<double>() ==
        doctest::Approx((similarity(0, 1) + similarity(0, 2)) / 2).epsilon(1e-10));
  CHECK(here.query("SELECT DISTINCT state FROM cell_state") == Json::parse(R"([{"state": "ok"}])"));
  for (const auto& row : here.json({"board", "-m", "stability", "-m", "surf_mae"}))
    CHECK(row["stability"].is_null() == (row["explainer"] == "mine"));

  // By themselves, and without what they need.
  const auto alone =
      measured(here, {"stability", whole, "--explain", "svd(k=1)", "--splits", "3", "--seed", "5"},
               "svd(k=1)");
  CHECK(alone.at("stability") == answer["scores"][2]["value"]);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--splits", "3"}, {"--explain", "svd(k=1)"}}) {
    auto lacking = more;
    lacking.insert(lacking.begin(), {"measure", "stability", whole});
    CHECK_SAYS(here.run(lacking, 4).err,
               "  several splits (--splits) of an explanation that is fitted (--explain): "
               "stability");
  }
}

TEST_CASE("measure: what cannot be fitted is not compared") {
  const Workspace here;
  const auto whole =
      write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), false);
  const Ended ended = here.run({"measure", "stability", "surf_mae", whole, "--explain",
                                "svd(k=10000),svd(k=1)", "--splits", "2", "--name", "mine"},
                               4);
  CHECK_SAYS(ended.err, "failed: svd(k=10000): explain: ");
  CHECK(here.query("SELECT value FROM score WHERE metric = 'stability' AND value IS NOT NULL")
            .size() == 2);
  const Json states = here.query(
      "SELECT DISTINCT attempt.status FROM attempt JOIN cell ON cell.key = attempt.cell "
      "JOIN component ON component.key = cell.explainer WHERE component.name = 'svd(k=10000)'");
  REQUIRE(states.size() == 1);
  CHECK(states[0]["status"] == "failed");
}

TEST_CASE("measure: what is given a name is kept as a cell like others") {
  const Workspace here;
  const auto file = write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const std::vector<std::string> call = {
      "measure", "surf", file, "--explain", "svd", "--name", "mine", "--dataset-name", "digits"};
  here.run(call);
  const auto board = here.json({"board", "-m", "surf_mae", "-m", "surf_emd"});
  REQUIRE(board.size() == 2);
  const auto printed = measured(here, {"surf", file, "--explain", "svd"}, "files");
  for (const auto& row : board) {
    CHECK(row["dataset"] == "digits");
    CHECK(row["model"] == "files");
    CHECK((row["explainer"] == "mine" || row["explainer"] == "svd"));
    if (row["explainer"] == "mine") CHECK(row["surf_emd"] == printed.at("surf_emd"));
  }
  here.run({"compare", "mine", "svd", "-m", "surf_mae"});
  // Known by the content: again is another attempt at the same cells, other arrays are others.
  here.run(call);
  CHECK(here.count("cell") == 2);
  CHECK(here.count("attempt") == 4);
  const auto rows = here.query("SELECT params FROM component WHERE name = 'mine'");
  REQUIRE(rows.size() == 1);
  CHECK_SAYS(rows[0]["params"].get<std::string>(), "cavs=sha256:");
  auto other = call;
  other[2] = write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("other.npz"), false);
  here.run(other);
  CHECK(here.count("cell") == 4);
}

TEST_CASE("measure: two names stand on one board, whatever was asked of each") {
  const Workspace here;
  const auto file = write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const auto call = [&](const std::vector<std::string>& metrics, const std::string& cavs,
                        const std::string& name) {
    std::vector<std::string> arguments = {"measure"};
    arguments.insert(arguments.end(), metrics.begin(), metrics.end());
    for (const std::string array : {"activations", "head_weight", "head_bias", "labels", "counts",
                                    "importance", "train_index", "test_index"})
      arguments.push_back(array + "=" + file + ":" + array);
    arguments.insert(arguments.end(), {"cavs=" + cavs, "--name", name});
    here.run(arguments);
  };
  const formats::Array cavs = formats::Npz(file).get("cavs");
  auto values = formats::to_vector<double>(cavs);
  call({"surf_mae", "surf_emd"}, file + ":cavs", "ours");
  for (double& value : values) value *= 0.5;
  call({"surf_mae"}, here.write("theirs.npy", npy_of<double>(cavs.shape, values)), "theirs");
  CHECK(here.count("run") == 1);
  const Json board = here.json({"board", "-m", "surf_mae", "-m", "surf_emd"});
  REQUIRE(board.size() == 2);
  CHECK(board[0]["explainer"] == "ours");
  CHECK(board[1]["explainer"] == "theirs");
  CHECK(board[1]["surf_mae"].get<double>() > 0.01);
  CHECK(board[1]["surf_emd"].is_null());
  CHECK(here.json({"board", "measure files", "-m", "surf_mae"}).size() == 2);
  here.run({"compare", "ours", "theirs", "-m", "surf_mae"});
}

TEST_CASE("measure and run: how many rows were judged is said, and kept") {
  const Small small;
  CHECK_SAYS(small.here.run(small.arguments()).err, "all 4 rows are judged\n");
  const Ended split = small.here.run(small.arguments({"--split", "0.5", "--name", "mine"}));
  CHECK_SAYS(split.err, "2 rows are judged, 2 trained on (--split)");
  CHECK_SAYS(small.here.query("SELECT log_tail FROM attempt")[0]["log_tail"].get<std::string>(),
             "2 rows are judged, 2 trained on\n");

  const Workspace here;
  here.run_text(digits_run("seeds = [0]\nmetrics = [\"surf_mae\"]", {"perfect"}));
  const std::string cell = here.query("SELECT key FROM cell")[0]["key"];
  CHECK_SAYS(here.run({"show", cell}).out, "score: 299 rows are judged, 600 trained on");
}

TEST_CASE("measure: fitted explanations can be kept, and are then judged alike") {
  const Workspace here;
  const auto folder = here.path("fitted");
  const auto wanted = measured(
      here,
      {"surf", CONOSCOPE_TEST_DIGITS, "--explain", "kmeans(k=3)", "--save-explanations", folder},
      "kmeans(k=3)");
  const auto saved = folder + "/kmeans_k_3_.npz";
  const formats::Npz archive(saved);
  CHECK(archive.get("cavs").shape[1] == 64);
  std::vector<std::string> arguments = {"surf", CONOSCOPE_TEST_DIGITS};
  for (const auto& name : archive.names())
    if (name == "cavs" || name == "importance" || name == "counts")
      arguments.push_back(name + "=" + saved + ":" + name);
  CHECK(measured(here, arguments, "files") == wanted);
}

TEST_CASE("measure: where nothing can be written is said, before anything is fitted if it can be") {
  const Small small;
  const auto fails = [&](const std::vector<std::string>& more) {
    return small.here.run(small.arguments(more), 5);
  };
  const std::string file = small.here.write("file", ""), below = file + "/folder";
  const Ended parts = fails({"--per-sample", below + "/parts.npz"});
  CHECK_SAYS(parts.err, "--per-sample " + below + "/parts.npz: " + below + ": no such folder");
  CHECK(parts.out == "");  // not begun
  const Ended fitted = fails({"--explain", "svd(k=1)", "--save-explanations", below});
  CHECK_SAYS(fitted.err, below + ": cannot be made: Not a directory");
  CHECK(fitted.out == "");
  CHECK_FALSE(has(fitted.err, "svd"));  // not begun

  // What is in the way of one file costs nothing else.
  fs::create_directories(small.here.path("fitted/svd_k_1_.npz/full"));
  const Ended one = fails({"--explain", "svd(k=1)", "--save-explanations",
                           small.here.path("fitted"), "--per-sample", small.here.path("p.npz")});
  CHECK_SAYS(one.err, "svd_k_1_.npz: cannot be written: ");
  CHECK_SAYS(one.out, "surf_mae");
  CHECK(fs::exists(small.here.path("p.npz")));
}

TEST_CASE("measure: what a number is made of") {
  const Workspace here;
  const auto file = write_explained_digits(CONOSCOPE_TEST_DIGITS, here.path("explained.npz"), true);
  const auto saved = here.path("parts.npz");
  const auto answer =
      here.json({"measure", "surf_mae", "surf_emd", file, "--per-sample", saved, "--per-concept"});
  const formats::Npz parts(saved);
  const auto rows = formats::to_vector<std::int64_t>(parts.get("rows"));
  CHECK(rows == formats::to_vector<std::int64_t>(formats::Npz(file).get("test_index")));
  const auto each = formats::to_vector<double>(parts.get("surf_mae"));
  REQUIRE(each.size() == rows.size());
  double sum = 0;
  for (const double value : each) sum += value;
  const double mean = answer["scores"][0]["value"];
  CHECK(sum / static_cast<double>(each.size()) == doctest::Approx(mean).epsilon(1e-12));

  const auto soft = here.path("soft.npz");
  here.run({"dataset", "export", "soft_concepts", "--param", "samples=200", "-o", soft});
  const auto of_concepts = here.json({"measure", "concept_accuracy", soft, "--per-concept"});
  CHECK(of_concepts["parts"].size() == 5);
  CHECK(of_concepts["parts"][4]["part"] == 4);
  CHECK(of_concepts["parts"][4]["name"] == "concept 4");
}

TEST_CASE("measure and show: a part has the number and the name of what it is of") {
  const Workspace here;
  std::string table = "wing,beak,tail\n", factors = "age\n";
  std::vector<double> scores;
  for (int i = 0; i < 12; ++i) {
    table += std::to_string(i % 2) + ",1," + std::to_string(i / 2 % 2) + "\n";
    for (int j = 0; j < 3; ++j) scores.push_back((i * (j + 2) % 7) / 7.0);
  }
  const std::string concepts = here.write("birds.csv", table);
  const std::string c_hat = here.write("c_hat.npy", npy_of<double>({12, 3}, scores));
  const std::vector<std::string> arrays = {"concepts=" + concepts, "concept_scores=" + c_hat};
  const Json parts =
      here.json({"measure", "concept_auc", arrays[0], arrays[1], "--per-concept"})["parts"];
  REQUIRE(parts.size() == 3);
  CHECK(parts[0]["name"] == "wing");
  CHECK(parts[1]["name"] == "beak");
  CHECK(parts[1]["value"].is_null());  // a constant, which is left out
  CHECK(parts[2]["part"] == 2);
  CHECK(parts[2]["name"] == "tail");
  CHECK(parts[2]["value"].is_number());
  const Json pairs =
      here.json({"measure", "mi_true_ic", arrays[0], arrays[1], "--per-concept"})["parts"];
  CHECK(pairs[1]["name"] == "wing, tail");

  here.run_text(
      "metrics = [\"concept_auc\"]\n[[dataset]]\nid = \"precomputed\"\nparams = { concepts "
      "= \"birds.csv\", concept_scores = \"c_hat.npy\", test_share = 0.5 }\n"
      "[[model]]\nid = \"precomputed_concepts\"\n");
  const std::string cell = here.query("SELECT key FROM cell")[0]["key"];
  CHECK(here.json({"show", cell})["parts"][2]["name"] == "tail");
  CHECK_SAYS(here.run({"show", cell}).out, "; beak: nan; tail: ");
}
