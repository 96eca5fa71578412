// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/csv.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/support/gzip.h"
#include "tests/support/scratch.h"

namespace formats = conoscope::formats;
using conoscope::testing::gzip;
using conoscope::testing::Scratch;
using formats::CsvHeader;
using formats::parse_csv;
using formats::parse_text_csv;
using formats::TextTable;

namespace {

std::string refusal(const std::string& text, CsvHeader header = CsvHeader::kAutomatic) {
  try {
    parse_csv(text, "f.csv", {.header = header});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("csv: numbers in rows") {
  const auto table = parse_csv("1,2.5,-3e2\n4, 5 ,+6\n", "f.csv");
  CHECK(table.rows == 2);
  CHECK(table.width == 3);
  CHECK(table.columns.empty());
  CHECK(table.values == std::vector<double>{1, 2.5, -300, 4, 5, 6});
}

TEST_CASE("csv: header, quotes, carriage returns, byte order mark, no last newline") {
  const auto table = parse_csv("\xEF\xBB\xBF\"a, b\",c\r\n\"1\",2\r\n3,4", "f.csv");
  CHECK(table.columns == std::vector<std::string>{"a, b", "c"});
  CHECK(table.values == std::vector<double>{1, 2, 3, 4});
  CHECK(parse_csv("1,2\n3,4\n", "f.csv", {.header = CsvHeader::kPresent}).columns ==
        std::vector<std::string>{"1", "2"});
  CHECK(parse_csv("1,2\n3,4\n", "f.csv", {.header = CsvHeader::kPresent}).rows == 1);
}

TEST_CASE("csv: quotes may hold quotes, separators and line ends") {
  const auto layout = formats::CsvLayout{.header = CsvHeader::kPresent};
  const TextTable table = parse_text_csv(
      "\"a \"\"b\"\"\",c\r\n\"x, y\r\nz\", \"\"\"\" \r\n\"\",2\r\n\r\n \r\n", "q.csv", layout);
  CHECK(table.columns == std::vector<std::string>{"a \"b\"", "c"});
  REQUIRE(table.rows == 2);
  CHECK(table.at(0, 0).text == "x, y\r\nz");
  CHECK(table.at(0, 1).text == "\"");
  CHECK(table.place(0, 1) == "q.csv:3:5: ");
  CHECK(table.place(1, 1) == "q.csv:4:4: ");
}

TEST_CASE("csv: the first row says what separates the fields, unless the caller does") {
  const std::vector<double> four = {1, 2, 3, 4};
  for (const char* text : {"1,2\n3,4", "1;2\n3;4\n\n", "1\t2\n3\t4\n", "\"a,b,c\";d\n1;2\n3;4\n"})
    CHECK(parse_csv(text, "f.csv").values == four);
  CHECK(parse_text_csv("a;b\n1;2\n", "f.csv", {.header = CsvHeader::kPresent, .separator = ','})
            .width == 1);
  const TextTable tabs =
      parse_text_csv("a\tb\n\t\n 1\t\n", "f.csv", {.header = CsvHeader::kPresent});
  CHECK(tabs.rows == 2);
  CHECK(tabs.at(0, 1).text == "");
  CHECK(tabs.at(1, 0).text == "1");
}

TEST_CASE("csv: whole numbers keep their digits, and what float64 cannot hold is no header") {
  CHECK(parse_csv("9007199254740992,00000000000000000000007\n", "f.csv").values ==
        std::vector<double>{9007199254740992, 7});
  CHECK(parse_csv("100000000000000000000,-9007199254740994\n", "f.csv").values ==
        std::vector<double>{1e20, -9007199254740994});
  CHECK(refusal("y\n9007199254740992\n9007199254740993\n") ==
        "f.csv:3:1: '9007199254740993' is a whole number that float64 cannot hold: it would become "
        "9007199254740992");
  CHECK(refusal("1,-100000000000000000001\n") ==
        "f.csv:1:3: '-100000000000000000001' is a whole number that float64 cannot hold: it would "
        "become -100000000000000000000");
  CHECK(formats::lost_digits("0.12345678901234567890123") == "");  // measured, and rounded
  const auto tiny = parse_csv("1e-400,-1e400\n2,3\n", "f.csv");
  CHECK(tiny.columns.empty());
  CHECK(tiny.values[0] == 0.0);
  CHECK(std::isinf(tiny.values[1]));
}

TEST_CASE("csv: columns by name, and ranges of them") {
  const std::vector<std::string> columns = {"y", "f0", "f1", "a-b", "f2", "a", "b"};
  using Numbers = std::vector<std::int64_t>;
  const auto called = [&](const std::string& name) {
    return formats::columns_called(columns, name, "f.csv");
  };
  CHECK(called("f1") == Numbers{2});
  CHECK(called("f0-f2") == Numbers{1, 2, 3, 4});
  CHECK(called("f1-a-b") == Numbers{2, 3});
  CHECK(called("a-b") == Numbers{3});  // a column's own name comes first
  CHECK(called("f0-f9").empty());
  CHECK(called("-").empty());
  CHECK_THROWS_WITH_AS(called("f2-f0"), "f.csv: 'f2-f0': f0 comes before f2",
                       std::invalid_argument);
  const std::vector<std::string> many = {"a", "a-b", "b-c", "c", "c"};
  CHECK_THROWS_WITH_AS(formats::columns_called(many, "c", "f.csv"),
                       "f.csv: two columns are called 'c'", std::invalid_argument);
  const std::vector<std::string> both = {"a", "a-b", "b-c", "c"};
  CHECK_THROWS_WITH_AS(formats::columns_called(both, "a-b-c", "f.csv"),
                       "f.csv: 'a-b-c' can mean several ranges of columns", std::invalid_argument);
}

TEST_CASE("csv: errors name file, line and column") {
  CHECK(refusal("1,2\n3,x4\n") == "f.csv:2:3: 'x4' is not a number");
  CHECK(refusal("a,b\n1,2\n3,4.5.6\n") == "f.csv:3:3: '4.5.6' is not a number");
  CHECK(refusal("a,b\n1,2\n", CsvHeader::kAbsent) == "f.csv:1:1: 'a' is not a number");
  CHECK(refusal("1,2\n3,   x\n") == "f.csv:2:6: 'x' is not a number");
  CHECK(refusal("1,2\n3,\n") == "f.csv:2:3: the field is empty");
  CHECK(refusal("1,2\n,3\n") == "f.csv:2:1: the field is empty");
  CHECK(refusal("1,2\n3\n") == "f.csv:2:2: 1 fields, expected 2 as in the first line");
  CHECK(refusal("1,2\n3,4,5\n") == "f.csv:2:5: 3 fields, expected 2 as in the first line");
  CHECK(refusal("1,2\n\n3,4\n") == "f.csv:2:1: the line is empty");
  CHECK(refusal("1,2\n3,\"4\n") == "f.csv:2:3: a quote is opened and not closed");
  CHECK(refusal("1,2\n3,\"4\"5\n") == "f.csv:2:6: text after a closing quote");
  CHECK(refusal("1:2\n3:4\n", CsvHeader::kAbsent) == "f.csv:1:1: '1:2' is not a number");
  CHECK(refusal("a;b\n1;2,5\n") == "f.csv:2:3: '2,5' is not a number");
  CHECK(refusal("\"a\nb\",c\n1,x\n") == "f.csv:3:3: 'x' is not a number");
  CHECK(refusal("1,\"2\n3,4\n") == "f.csv:1:3: a quote is opened and not closed");
  CHECK(refusal("1,+-2\n", CsvHeader::kAbsent) == "f.csv:1:3: '+-2' is not a number");
  CHECK(refusal("") == "f.csv:1:1: there is no row of numbers");
  CHECK(refusal("a,b\n") == "f.csv:1:1: there is no row of numbers");
  // A message would end there.
  using namespace std::string_literals;
  CHECK(refusal("a,b\n1,2\0x\n"s).starts_with("f.csv:2:4: a byte that is zero"));
  CHECK(refusal("\0"s).starts_with("f.csv:1:1: a byte that is zero"));
  CHECK_THROWS_WITH_AS(
      parse_text_csv("a\0b\n"s, "f.csv", {}),
      "f.csv:1:2: a byte that is zero, which no text has; if it is UTF-16, save it "
      "as UTF-8",
      std::invalid_argument);
}

TEST_CASE("csv: plain and gzipped files") {
  const Scratch scratch;
  const auto plain = scratch.write("a.csv", "1,2\n3,4\n");
  CHECK(formats::read_csv(plain).values == std::vector<double>{1, 2, 3, 4});
  const auto packed = scratch.write("b.csv", gzip("1,2\n3,4\n"));  // told by content, not by name
  CHECK(formats::read_csv(packed).values == std::vector<double>{1, 2, 3, 4});
  const auto wrong = scratch.write("c.csv.gz", gzip("1,2\n3,x\n"));
  CHECK_THROWS_WITH_AS(formats::read_csv(wrong), (wrong + ":2:3: 'x' is not a number").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::read_csv(scratch.path("none.csv")),
                       (scratch.path("none.csv") + ": No such file or directory").c_str(),
                       std::invalid_argument);
}

TEST_CASE("csv: as an array, one column is a vector") {
  const auto labels = formats::to_array(parse_csv("label\n3\n1\n", "f.csv"), "f.csv");
  CHECK(labels.shape == std::vector<std::int64_t>{2});
  CHECK(formats::to_vector<std::int64_t>(labels) == std::vector<std::int64_t>{3, 1});
  CHECK(formats::to_array(parse_csv("1,2\n", "f.csv"), "f.csv").shape ==
        std::vector<std::int64_t>{1, 2});
}

TEST_CASE("csv: a table of text keeps every field and its place") {
  const TextTable table = parse_text_csv("note\n\na, \"b, c\" ,d\r\n 1,,\"\"\n-,x y,3", "t.csv",
                                         {.header = CsvHeader::kPresent, .skip_lines = 2});
  CHECK(table.columns == std::vector<std::string>{"a", "b, c", "d"});
  CHECK(table.rows == 2);
  CHECK(table.width == 3);
  CHECK(table.header_line == 3);
  CHECK(table.at(0, 0).text == "1");
  CHECK(table.at(0, 1).text == "");
  CHECK_FALSE(table.at(0, 1).quoted);
  CHECK(table.at(0, 2).quoted);
  CHECK(table.at(1, 1).text == "x y");
  CHECK(table.place(0, 0) == "t.csv:4:2: ");
  CHECK(table.place(1, 2) == "t.csv:5:7: ");

  const TextTable bare = parse_text_csv("1,a\n2,b\n", "t.csv", {.header = CsvHeader::kAbsent});
  CHECK(bare.columns.empty());
  CHECK(bare.rows == 2);
  CHECK(bare.place(1, 1) == "t.csv:2:3: ");
}
