// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;
using Names = std::vector<std::string>;

namespace {

/// A file of the folder of real data, or "" (and a message) where it is not there.
std::string real_file(const std::string& name) {
  const char* folder = std::getenv("CONOSCOPE_DATA_DIR");
  const auto file =
      std::filesystem::path(folder != nullptr ? folder : CONOSCOPE_TEST_DATA_DIR) / name;
  if (std::filesystem::is_regular_file(file)) return file.string();
  MESSAGE("skipped: " << file.string()
                      << " is not there; CONOSCOPE_DATA_DIR says where the data are");
  return "";
}

Outcome load(Arguments arguments, const std::string& file, std::uint64_t seed = 0) {
  arguments["table"] = file;
  Host host;
  host.seed = seed;
  return plugin("table").load(arguments, host);
}

Bundle load_well(const Arguments& arguments, const std::string& file, std::uint64_t seed = 0) {
  const Outcome outcome = load(arguments, file, seed);
  REQUIRE(outcome.error == "");
  return outcome.out;
}

template <typename T>
std::vector<T> list(const Bundle& data, const char* name) {
  const auto values = data.values<T>(name);
  return {values.begin(), values.end()};
}

std::map<std::int64_t, int> counts(const Bundle& data) {
  std::map<std::int64_t, int> out;
  for (const std::int64_t label : data.values<std::int64_t>("labels")) ++out[label];
  return out;
}

/// A file of six rows; what it refuses, with the file's name in front.
struct Small {
  Scratch scratch;
  std::string file = scratch.write("t.csv",
                                   "age,sex,colour,grade,y\n"
                                   "30,m,red,1,no\n"
                                   "41.5,f,blue,2,yes\n"
                                   "-2,f,green,3,no\n"
                                   "7,m,blue,2,yes\n"
                                   "8,m,red,1,no\n"
                                   "9,f,red,3,yes\n");
  void refuses(const Arguments& arguments, const std::string& message) const {
    const Outcome outcome = load(arguments, file);
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.error == message);
  }
  void refuses_text(const std::string& text, const std::string& message,
                    Arguments arguments = {{"target", Names{"y"}}}) {
    file = scratch.write("t.csv", text);
    refuses(arguments, message);
  }
};

}  // namespace

TEST_CASE("table: numbers stay, texts become codes in the order of their bytes") {
  const Small small;
  const Bundle data = load_well({{"target", Names{"y"}}}, small.file);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{6, 4});
  CHECK(data.texts.at("input_names") == "age,sex,colour,grade");
  CHECK(data.texts.at("class_names") == "no,yes");
  CHECK(data.texts.at("task") == "classification");
  CHECK(list<double>(data, "inputs") == std::vector<double>{30, 1, 2, 1, 41.5, 0, 0, 2,
                                                            -2, 0, 1, 3, 7,    1, 0, 2,
                                                            8,  1, 2, 1, 9,    0, 2, 3});
  CHECK(list<std::int64_t>(data, "labels") == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1});
  CHECK_FALSE(data.has("concepts"));
  CHECK_FALSE(data.has("factors"));
  const Outcome outcome = load({{"target", Names{"y"}}}, small.file);
  CHECK(outcome.log == std::vector<std::string>{"input sex: categories f,m",
                                                "input colour: categories blue,green,red"});
}

TEST_CASE("table: indicators, concepts and factors") {
  const Small small;
  const Bundle data = load_well({{"target", Names{"y"}},
                                 {"inputs", Names{"colour", "sex"}},
                                 {"categories", "indicators"},
                                 {"concepts", Names{"sex", "grade"}},
                                 {"categorical", Names{"grade"}},
                                 {"factors", Names{"age", "colour"}}},
                                small.file);
  CHECK(data.texts.at("input_names") == "colour=blue,colour=green,colour=red,sex=m");
  CHECK(data.texts.at("concept_names") == "sex=m,grade=1,grade=2,grade=3");
  CHECK(data.texts.at("factor_names") == "age,colour");
  CHECK(list<double>(data, "inputs") == std::vector<double>{0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0,
                                                            1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
  CHECK(list<float>(data, "concepts") ==
        std::vector<float>{1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1});
  CHECK(list<double>(data, "factors") ==
        std::vector<double>{30, 2, 41.5, 0, -2, 1, 7, 0, 8, 2, 9, 2});
}

TEST_CASE("table: a name may hold a comma") {
  const Scratch scratch;
  const auto file = scratch.write("t.csv", "\"height, cm\",y\n180,0\n170,1\n160,0\n150,1\n");
  const Bundle data = load_well(
      {{"target", Names{"y"}}, {"inputs", Names{"height, cm"}}, {"test_share", 0.5}}, file);
  CHECK(data.texts.at("input_names") == "\"height, cm\"");
  CHECK(list<double>(data, "inputs") == std::vector<double>{180, 170, 160, 150});
}

TEST_CASE("table: attributes and regression") {
  const Small small;
  const Bundle attributes = load_well(
      {{"target", Names{"sex", "y"}}, {"task", "attributes"}, {"ignore", Names{"colour"}}},
      small.file);
  CHECK(attributes.texts.at("target_names") == "sex=m,y=yes");
  CHECK(attributes.texts.at("input_names") == "age,grade");
  CHECK(list<double>(attributes, "targets") ==
        std::vector<double>{1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1});
  CHECK_FALSE(attributes.has("labels"));
  const Bundle regression =
      load_well({{"target", Names{"age"}}, {"task", "regression"}}, small.file);
  CHECK(regression.shape("targets") == std::vector<std::int64_t>{6, 1});
  CHECK(list<double>(regression, "targets") == std::vector<double>{30, 41.5, -2, 7, 8, 9});
  small.refuses({{"target", Names{"sex"}}, {"task", "regression"}},
                small.file + ":2:4: 'm' is not a number, as task = \"regression\" needs");
  small.refuses({{"target", Names{"grade"}}, {"task", "attributes"}},
                small.file +
                    ":3:13: '2' is neither 0 nor 1, as grade must be; categorical makes a "
                    "column of each of its values");
}

TEST_CASE("table: classes that are numbers are sorted as numbers") {
  const Scratch scratch;
  const auto file = scratch.write("t.csv", "x,y\n1,10\n2,9\n3,10\n4,-1\n5,9.0\n6,-1\n");
  const Bundle data = load_well({{"target", Names{"y"}}, {"test_share", 0.5}}, file);
  CHECK(list<std::int64_t>(data, "labels") == std::vector<std::int64_t>{2, 1, 2, 0, 1, 0});
  CHECK(data.texts.at("class_names") == "-1,9,10");
}

TEST_CASE("table: a missing value is refused, or its row left out") {
  Small small;
  const std::string text =
      "age,note,y\n1,,no\n2,b,yes\n?,c,no\n4,d,yes\n5,e,NA\n6,\"NA\",yes\n7,g,no\n";
  small.refuses_text(text,
                     small.file +
                         ":4:1: the value of age is missing ('?'); missing = "
                         "\"drop_rows\" leaves such rows out, impute fills inputs in",
                     {{"target", Names{"y"}}, {"inputs", Names{"age"}}});
  // What is not used may be missing, and NA in quotes is a text.
  const Arguments arguments = {
      {"target", Names{"y"}}, {"inputs", Names{"age"}}, {"missing", "drop_rows"}};
  const Outcome outcome = load(arguments, small.file);
  REQUIRE(outcome.error == "");
  CHECK(list<double>(outcome.out, "inputs") == std::vector<double>{1, 2, 4, 6, 7});
  CHECK(outcome.log ==
        std::vector<std::string>{"left out 2 of 7 rows, in which a value is missing"});
  const Bundle notes = load_well(
      {{"target", Names{"y"}}, {"inputs", Names{"note"}}, {"missing", "drop_rows"}}, small.file);
  CHECK(list<double>(notes, "inputs") == std::vector<double>{1, 2, 3, 0, 4});
  small.refuses_text("age,y\n1,\n2,NaN\n",
                     small.file + ": 0 rows without a missing value, expected 2 or more",
                     {{"target", Names{"y"}}, {"missing", "drop_rows"}});
}

TEST_CASE("table: missing inputs are filled in with what the training rows tell") {
  const Scratch scratch;
  const auto file = scratch.write("t.csv",
                                  "part;x;colour;y\n"
                                  "train;1;red;0\n"
                                  "train;;\"\";1\n"
                                  "train;4;blue;0\n"
                                  "train;9;red;1\n"
                                  "train;4;blue;1\n"
                                  "test;NA;?;0\n"
                                  "test;100;green;1\n");
  const Arguments arguments = {
      {"target", Names{"y"}}, {"split", "part"}, {"inputs", Names{"x", "colour"}}};
  const auto with = [&](const std::string& impute) {
    Arguments all = arguments;
    all["impute"] = impute;
    return load(all, file);
  };
  const Outcome median = with("median");
  REQUIRE(median.error == "");
  // blue 0, green 1, red 2: of two that are as frequent, the smaller. 100 is no training row.
  CHECK(list<double>(median.out, "inputs") ==
        std::vector<double>{1, 2, 4, 0, 4, 0, 9, 2, 4, 0, 4, 0, 100, 1});
  CHECK(median.log.back() ==
        "filled in 4 missing values of inputs with the median of the training split");
  CHECK(list<double>(with("mode").out, "inputs") == list<double>(median.out, "inputs"));

  Small small;
  small.refuses_text(
      "x,z,part,y\n1,,train,0\n2,,train,1\n3,1,test,0\n",
      small.file + ":2:3: z has no value in any training row, to fill in where it has none",
      {{"target", Names{"y"}}, {"split", "part"}, {"impute", "mode"}});
  small.refuses_text("x,y\n1,0\n2,\n3,1\n",
                     small.file +
                         ":3:3: the value of y is missing (''); missing = \"drop_rows\" leaves "
                         "such rows out, impute fills inputs in",
                     {{"target", Names{"y"}}, {"impute", "mode"}});
}

TEST_CASE("table: what pandas writes: quotes within quotes, lines within quotes, tabs") {
  const Scratch scratch;
  const auto file =
      scratch.write("t.csv",
                    "note\tx\ty\n\"said \"\"no\"\"\ntwice\"\t1\tno\n\"a\tb\"\t2\tyes\n"
                    "c\t3\tno\n\n");
  const Bundle data = load_well({{"target", Names{"y"}}, {"ignore", Names{"note"}}}, file);
  CHECK(list<double>(data, "inputs") == std::vector<double>{1, 2, 3});
  const Outcome wrong = load({{"target", Names{"y"}}, {"separator", "comma"}}, file);
  CHECK(wrong.error == file + ":3:7: text after a closing quote");
}

TEST_CASE("table: the split is by share and seed, or a column's") {
  const Scratch scratch;
  std::string text = "x,part,y\n";
  for (int i = 0; i < 100; ++i)
    text += std::to_string(i) +
            (i % 3 == 0   ? ",test,"
             : i % 3 == 1 ? ",train,"
                          : ",spare,") +
            std::to_string(i % 4 == 0) + "\n";
  const auto file = scratch.write("t.csv", text);
  const Bundle data = load_well({{"target", Names{"y"}}, {"ignore", Names{"part"}}}, file, 1);
  CHECK(data.shape("test_index")[0] == 20);
  int ones = 0;
  for (const std::int64_t row : data.values<std::int64_t>("test_index")) ones += row % 4 == 0;
  CHECK(ones == 5);  // a quarter, as in the whole
  CHECK((data == load_well({{"target", Names{"y"}}, {"ignore", Names{"part"}}}, file, 1)));
  CHECK_FALSE((data == load_well({{"target", Names{"y"}}, {"ignore", Names{"part"}}}, file, 2)));

  const Bundle named = load_well({{"target", Names{"y"}}, {"split", "part"}}, file);
  CHECK(named.texts.at("input_names") == "x");
  CHECK(named.shape("test_index")[0] == 34);
  CHECK(named.shape("train_index")[0] == 33);
  for (const std::int64_t row : named.values<std::int64_t>("train_index")) CHECK(row % 3 == 1);
}

TEST_CASE("table: ranges of columns") {
  const Small small;
  const Bundle data =
      load_well({{"target", Names{"y"}}, {"inputs", Names{"colour-grade", "age"}}}, small.file);
  CHECK(data.texts.at("input_names") == "colour,grade,age");
  const Bundle rest =
      load_well({{"target", Names{"y"}}, {"ignore", Names{"sex-grade"}}}, small.file);
  CHECK(rest.texts.at("input_names") == "age");
  small.refuses({{"target", Names{"y"}}, {"inputs", Names{"age-colour", "sex"}}},
                "table: inputs names the column sex twice");
  small.refuses({{"target", Names{"y"}}, {"inputs", Names{"grade-age"}}},
                small.file + ":1: 'grade-age': age comes before grade");
  small.refuses({{"target", Names{"age-sex"}}},
                "table: target names 2 columns, task = \"classification\" has one");
  small.refuses({{"target", Names{"y"}}, {"split", "age-sex"}},
                "table: split names 2 columns, expected one");
}

TEST_CASE("table: two classes beyond 2^53 must not become one") {
  Small small;
  const std::string cure = "; where such numbers are names, put a letter in front of them";
  const std::string digits =
      "x,y\n1,9007199254740992\n2,9007199254740993\n3,9007199254740992\n4,9007199254740993\n";
  const std::string lost =
      small.file +
      ":3:3: '9007199254740993' is a whole number that float64 cannot hold: it "
      "would become 9007199254740992" +
      cure;
  small.refuses_text(digits, lost);
  small.refuses_text(digits, lost, {{"target", Names{"x"}}});
  small.refuses_text("x,y\n1,0\n2,9007199254740994.0\n3,0\n",
                     small.file +
                         ":3:3: '9007199254740994.0' is beyond 2^53, up to which float64 has every "
                         "whole number" +
                         cure);
  // As texts they are apart.
  const auto file = small.scratch.write(
      "t.csv", "x,y\n1,a9007199254740992\n2,a9007199254740993\n3,a9007199254740992\n");
  CHECK(list<std::int64_t>(load_well({{"target", Names{"y"}}}, file), "labels") ==
        std::vector<std::int64_t>{0, 1, 0});
}

TEST_CASE("table: files that are not right, by file, line and column") {
  Small small;
  const std::string at = small.file + ":";
  small.refuses_text("", at + "1:1: there is no row");
  small.refuses_text("x,y\n", at + "2:1: there is no row");
  small.refuses_text("x,y\n1,0\n2\n", at + "3:2: 1 fields, expected 2 as in the first line");
  small.refuses_text("x,y\n1,0\n2,1,3\n", at + "3:5: 3 fields, expected 2 as in the first line");
  small.refuses_text("x,y,x\n1,0,1\n", at + "1:5: the name x is listed twice");
  small.refuses_text("x,,y\n1,0,1\n", at + "1:3: the column has no name");
  small.refuses_text("x,y\n1,0\n\n2,1\n", at + "3:1: the line is empty");
  small.refuses_text("x,y\n1,\"0\n", at + "2:3: a quote is opened and not closed");
  small.refuses_text("x,y\n1,0\n2,1\n1.5e,1\n",
                     at + "4:1: '1.5e' is not a number, as 2 other values of x are; categorical "
                          "takes them all for categories");
  small.refuses_text("x,y\n1,0\ninf,1\n", at + "3:1: 'inf' is not a finite number");
  small.refuses_text("x,z\n1,0\n",
                     at + "1: there is no column 'y', which target names; there are x, z");
  small.refuses_text("x,y\n1,0.5\n2,1\n",
                     at + "2:3: '0.5' is not a class; task = \"regression\" predicts numbers");
  small.refuses_text("x,y\n1,a\n2,a\n", at + "2:3: y is a in every row, expected two classes");
  small.refuses_text("x,c,y\n1,a,0\n2,a,1\n",
                     at + "2:3: c is a in every row: nothing to tell apart",
                     {{"target", Names{"y"}}, {"concepts", Names{"c"}}});
  small.refuses_text("x,c,y\n1,1,0\n2,-1,1\n",
                     at + "3:3: '-1' is neither 0 nor 1, as c must be; categorical makes a column "
                          "of each of its values",
                     {{"target", Names{"y"}}, {"concepts", Names{"c"}}});
  std::string names = "name,y\n";
  for (int i = 0; i < 30; ++i)
    names += "n" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  small.refuses_text(names, at + "2:1: name holds 30 texts in 30 rows, which name the rows rather "
                                 "than group them; ignore leaves the column out, categorical takes "
                                 "it all the same");
  small.refuses_text("1,2\n3,4\n",
                     small.file +
                         ": there is no column 'y', which target names; there are "
                         "column_1, column_2",
                     {{"target", Names{"y"}}, {"header", "absent"}});
  small.refuses_text("a\nb\n", small.file + ": 2 lines, none after the 3 that are skipped",
                     {{"target", Names{"y"}}, {"skip_lines", 3}});
  small.file = small.scratch.path("nowhere.csv");
  small.refuses({{"target", Names{"y"}}}, small.file + ": No such file or directory");
}

TEST_CASE("table: roles that contradict each other") {
  const Small small;
  small.refuses({{"target", Names{"y"}}, {"inputs", Names{"age", "age"}}},
                "table: inputs names the column age twice");
  small.refuses({{"target", Names{"y"}}, {"inputs", Names{"age", "y"}}},
                "table: the column y is target and input or concept");
  small.refuses({{"target", Names{"y"}}, {"concepts", Names{"y"}}},
                "table: the column y is target and input or concept");
  small.refuses({{"target", Names{"y"}}, {"split", "sex"}, {"inputs", Names{"sex"}}},
                "table: the column sex is split and input or concept");
  small.refuses({{"target", Names{"y"}}, {"inputs", Names{"age"}}, {"ignore", Names{"age"}}},
                "table: ignore names the column age, which has another role too");
  small.refuses({{"target", Names{}}}, "table: target names no column");
  small.refuses({{"target", Names{"y", "sex"}}},
                "table: target names 2 columns, task = \"classification\" has one");
  small.refuses({{"target", Names{"y"}}, {"split", "sex,colour"}},
                small.file +
                    ":1: there is no column 'sex,colour', which split names; there are "
                    "age, sex, colour, grade, y");
  small.refuses({{"target", Names{"y"}}, {"ignore", Names{"age", "sex", "colour", "grade"}}},
                "table: no column is left for inputs; name them");
  small.refuses({{"target", Names{"y"}}, {"split", "sex"}},
                small.file + ": no row of the split column sex is train");
}

TEST_CASE("table: breast cancer, whose first line is no header") {
  const auto file = real_file("breast_cancer.csv");
  if (file.empty()) return;
  const Bundle data =
      load_well({{"target", Names{"column_31"}}, {"header", "absent"}, {"skip_lines", 1}}, file);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{569, 30});
  CHECK(counts(data) == std::map<std::int64_t, int>{{0, 212}, {1, 357}});
  CHECK(data.values<double>("inputs")[0] == 17.99);
  CHECK(data.values<double>("inputs")[29] == 0.1189);
  CHECK(data.shape("test_index")[0] == 114);
}

TEST_CASE("table: wine, three classes") {
  const auto file = real_file("wine_data.csv");
  if (file.empty()) return;
  const Bundle data =
      load_well({{"target", Names{"column_14"}}, {"header", "absent"}, {"skip_lines", 1}}, file);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{178, 13});
  CHECK(counts(data) == std::map<std::int64_t, int>{{0, 59}, {1, 71}, {2, 48}});
  // Without skip_lines the first line has the counts and the class names.
  CHECK(load({{"target", Names{"column_14"}}, {"header", "absent"}}, file).error ==
        file + ":2:26: 14 fields, expected 5 as in the first line");
}

TEST_CASE("table: the seven dermoscopic concepts of Derm7pt") {
  const auto file = real_file("derm7pt_meta.csv");
  if (file.empty()) return;
  const Names seven = {"pigment_network",       "streaks",           "pigmentation",
                       "regression_structures", "dots_and_globules", "blue_whitish_veil",
                       "vascular_structures"};
  const Arguments arguments = {{"target", Names{"diagnosis"}},
                               {"inputs", seven},
                               {"concepts", seven},
                               {"factors", seven},
                               {"ignore", Names{"derm"}}};
  const Bundle data = load_well(arguments, file);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{1011, 7});
  CHECK(data.shape("factors") == std::vector<std::int64_t>{1011, 7});
  // The columns of a concept with more than two values add up to one in every row.
  const std::string names = data.texts.at("concept_names");
  CHECK(names.starts_with("pigment_network=absent,pigment_network=atypical,"));
  const auto concepts = data.values<float>("concepts");
  const auto width = static_cast<std::size_t>(data.shape("concepts")[1]);
  CHECK(width == static_cast<std::size_t>(std::ranges::count(names, ',')) + 1);
  for (std::size_t i = 0; i < concepts.size(); i += width)
    REQUIRE(concepts[i] + concepts[i + 1] + concepts[i + 2] == 1.0F);
  // The file's paths name the rows.
  Arguments with_paths = arguments;
  with_paths["inputs"] = Names{};
  with_paths["ignore"] = Names{};
  CHECK(load(with_paths, file).error.find(" texts in 1011 rows") != std::string::npos);
}
