// SPDX-License-Identifier: Apache-2.0
#include "results/formats/format.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/formats/numbers.h"
#include "results/formats/utf8.h"

using namespace conoscope::results;

namespace {

// Every kind of column, every character that a format treats specially, NULL and empty text.
Table awkward() {
  Table table;
  table.columns = {{"name"},
                   {"n", ColumnType::kInteger},
                   {"x", ColumnType::kReal},
                   {"score", ColumnType::kEstimate},
                   {"seeds", ColumnType::kCoverage}};
  table.add({"plain", std::int64_t{7}, 0.1, Estimate{0.81234, 0.0215, 3, 3}, Coverage{3, 3}});
  table.add({"a,b \"q\"\nz", std::int64_t{-12}, -1234567.0, Estimate{-0.5, std::nullopt, 1, 3},
             Coverage{1, 3}});
  table.add({"\\ & % $ # _ { } ~ ^ | < > é", Field(), Field(), Field(), Field()});
  table.add({"", std::int64_t{0}, 0.0, Estimate{2.0, 0.0, 2, 2}, Coverage{0, 2}});
  return table;
}

}  // namespace

TEST_CASE("format: table") {
  CHECK(to_text(awkward(), Format::table) ==
        R"(name                           n           x              score  seeds
---------------------------  ---  ----------  -----------------  -----
plain                          7      0.1000      0.812 ± 0.021    3/3
a,b "q"\nz                   -12  -1.235e+06  -0.5000 ± - (1/3)    1/3
\ & % $ # _ { } ~ ^ | < > é    -           -                  -      -
                               0       0.000          2.000 ± 0    0/2
)");
}

TEST_CASE("format: csv") {
  CHECK(to_text(awkward(), Format::csv) ==
        "name,n,x,score,score_half_width,score_n,seeds_n,seeds_asked\n"
        "plain,7,0.1,0.81234,0.0215,3,3,3\n"
        "\"a,b \"\"q\"\"\nz\",-12,-1234567,-0.5,,1,1,3\n"
        "\\ & % $ # _ { } ~ ^ | < > é,,,,,,,\n"
        "\"\",0,0,2,0,2,0,2\n");
}

TEST_CASE("format: json and ndjson") {
  const std::string first =
      R"({"name": "plain", "n": 7, "x": 0.1, "score": 0.81234, "score_half_width": 0.0215, )"
      R"("score_n": 3, "seeds_n": 3, "seeds_asked": 3})";
  const std::string second =
      R"({"name": "a,b \"q\"\nz", "n": -12, "x": -1234567, "score": -0.5, "score_half_width": null, )"
      R"("score_n": 1, "seeds_n": 1, "seeds_asked": 3})";
  const std::string third =
      R"({"name": "\\ & % $ # _ { } ~ ^ | < > é", "n": null, "x": null, "score": null, )"
      R"("score_half_width": null, "score_n": null, "seeds_n": null, "seeds_asked": null})";
  const std::string fourth =
      R"({"name": "", "n": 0, "x": 0, "score": 2, "score_half_width": 0, "score_n": 2, "seeds_n": 0, )"
      R"("seeds_asked": 2})";
  CHECK(to_text(awkward(), Format::ndjson) ==
        first + "\n" + second + "\n" + third + "\n" + fourth + "\n");
  const std::string json = to_text(awkward(), Format::json);
  CHECK(json == "[\n " + first + ",\n " + second + ",\n " + third + ",\n " + fourth + "\n]\n");
  CHECK(nlohmann::json::parse(json).size() == 4);
  CHECK(to_text(Table{{{"x"}}, {}}, Format::json) == "[]\n");
}

TEST_CASE("format: json survives control characters and bytes that are not UTF-8") {
  Table table{{{"log"}}, {}};
  table.add({std::string("\x01\x1b[31m\xff\xc0\xaf\xed\xa0\x80 \x7f", 14)});
  const std::string json = to_text(table, Format::json);
  const auto parsed = nlohmann::json::parse(json);
  CHECK(
      parsed[0]["log"] ==
      "\x01\x1b[31m\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \x7f");
}

TEST_CASE("format: a terminal is never steered by what is shown") {
  Table table{{{"log"}}, {}};
  table.add({std::string("\x1b[2J\r\t\xC2\x9B")});
  CHECK(to_text(table, Format::table) == "log\n---------------\n\\x1b[2J\\r\\t\\x9b\n");
  // Nor read as something else: what turns the direction of text, or begins a line, is shown.
  Table turned{{{"log"}}, {}};
  turned.add({std::string("ok \u202Eko\u2066\u2028")});
  CHECK(to_text(turned, Format::table) ==
        "log\n-----------------------\nok \\u202eko\\u2066\\u2028\n");
}

TEST_CASE("format: csv never begins a field as a formula; numbers stay numbers") {
  Table table{{{"text"}, {"x", ColumnType::kReal}}, {}};
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\ttab", "a=1", "a;=1", "a\t@b; c",
                           ";\"=1", "＝1", "＋1", "－1", "＠b", "a＝", "；"})
    table.add({text, -0.5});
  CHECK(to_text(table, Format::csv) ==
        "text,x\n'=1+1,-0.5\n'+1,-0.5\n'-1,-0.5\n'@SUM(A1),-0.5\n'\ttab,-0.5\n"
        "a=1,-0.5\na;'=1,-0.5\na\t'@b; c,-0.5\n\";\"\"'=1\",-0.5\n"
        "'＝1,-0.5\n'＋1,-0.5\n'－1,-0.5\n'＠b,-0.5\na＝,-0.5\n；,-0.5\n");
}

TEST_CASE("format: one field of megabytes does not pad every row") {
  Table table{{{"summary"}}, {}};
  table.add({std::string(1 << 20, 'x')});
  for (int i = 0; i < 50; ++i) table.add({std::string("short")});
  CHECK(to_text(table, Format::table).size() < (1 << 20) + 2000);
}

TEST_CASE("format: md") {
  CHECK(to_text(awkward(), Format::md) ==
        R"(| name | n | x | score | seeds |
| --- | ---: | ---: | ---: | ---: |
| plain | 7 | 0.1000 | 0.812 ± 0.021 | 3/3 |
| a,b "q"<br>z | -12 | -1.235e+06 | -0.5000 ± - (1/3) | 1/3 |
| \\ &amp; % $ # \_ { } \~ ^ \| &lt; > é | - | - | - | - |
|  | 0 | 0.000 | 2.000 ± 0 | 0/2 |
)");
  Table table{{{"random_importance"}, {"*bold* [x] `y`"}}, {}};
  CHECK(to_text(table, Format::md) ==
        "| random_importance | \\*bold\\* \\[x\\] \\`y\\` |\n| --- | --- |\n");
}

TEST_CASE("format: in latex a name in brackets or with a star is no part of the row before") {
  Table table{{{"name"}}, {}};
  table.add({"[1cm]"});
  table.add({"*best"});
  CHECK(to_text(table, Format::latex).find("\n{[}1cm] \\\\\n{*}best \\\\\n") != std::string::npos);
}

TEST_CASE("format: latex") {
  CHECK(to_text(awkward(), Format::latex) ==
        R"(% needs \usepackage{booktabs}
\begin{tabular}{lrrrr}
\toprule
name & n & x & score & seeds \\
\midrule
plain & 7 & 0.1000 & 0.812 $\pm$ 0.021 & 3/3 \\
a,b \textquotedbl{}q\textquotedbl{} z & $-$12 & $-$1.235e+06 & $-$0.5000 $\pm$ - (1/3) & 1/3 \\
\textbackslash{} \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \textbar{} \textless{} \textgreater{} é & - & - & - & - \\
 & 0 & 0.000 & 2.000 $\pm$ 0 & 0/2 \\
\bottomrule
\end{tabular}
)");
}

TEST_CASE("format: machine numbers read back as the same double") {
  for (const double x :
       {0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -2.5e-9, 123456789.125}) {
    CAPTURE(x);
    CHECK(std::strtod(shortest_text(x).c_str(), nullptr) == x);
  }
  CHECK(shortest_text(0.1) == "0.1");
  Table table{{{"x", ColumnType::kReal}}, {}};
  table.add({std::numeric_limits<double>::infinity()});
  CHECK(to_text(table, Format::csv) == "x\ninf\n");
  CHECK(to_text(table, Format::json) == "[\n {\"x\": \"inf\"}\n]\n");
}

TEST_CASE("format: significant digits") {
  CHECK(rounded_up(0.0140782, 2) == 0.015);
  CHECK(rounded_up(0.014, 2) == 0.014);
  CHECK(rounded_up(0.014 * (1 + 1e-15), 2) == 0.014);
  CHECK(rounded_up(99.5, 2) == 100.0);
  CHECK(rounded_up(1234, 2) == 1300.0);
  CHECK(rounded_up(-0.0011, 1) == -0.002);
  CHECK(rounded_up(0, 2) == 0.0);
  CHECK(digits_text(0.5, 4) == "0.5000");
  CHECK(digits_text(0.99996, 4) == "1.000");
  CHECK(digits_text(0, 4) == "0.000");
  CHECK(digits_text(-0.0, 4) == "0.000");
  CHECK(digits_text(12.3, 4) == "12.30");
  CHECK(digits_text(12345, 4) == "12345");
  CHECK(digits_text(1e6, 4) == "1.000e+06");
  CHECK(digits_text(0.00001234567, 4) == "1.235e-05");
  CHECK(digits_text(0.0001234567, 4) == "0.0001235");
  CHECK(digits_text(-INFINITY, 4) == "-inf");
}

TEST_CASE("format: an estimate has the decimals of its half-width") {
  CHECK(estimate_text({0.81234, 0.0215, 3, 3}, 4) == "0.812 ± 0.021");
  CHECK(estimate_text({0.81234, 0.099999, 3, 3}, 4) == "0.81 ± 0.10");
  CHECK(estimate_text({123.456, 12.3, 3, 3}, 4) == "123 ± 12");
  CHECK(estimate_text({0.5, 1234.0, 3, 3}, 4) == "0 ± 1234");
  CHECK(estimate_text({3e-11, 1.5e-12, 3, 3}, 4) == "3.000e-11 ± 1.5e-12");
  CHECK(estimate_text({0.25, std::nullopt, 1, 1}, 4) == "0.2500 ± -");
  CHECK(estimate_text({0.25, 0.01, 2, 5}, 4) == "0.250 ± 0.010 (2/5)");
}

TEST_CASE("format: messages are numbered in reading order, and listed below") {
  Table table{{{"name"}, {.name = "x", .type = ColumnType::kEstimate, .messages = true}}, {}};
  table.add({"e", Estimate{0.5, 0.1, 3, 3, {"b_c & d", "a, \"q\""}}});
  table.add({"f", Estimate{0, std::nullopt, 0, 3, {"a, \"q\""}}});
  table.add({"g", Field()});
  CHECK(to_text(table, Format::table) ==
        "name               x\n"
        "----  --------------\n"
        "e     0.50 ± 0.10¹,²\n"
        "f                 -²\n"
        "g                  -\n"
        "\n"
        "¹ b_c & d\n"
        "² a, \"q\"\n");
  CHECK(to_text(table, Format::md) ==
        "| name | x |\n| --- | ---: |\n"
        "| e | 0.50 ± 0.10<sup>1,2</sup> |\n"
        "| f | -<sup>2</sup> |\n"
        "| g | - |\n"
        "\n"
        "1. b_c &amp; d\n"
        "2. a, \"q\"\n");
  const std::string latex = to_text(table, Format::latex);
  CHECK(latex.find("e & 0.50 $\\pm$ 0.10$^{1,2}$ \\\\\nf & -$^{2}$ \\\\\n") != std::string::npos);
  CHECK(
      latex.ends_with("\\end{tabular}\n\n{\\footnotesize\n$^{1}$ b\\_c \\& d\\\\\n"
                      "$^{2}$ a, \\textquotedbl{}q\\textquotedbl{}\n}\n"));
  CHECK(to_text(table, Format::csv) ==
        "name,x,x_half_width,x_n,x_message\n"
        "e,0.5,0.1,3,\"b_c & d; a, \"\"q\"\"\"\n"
        "f,,,0,\"a, \"\"q\"\"\"\n"
        "g,,,,\n");
  const auto json = nlohmann::json::parse(to_text(table, Format::json));
  CHECK(json[0]["x_message"] == "b_c & d; a, \"q\"");
  CHECK(json[1]["x"].is_null());
  CHECK(json[2]["x_message"].is_null());
}

TEST_CASE("format: width on a terminal") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\xCC\x81") == 1);  // combining acute
  CHECK(display_width("概念") == 4);
  CHECK(display_width("\xff") == 1);
  Table table{{{"x"}, {"y"}}, {}};
  table.add({"概念", "1"});
  table.add({"abcde", "2"});
  CHECK(to_text(table, Format::table) == "x      y\n-----  -\n概念   1\nabcde  2\n");
}

TEST_CASE("format: names") {
  for (const char* name : {"table", "csv", "json", "ndjson", "md", "latex"})
    CHECK(parse_format(name));
  CHECK_FALSE(parse_format("xml"));
  CHECK_FALSE(parse_format(""));
}

TEST_CASE("table: a row has as many fields as there are columns") {
  Table table{{{"x"}, {"y"}}, {}};
  CHECK_THROWS_AS(table.add({"1"}), std::invalid_argument);
}
