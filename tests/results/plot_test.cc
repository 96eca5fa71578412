// SPDX-License-Identifier: Apache-2.0
#include "results/report/plot.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace conoscope::results;

namespace {

/// Where the points are, from left to right of the picture.
std::vector<double> places(const std::string& svg) {
  std::vector<double> out;
  const std::string mark = " cx=\"";
  for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1))
    out.push_back(std::stod(svg.substr(at + mark.size())));
  return out;
}

std::vector<double> places_beside(const std::string& label) {
  Table table;
  table.columns = {{"method"}, {"value", ColumnType::kReal}};
  table.add({label, 1.0});
  table.add({"b", 2.0});
  return places(plot_svg(table, "title"));
}

}  // namespace

TEST_CASE("plot: long names leave room for the points, in any script") {
  for (const char* letter : {"w", "\xd0\xb6", "\xe6\xa6\x82"}) {  // Latin, Cyrillic, Han
    std::string label;
    for (int i = 0; i < 200; ++i) label += letter;
    CAPTURE(label);
    const auto at = places_beside(label);
    REQUIRE(at.size() == 2);
    CHECK(at[0] < at[1]);
    CHECK(at[0] > 200.0);
    CHECK(at[1] < 760.0);
    CHECK(at[1] - at[0] > 200.0);
  }
}
