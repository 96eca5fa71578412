// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/part_names.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace conoscope::tests {

namespace {

using core::ArrayBag;
using core::axis_names;
using core::part_name;

ArrayBag dataset() {
  ArrayBag out;
  const std::vector<double> concepts(6), factors(4);
  out.add_copy("concepts", concepts.data(), {2, 3});
  out.add_copy("factors", factors.data(), {2, 2});
  out.set_text("factor_names", "age,\"height, cm\"");
  return out;
}

TEST_CASE("part_name: of one axis, of pairs and of a matrix, with names or with numbers") {
  ArrayBag model;
  const std::vector<double> weight(8);
  model.add_copy("head_weight", weight.data(), {4, 2});
  const auto names = axis_names(dataset(), model);
  CHECK_FALSE(names.given.empty());
  CHECK(part_name("factor", 1, names) == "height, cm");
  CHECK(part_name("concept", 2, names) == "concept 2");
  CHECK(part_name("output", 3, names) == "output 3");
  CHECK(part_name("code", 7, names) == "code 7");
  CHECK(part_name("code x factor", 5, names) == "code 2, height, cm");
  CHECK(part_name("concept x concept", 5, names) == "concept 1, concept 2");
  std::string pairs;
  for (int i = 0; i < 3; ++i) pairs += part_name("concept pair", i, names) + "; ";
  CHECK(pairs == "concept 0, concept 1; concept 0, concept 2; concept 1, concept 2; ");
  CHECK(part_name("concept pair", 3, names).empty());
  CHECK(part_name("", 0, names).empty());
}

TEST_CASE("part_name: names of another number than there are columns are nobody's") {
  ArrayBag data = dataset();
  data.set_text("concept_names", "wing,beak");
  data.set_text("factor_names", "");
  const auto names = axis_names(data, ArrayBag());
  CHECK(names.given.empty());
  CHECK(part_name("concept", 1, names) == "concept 1");
  CHECK(part_name("factor", 1, names) == "factor 1");
  CHECK(part_name("output", 1, names) == "output 1");
  CHECK(part_name("code x output", 1, names).empty());  // how many outputs there are is not known
}

}  // namespace

}  // namespace conoscope::tests
