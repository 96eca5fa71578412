// SPDX-License-Identifier: Apache-2.0
#include "harness/core/names.h"

#include <doctest/doctest.h>

using conoscope::core::did_you_mean;
using conoscope::core::edit_distance;

TEST_CASE("edit distance counts insertions, removals, replacements and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("kmeans", "kmeans") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kmean", "kmeans") == 1);
  CHECK(edit_distance("kmeens", "kmeans") == 1);
  CHECK(edit_distance("kmaens", "kmeans") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  // Optimal string alignment: no letter is edited twice, so this is 3 and not 2.
  CHECK(edit_distance("ca", "abc") == 3);
  CHECK(edit_distance("seeds", "sedes") == edit_distance("sedes", "seeds"));
}

TEST_CASE("a near word is suggested, otherwise all there are") {
  CHECK(did_you_mean("kmeens", {"nmf", "kmeans", "svd"}) == " (did you mean kmeans?)");
  CHECK(did_you_mean("nfm", {"nmf", "kmeans"}) == " (did you mean nmf?)");
  CHECK(did_you_mean("zebra", {"nmf", "kmeans"}) == " (known: nmf, kmeans)");
  const std::vector<std::string> many(21, "kmeans");
  CHECK(did_you_mean("zebra", many, "conoscope metric") == " (`conoscope metric` lists them)");
  CHECK(did_you_mean("kmaens", many, "conoscope metric") == " (did you mean kmeans?)");
  CHECK(did_you_mean("x", {}) == "");
  // The first of several equally near ones.
  CHECK(did_you_mean("seed", {"seeds", "seem"}) == " (did you mean seeds?)");
}
