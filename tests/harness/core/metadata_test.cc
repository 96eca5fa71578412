// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/metadata.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "harness/core/border/needs.h"
#include "metrics/catalogue.h"
#include "metrics/peer_metric.h"
#include "tests/support/fake_plugin.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::metadata_text;

namespace {

Metadata parse(const std::string& text) { return parse_metadata(text, "p.so"); }

Parameter parameter(const std::string& body) {
  return parse(metadata_text("explainer", "x", "[parameters.k]\n" + body)).parameters.at(0);
}

const Value kText = std::string("fast");

}  // namespace

TEST_CASE("all keys are read") {
  const auto data = parse(metadata_text("metric", "my_metric", R"(
summary = "what it does"
licence = "Apache-2.0"
citation = "Somebody 2020"
needs = ["head_view", "labels"]
offers = []
seeded = false
[parameters.zeta]
type = "integer"
default = 5
min = 1
max = 10
help = "how many"
[parameters.alpha]
type = "text"
default = "fast"
choices = ["fast", "exact"]
choice_offers = ["labels", "targets"]
[parameters.file]
type = "file"
offers = "concepts"
[scores.loss]
direction = "lower"
low = 0
unit = "nats"
question = "how far off?"
[scores.gain]
direction = "higher"
high = 1.5
)",
                                        "2.1"));
  CHECK(data.abi_major == 2);
  CHECK(data.abi_minor == 0);
  CHECK(data.kind == Kind::kMetric);
  CHECK(data.id == "my_metric");
  CHECK(data.version == "2.1");
  CHECK(data.summary == "what it does");
  CHECK(data.licence == "Apache-2.0");
  CHECK(data.citation == "Somebody 2020");
  CHECK(data.needs == std::vector<std::string>{"head_view", "labels"});
  CHECK(data.offers.empty());
  CHECK_FALSE(data.seeded);
  REQUIRE(data.parameters.size() == 3);
  CHECK(data.parameters[0].name == "zeta");  // the order of the text, not of the alphabet
  CHECK(data.parameters[0].type == ParameterType::integer);
  CHECK(data.parameters[0].standard == Value(std::int64_t{5}));
  CHECK(data.parameters[0].min == 1.0);
  CHECK(data.parameters[0].max == 10.0);
  CHECK(data.parameters[0].help == "how many");
  CHECK(data.parameters[1].choices == std::vector<std::string>{"fast", "exact"});
  CHECK(data.parameters[1].choice_offers == std::vector<std::string>{"labels", "targets"});
  CHECK_FALSE(data.parameters[2].standard.has_value());
  CHECK(data.parameters[2].offers == "concepts");
  REQUIRE(data.scores.size() == 2);
  CHECK(data.scores[0].name == "loss");
  CHECK(data.scores[0].low == 0.0);
  CHECK_FALSE(data.scores[0].high.has_value());
  CHECK(data.scores[0].unit == "nats");
  CHECK(data.scores[0].question == "how far off?");
  CHECK(data.scores[1].high == 1.5);
  CHECK(data.parameter("alpha") == &data.parameters[1]);
  CHECK(data.parameter("beta") == nullptr);
}

TEST_CASE("what is left out has its default") {
  const auto data = parse(metadata_text("dataset", "d"));
  CHECK(data.seeded);
  CHECK(data.needs.empty());
  CHECK(data.parameters.empty());
  CHECK(data.summary.empty());
}

TEST_CASE("parameters keep the order of the text however they are written") {
  const std::string one_line =
      "parameters = { z = { type = \"integer\" }, a = { type = \"real\" }, m = { type = \"text\" } "
      "}";
  const std::string dotted =
      "[parameters]\nz.type = \"integer\"\na.type = \"real\"\nm.type = \"text\"\n";
  const std::string tables =
      "[parameters.z]\ntype = \"integer\"\n[parameters.a]\ntype = \"real\"\n[parameters.m]\ntype = "
      "\"text\"\n";
  for (const auto& text : {one_line, dotted, tables}) {
    const auto data = parse(metadata_text("dataset", "d", text));
    REQUIRE(data.parameters.size() == 3);
    CHECK(data.parameters[0].name == "z");
    CHECK(data.parameters[1].name == "a");
    CHECK(data.parameters[2].name == "m");
  }
}

TEST_CASE("every refusal names the file, the key and what was found") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS_SAYING(parse(text), PluginRefused, "p.so: metadata", why);
  };
  refused("abi = \"1.0\"\nkind = ", ":2: ");
  refused("kind = \"dataset\"", "abi is missing");
  refused("abi = 1.0\nkind = \"dataset\"", "abi has the wrong type");
  for (const char* abi : {"1", "one.zero", "1.", ".1", ".", "1.0.0", "1.x", "", "1. 0",
                          "99999999999.0", "1.99999999999", "-1.0"})
    refused("abi = \"" + std::string(abi) + "\"\nkind = \"dataset\"\nid = \"x\"\nversion = \"1\"",
            "abi = \"" + std::string(abi) + "\" is not MAJOR.MINOR");
  refused("abi = \"1.0\"\nid = \"x\"", "kind is missing");
  refused(metadata_text("explorer", "x"), "kind = \"explorer\" is not dataset, model, explainer");
  refused("abi = \"1.0\"\nkind = \"model\"\nversion = \"1\"", "id is missing");
  for (const char* id : {"", "My", "a-b", "a b", "a/b", "ä"})
    refused(metadata_text("model", id), "id = \"" + std::string(id) + "\" may hold only");
  refused("abi = \"1.0\"\nkind = \"model\"\nid = \"x\"", "version is missing");
  refused(metadata_text("model", "x", "", ""), "version is empty");
  refused(metadata_text("model", "x", "need = [\"labels\"]"), "unknown key need");
  refused(metadata_text("model", "x", "needs = \"labels\""), "needs must be a list of texts");
  refused(metadata_text("model", "x", "offers = [1]"), "offers must be a list of texts");
  refused(metadata_text("model", "x", "needs = [\"inputs\", \"lables\"]"),
          "needs: there is no view \"lables\" (did you mean labels?)");
  refused(metadata_text("explainer", "x", "needs = [\"segments or foward\"]"),
          "needs: there is no view \"foward\" (did you mean forward?)");
  for (const char* view : {"train_head_view", "train_concept_view", "redrawn_head"})
    refused(metadata_text("metric", "x", "needs = [\"" + std::string(view) + "\"]"),
            "needs: there is no view \"" + std::string(view) + "\"");
  for (const char* view : {"forward", "head"})
    refused(metadata_text("metric", "x", "needs = [\"" + std::string(view) + "\"]"),
            "needs: a metric plugin cannot call the model (" + std::string(view) + ")");
  refused(metadata_text("model", "x", "offers = [\"head_veiw\"]"),
          "offers: there is no view \"head_veiw\" (did you mean head_view?)");
  CHECK_NOTHROW(parse_metadata(
      metadata_text("explainer", "x", "offers = [\"explanation\", \"dictionary\"]"), "x"));
  refused(metadata_text("model", "x", "offers = [\"dictionary\"]"),
          "offers: there is no view \"dictionary\"");
  refused(metadata_text("model", "x", "offers = [\"head_view\", \"labels\"]"),
          "offers: labels is the dataset's to give");
  const auto choice = metadata_text("dataset", "x",
                                    "[parameters.a]\ntype = \"text\"\nchoices = [\"x\", \"y\"]\n"
                                    "choice_offers = [\"\", \"annotations\"]\n");
  CHECK(parse_metadata(choice, "f").parameters[0].choice_offers[1] == "annotations");
  refused(metadata_text("dataset", "x",
                        "[parameters.a]\ntype = \"file\"\ndefault = \"\"\noffers = \"facters\"\n"),
          "a: offers: there is no view \"facters\" (did you mean factors?)");
  refused(metadata_text("model", "x",
                        "[parameters.a]\ntype = \"text\"\nchoices = [\"x\", \"y\"]\n"
                        "choice_offers = [\"labels\"]\n"),
          "choice_offers needs one view for each of choices");
  refused(metadata_text("model", "x", "seeded = \"yes\""), "seeded has the wrong type");
  refused(metadata_text("model", "x", "passes_on = [\"labels\"]"),
          "passes_on: labels is no array that a model brings");
  refused(metadata_text("dataset", "x", "passes_on = [\"activations\"]"), "passes_on: activations");
  refused(metadata_text("model", "x", "summary = 5"), "summary has the wrong type");
  refused(metadata_text("model", "x", "parameters = 5"), "parameters must be a table");
  refused(metadata_text("model", "x", "[parameters]\nk = 5"), "parameters.k must be a table");
  refused(metadata_text("metric", "x", "scores = []"), "scores must be a table");
  refused(metadata_text("metric", "x", "[scores]\ns = 1"), "scores.s must be a table");
  refused(metadata_text("metric", "x"), "a metric must declare its scores, as [scores.x]");
  refused(metadata_text("model", "x", "[scores.s]\ndirection = \"lower\""),
          "only a metric has scores");
  refused(metadata_text("metric", "x", "[scores.s]\nlow = 0"), "scores.s: direction is missing");
  refused(metadata_text("metric", "x", "[scores.s]\ndirection = \"up\""),
          "scores.s: direction = \"up\" is not higher, lower or none");
  refused(metadata_text("metric", "x", "[scores.s]\ndirection = \"none\"\nrange = 1"),
          "scores.s: unknown key range");
  refused(metadata_text("metric", "x", "[scores.s]\ndirection = \"none\"\nlow = \"0\""),
          "scores.s: low has the wrong type");
}

TEST_CASE("an explainer may need what metrics do, but for what only the host has") {
  const std::set<std::string_view> of_the_host = {"train_head_view", "train_concept_view",
                                                  conoscope::metrics::kOtherSeeds,
                                                  conoscope::metrics::kCleanExplanation};
  for (const auto& metric : conoscope::metrics::catalogue().metrics())
    for (const std::string_view need : metric.needs) {
      CAPTURE(need);
      const auto text = metadata_text("explainer", "x", "needs = [\"" + std::string(need) + "\"]");
      if (of_the_host.contains(need))
        CHECK_THROWS_SAYING(parse(text), PluginRefused, "there is no view", std::string(need));
      else
        CHECK_NOTHROW(parse(text));
    }
}

TEST_CASE("every refusal of a parameter") {
  const auto refused = [](const std::string& body, const std::string& why) {
    CHECK_THROWS_SAYING(parameter(body), PluginRefused, "p.so: metadata.parameters.k", why);
  };
  refused("default = 5", "type is missing");
  refused("type = \"number\"",
          "type = \"number\" is not integer, real, boolean, text, file, folder, integers, reals "
          "or texts");
  refused("type = \"text\"\nmin_count = 1", "min_count, max_count and empty are for lists");
  refused("type = \"integer\"\nempty = \"all\"", "min_count, max_count and empty are for lists");
  refused("type = \"integer\"\nrole = \"count\"",
          "role = \"count\": expected \"concept_count\", of an integer");
  refused("type = \"real\"\nrole = \"concept_count\"", "expected \"concept_count\", of an integer");
  refused("type = \"integers\"\ndefault = [1, \"a\"]", "or a list of numbers or texts");
  refused("type = \"integers\"\ndefault = [1, 0]\nmin = 1",
          "the default does not fit: k = [1, 0]: expected of each number at least 1");
  refused("type = \"integer\"\nstandard = 5", "unknown key standard");
  refused("type = \"text\"\nmin = 1", "min and max are for numbers");
  refused("type = \"boolean\"\nmax = 1", "min and max are for numbers");
  refused("type = \"integer\"\nmin = 3\nmax = 2", "min is above max");
  refused("type = \"integer\"\nchoices = [\"a\"]", "choices are for texts");
  refused("type = \"text\"\nchoices = \"a\"", "choices must be a list of texts");
  refused("type = \"integer\"\ndefault = [1]",
          "the default does not fit: k = [1]: expected a whole number");
  refused("type = \"integer\"\ndefault = \"5\"",
          "the default does not fit: k = \"5\": expected a whole number");
  refused("type = \"integer\"\ndefault = 5\nmax = 4", "the default does not fit: k = 5");
  refused("type = \"file\"\ndefault = \"/etc/shadow\"", "a file has no default but \"\"");
  refused("type = \"folder\"\ndefault = \".\"", "a folder has no default but \"\"");
  CHECK(parameter("type = \"file\"\ndefault = \"\"").standard == Value(std::string()));
  refused("type = \"text\"\ndefault = \"c\"\nchoices = [\"a\", \"b\"]", "expected one of a, b");
}

TEST_CASE("parameters that were added later") {
  const auto text = [](const std::string& more) {
    return metadata_text("model", "x", "added = [\"layer\"]\n" + more);
  };
  const auto good =
      parse(text("[parameters.layer]\ntype = \"integer\"\ndefault = 0\n[parameters.k]\ntype = "
                 "\"integer\"\n"));
  CHECK(good.parameters[0].added);
  CHECK_FALSE(good.parameters[1].added);
  for (const char* bad : {"", "[parameters.layer]\ntype = \"integer\"\n"})
    CHECK_THROWS_SAYING(parse(text(bad)), PluginRefused,
                        "added = \"layer\" is no parameter with a default");
}

TEST_CASE("parameters that say what is told of a trained model") {
  const auto text = [](const std::string& kind, const std::string& readouts) {
    return metadata_text(kind, "x",
                         "readouts = " + readouts +
                             "\n[parameters.scored]\ntype = \"integer\"\n"
                             "[parameters.maps]\ntype = \"integer\"\ndefault = 0\n");
  };
  const auto good = parse(text("model", "{ scored = \"maps\" }"));
  CHECK(good.parameters[0].readout_where == "maps");
  CHECK(good.parameters[1].readout_where == "");
  for (const std::string& bad :
       {text("explainer", "{ scored = \"maps\" }"), text("model", "{ scored = \"width\" }"),
        text("model", "{ width = \"maps\" }"), text("model", "{ maps = \"scored\" }"),
        text("model", "{ maps = \"maps\" }"), text("model", "{ scored = 1 }")})
    CHECK_THROWS_SAYING(parse(bad), PluginRefused,
                        "is no parameter of a model and another one with a default");
}

TEST_CASE("one parameter at most counts the concepts") {
  const std::string count = "type = \"integer\"\nrole = \"concept_count\"\n";
  const auto text = [&](const std::string& more) {
    return metadata_text("explainer", "x", "[parameters.latents]\n" + count + more);
  };
  const auto good = parse(text("[parameters.k]\ntype = \"integer\"\n"));
  REQUIRE(good.concept_count() != nullptr);
  CHECK(good.concept_count()->name == "latents");
  CHECK(parse(metadata_text("explainer", "x")).concept_count() == nullptr);
  CHECK_THROWS_SAYING(parse(text("[parameters.k]\n" + count)), PluginRefused,
                      "two parameters have role = \"concept_count\"");
}

TEST_CASE("lists: types, ranges, counts and choices of each element") {
  using Integers = std::vector<std::int64_t>;
  using Reals = std::vector<double>;
  using Texts = std::vector<std::string>;
  const auto hidden = parameter(
      "type = \"integers\"\nmin = 1\nmax = 9\nmin_count = 1\nmax_count = 2\ndefault = [4]");
  CHECK(hidden.standard == Value(Integers{4}));
  CHECK(hidden.check(Integers{1, 9}) == Value(Integers{1, 9}));
  const auto mean = parameter("type = \"reals\"\ndefault = [1, 0.5]");
  CHECK(mean.standard == Value(Reals{1.0, 0.5}));
  CHECK(mean.check(Integers{1, 2}) == Value(Reals{1.0, 2.0}));
  CHECK(mean.check(Texts{}) == Value(Reals{}));  // an empty list has no type of its own
  const auto names = parameter("type = \"texts\"\nchoices = [\"a\", \"b\"]");
  CHECK(names.check(Texts{"b", "a"}) == Value(Texts{"b", "a"}));

  const auto refused = [](const Parameter& p, const Value& value, const std::string& why) {
    CHECK_THROWS_SAYING(p.check(value), std::invalid_argument, why);
  };
  refused(hidden, Integers{}, "k = []: expected at least 1 elements");
  refused(hidden, Integers{1, 2, 3}, "k = [1, 2, 3]: expected at most 2 elements");
  refused(hidden, Integers{1, 10}, "expected of each number a number from 1 to 9");
  refused(hidden, Reals{1.5}, "k = [1.5]: expected a list of whole numbers, as k = [4]");
  refused(hidden, std::int64_t{7}, "k = 7: expected a list of whole numbers, as k = [7]");
  refused(mean, Reals{HUGE_VAL}, "k = [inf]: expected finite numbers");
  refused(mean, Texts{"x"}, "expected a list of numbers, as k = [1, 0.5]");
  refused(names, Texts{"a", "c"}, "k = [\"a\", \"c\"]: expected one of a, b");
  // The text with commas of before says what to write now.
  refused(hidden, std::string("64, 32"),
          "k = \"64, 32\": expected a list of whole numbers, as k = [64, 32]");
  refused(mean, std::string("0.485,1"), "expected a list of numbers, as k = [0.485, 1]");
  refused(names, std::string("a,b"), "expected a list of texts, as k = [\"a\", \"b\"]");
  refused(hidden, std::string("64;32"), "expected a list of whole numbers, as k = [4]");
}

TEST_CASE("a command line gives a list with commas between") {
  const auto hidden = parameter("type = \"integers\"");
  CHECK(hidden.parse("64, 32") == Value(std::vector<std::int64_t>{64, 32}));
  CHECK(hidden.parse("") == Value(std::vector<std::int64_t>{}));
  CHECK_THROWS_SAYING(hidden.parse("64,"), std::invalid_argument,
                      "expected a list of whole numbers");
  CHECK(parameter("type = \"reals\"").parse("1,0.5") == Value(std::vector<double>{1.0, 0.5}));
  CHECK(parameter("type = \"texts\"").parse("a b,c") ==
        Value(std::vector<std::string>{"a b", "c"}));
}

TEST_CASE("a list is known by the text with commas that it was, so keys stay") {
  const auto as_text = parameter("type = \"text\"");
  const auto same = [&](const std::string& type, const Value& list, const std::string& text) {
    const auto p = parameter("type = \"" + type + "\"");
    CHECK(p.canonical(list) == as_text.canonical(text));
    CHECK(p.plain(list) == text);
  };
  same("integers", std::vector<std::int64_t>{64, 64}, "64,64");
  same("integers", std::vector<std::int64_t>{}, "");
  same("reals", std::vector<double>{0.485, 0.456, 1.0}, "0.485,0.456,1");
  same("texts", std::vector<std::string>{"a", "b"}, "a,b");
  const auto annotated = parameter("type = \"integers\"\nempty = \"all\"");
  CHECK(annotated.canonical(std::vector<std::int64_t>{}) == "\"all\"");
  CHECK(annotated.canonical(std::vector<std::int64_t>{1, 2}) == "\"1,2\"");
  // No two lists share a text.
  const auto texts = parameter("type = \"texts\"");
  using Texts = std::vector<std::string>;
  std::vector<std::string> seen;
  for (const Texts& list : {Texts{}, Texts{""}, Texts{"", ""}, Texts{"a,b"}, Texts{"a", "b"},
                            Texts{"a\\", "b"}, Texts{"a\\,b"}, Texts{"\\"}})
    seen.push_back(texts.canonical(list));
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  // What a value shows in messages is what a run file would have.
  CHECK(to_text(std::vector<std::int64_t>{64, 64}) == "[64, 64]");
  CHECK(to_text(std::vector<std::string>{"a", "b"}) == "[\"a\", \"b\"]");
}

TEST_CASE("parameter names are plain: they stand in keys and on boards") {
  for (const char* name : {"\"a;b\"", "\"a=b\"", "\"a b\"", "\"\"", "\"a\\tb\""})
    CHECK_THROWS_SAYING(
        parse(metadata_text("model", "x",
                            "[parameters." + std::string(name) + "]\ntype = \"integer\"")),
        PluginRefused, "may hold only letters, digits, _ and -");
  CHECK_THROWS_SAYING(
      parse(metadata_text("metric", "x", "[scores.\"a b\"]\ndirection = \"lower\"")), PluginRefused,
      "may hold only letters, digits, _ and -");
}

TEST_CASE("check takes a value of the type, and widens whole numbers to reals") {
  const auto real = parameter("type = \"real\"\nmin = 0.5\nmax = 2");
  CHECK(real.check(1.5) == Value(1.5));
  CHECK(real.check(std::int64_t{2}) == Value(2.0));
  CHECK(real.check(0.5) == Value(0.5));
  const auto whole = parameter("type = \"integer\"\nmin = 1");
  CHECK(whole.check(std::int64_t{1}) == Value(std::int64_t{1}));
  CHECK(parameter("type = \"boolean\"").check(true) == Value(true));
  CHECK(parameter("type = \"text\"\nchoices = [\"fast\"]").check(kText) == kText);
  CHECK(parameter("type = \"file\"").check(kText) == kText);
}

TEST_CASE(
    "a value is one value, however it is written, and what would change in reading is refused") {
  using Integers = std::vector<std::int64_t>;
  using Reals = std::vector<double>;
  const auto real = parameter("type = \"real\""), whole = parameter("type = \"integer\"");
  const auto reals = parameter("type = \"reals\""), wholes = parameter("type = \"integers\"");
  for (const Value& zero : {real.check(-0.0), real.parse("-0.0"), real.parse("-0")}) {
    CHECK(real.canonical(zero) == "0");
    CHECK_FALSE(std::signbit(std::get<double>(zero)));
  }
  CHECK_FALSE(std::signbit(std::get<Reals>(reals.check(Reals{1, -0.0}))[1]));
  CHECK(reals.canonical(reals.parse("-0.0,1")) == "\"0,1\"");
  CHECK_FALSE(
      std::signbit(std::get<double>(*parameter("type = \"real\"\ndefault = -0.0").standard)));
  CHECK(whole.check(3.0) == Value(std::int64_t{3}));
  CHECK(whole.parse("3.0") == Value(std::int64_t{3}));
  CHECK(whole.check(-0.0) == Value(std::int64_t{0}));
  CHECK(wholes.check(Reals{3.0, -4.0}) == Value(Integers{3, -4}));
  CHECK(wholes.parse("3.0,4") == Value(Integers{3, 4}));
  CHECK(real.check(std::int64_t{1} << 53) == Value(0x1p53));
  CHECK(real.parse("0.1000000000000000000000000000000000000001") == Value(0.1));

  const auto refused = [](const auto& read, const std::string& why) {
    CHECK_THROWS_SAYING(read(), std::invalid_argument, why);
  };
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;
  refused([&] { real.check(kOdd); },
          "k = 9007199254740993: expected a number that float64 can hold");
  refused([&] { real.check(std::numeric_limits<std::int64_t>::max()); }, "that float64 can hold");
  refused([&] { reals.check(Integers{1, kOdd}); }, "expected a list of numbers");
  refused([&] { reals.parse("0.5,9007199254740993"); }, "expected a list of numbers");
  refused([&] { whole.check(0x1p53 + 2); }, "expected a whole number");
  refused([&] { whole.check(2.5); }, "k = 2.5: expected a whole number");
  refused([&] { wholes.check(Reals{3, 2.5}); }, "k = [3, 2.5]: expected a list of whole numbers");
  refused([&] { whole.parse("9223372036854775808"); }, "expected a whole number");
  refused([&] { real.parse("1e-400"); }, "k: 1e-400 is beyond the range of float64");
  refused([&] { real.parse("1e400"); }, "k: 1e400 is beyond the range of float64");
  refused([&] { reals.parse("1,1e-400"); }, "expected a list of numbers");
  CHECK_THROWS_SAYING(parameter("type = \"real\"\ndefault = 1e-400"), PluginRefused,
                      "1e-400 is beyond the range of float64");
}

TEST_CASE("check says what was expected") {
  const auto refused = [](const std::string& body, const Value& value, const std::string& why) {
    CHECK_THROWS_SAYING(parameter(body).check(value), std::invalid_argument, why);
  };
  refused("type = \"integer\"", 1.5, "k = 1.5: expected a whole number");
  refused("type = \"integer\"", true, "k = true: expected a whole number");
  refused("type = \"real\"", kText, "k = \"fast\": expected a number");
  refused("type = \"real\"", HUGE_VAL, "k = inf: expected a finite number");
  refused("type = \"boolean\"", std::int64_t{1}, "k = 1: expected true or false");
  refused("type = \"text\"", std::int64_t{1}, "k = 1: expected a text in quotes");
  refused("type = \"file\"", std::int64_t{1}, "k = 1: expected a file name in quotes");
  refused("type = \"folder\"", std::int64_t{1}, "k = 1: expected the name of a folder in quotes");
  refused("type = \"integer\"\nmin = 1\nmax = 9", std::int64_t{10},
          "k = 10: expected a number from 1 to 9");
  refused("type = \"integer\"\nmin = 1", std::int64_t{0}, "k = 0: expected at least 1");
  refused("type = \"real\"\nmax = 0.5", 0.6, "k = 0.6: expected at most 0.5");
  refused("type = \"text\"\nchoices = [\"a\", \"b\"]", kText, "k = \"fast\": expected one of a, b");
}

TEST_CASE("the canonical text of a value is its shortest exact form, and no two values share one") {
  CHECK(to_text(std::int64_t{-3}) == "-3");
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(1e300) == "1e+300");
  CHECK(to_text(true) == "true");
  CHECK(to_text(kText) == "\"fast\"");
  CHECK(to_text(std::string("a\"b\\c")) == R"("a\"b\\c")");
  const double third = 1.0 / 3.0;
  CHECK(std::stod(to_text(third)) == third);
}
