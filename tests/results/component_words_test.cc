// SPDX-License-Identifier: Apache-2.0
#include "results/boards/component_words.h"

#include <doctest/doctest.h>

#include "tests/results/sample.h"

using namespace conoscope::results;

namespace {

ComponentRow explainer(const std::string& key, const std::string& id, const std::string& version,
                       const std::string& name) {
  return {key, "explainer", id, version, "{}", "", name};
}

/// svd in two versions under one name, and kmeans, which one run calls mine.
Store known() {
  Store store = Store::open(":memory:", Mode::kReadWrite);
  const std::vector components = {
      sample::component("dataset", "d"), sample::component("model", "m"),
      explainer("aaaa1111", "svd", "0.1.0", "svd"), explainer("aaaa2222", "svd", "0.2.0", "svd"),
      explainer("bbbb1111", "kmeans", "1.0.0", "kmeans(k=3)")};
  std::vector<CellRow> cells;
  for (const char* key : {"aaaa1111", "aaaa2222", "bbbb1111"})
    cells.push_back(sample::cell("d", "m", key, 1));
  store.register_run({"one", "one", "[run]", sample::at(0)}, components, cells,
                     std::vector{sample::metric("a")});
  store.register_run({"two", "two", "[run]", sample::at(1)},
                     std::vector{explainer("bbbb1111", "kmeans", "1.0.0", "mine")},
                     std::vector{cells[2]}, std::vector{sample::metric("a")});
  store.register_run({"three", "three", "[run]", sample::at(2)},
                     std::vector{explainer("bbbb1111", "kmeans", "1.0.0", "other")},
                     std::vector{cells[2]}, std::vector{sample::metric("a")});
  return store;
}

}  // namespace

TEST_CASE("component_filter: names, ids, versions, keys and their beginnings") {
  Store store = known();
  const auto find = [&](const std::string& word, const std::string& run = "",
                        const std::string& kind = "explainer") {
    return component_filter(store, run, kind, word).value_or("nothing");
  };
  CHECK(find("") == "");
  CHECK(find("svd") == "svd");
  CHECK(find("svd@0.2.0") == "aaaa2222");
  CHECK(find("svd#aaaa1") == "aaaa1111");
  CHECK(find("aaaa1111") == "aaaa1111");
  CHECK(find("aaaa2") == "aaaa2222");
  CHECK(find("aaaa") == "nothing");  // two begin so
  CHECK(find("bbb") == "nothing");   // too short to be meant
  CHECK(find("svd", "", "dataset") == "nothing");
  CHECK(find("d", "", "") == "d");

  CHECK(find("kmeans(k=3)", "one") == "kmeans(k=3)");
  CHECK(find("mine", "one") == "nothing");
  CHECK(find("mine", "two") == "mine");
  CHECK(find("svd", "two") == "nothing");
  CHECK(find("other") == "other");    // the newest name
  CHECK(find("mine") == "bbbb1111");  // what some run calls so
  CHECK(find("kmeans@1.0.0", "two") == "bbbb1111");
  // A plugin's id that one of its components has as its name.
  store.register_run(
      {"four", "four", "[run]", sample::at(3)},
      std::vector{explainer("cccc1111", "nmf", "1.0.0", "nmf"),
                  explainer("cccc2222", "nmf", "1.0.0", "nmf value")},
      std::vector{sample::cell("d", "m", "cccc1111", 1), sample::cell("d", "m", "cccc2222", 1)},
      std::vector{sample::metric("a")});
  CHECK(find("nmf", "four") == "cccc1111");
  CHECK(find("nmf value", "four") == "nmf value");
  CHECK(component_names(store, "two", "explainer") == std::vector<std::string>{"kmeans", "mine"});
}
