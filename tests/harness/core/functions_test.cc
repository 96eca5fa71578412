// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/functions.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::metrics::Matrix;
using Shape = std::vector<std::int64_t>;

namespace {

Extents extents_of(const std::vector<std::pair<std::string, Shape>>& arrays) {
  ArrayBag bag;
  for (const auto& [name, shape] : arrays) bag.add_empty(name, CONO_F64, shape);
  return Extents::of_arrays(bag);
}

}  // namespace

TEST_CASE("extents are read off what a model, a dataset and an explainer have left") {
  Extents model = extents_of(
      {{"activations", {9, 4, 5}}, {"head_weight", {3, 5}}, {"concept_scores", {9, 6, 2}}});
  CHECK(model.shape("m P D", 7) == Shape{7, 4, 5});
  CHECK(model.shape("m C", 7) == Shape{7, 3});
  CHECK(model.shape("m k w", 7) == Shape{7, 6, 2});
  CHECK_THROWS_SAYING(model.shape("m ...", 7), std::invalid_argument, "has no inputs");
  model.add(extents_of({{"inputs", {9, 8, 8, 1}}, {"activations", {9, 99}}}));
  CHECK(model.shape("m ...", 7) == Shape{7, 8, 8, 1});
  CHECK(model.shape("m P D", 7) == Shape{7, 4, 5});

  const Extents flat = extents_of({{"activations", {9, 5}}, {"concept_scores", {9, 6}}});
  CHECK(flat.shape("m P D", 2) == Shape{2, 1, 5});
  CHECK(flat.shape("m k w", 2) == Shape{2, 6, 1});
  CHECK_THROWS_SAYING(flat.shape("m C", 2), std::invalid_argument, "nothing tells what C is");
  CHECK(extents_of({{"task_outputs", {9, 4}}}).shape("m C", 2) == Shape{2, 4});
}

TEST_CASE("an output has the concepts that the explanation counts") {
  ArrayBag bag;
  const std::vector<std::int64_t> counts{2, 0, 3};
  bag.add_empty("cavs", CONO_F64, {5, 7});
  bag.add_copy("counts", counts.data(), {3});
  const Extents own = Extents::of_arrays(bag);
  CHECK(own.shape("m K", 4, 2) == Shape{4, 3});
  CHECK(own.shape("m D", 4, 2) == Shape{4, 7});
  CHECK_THROWS_SAYING(own.shape("m K", 4, 3), std::invalid_argument, "output 3 of 3");
  CHECK_THROWS_SAYING(own.shape("m K", 4, -1), std::invalid_argument, "output -1 of 3");
  const Extents shared = extents_of({{"cavs", {5, 7}}, {"importance", {4, 5}}});
  CHECK(shared.shape("m K", 4, 3) == Shape{4, 5});
}

TEST_CASE("a matrix is as many rows of a call as its numbers fill") {
  const Extents extents = extents_of({{"activations", {9, 4, 5}}});
  CHECK(extents.rows_in("m P D", Matrix(8, 5), 0) == 2);  // two samples' positions
  CHECK(extents.rows_in("m P D", Matrix(2, 20), 0) == 2);
  CHECK(extents.rows_in("m P D", Matrix(0, 5), 0) == 0);
  CHECK_THROWS_SAYING(extents.rows_in("m P D", Matrix(3, 5), 0), std::invalid_argument,
                      "3 x 5 numbers are no rows of 20");
  const Matrix activations = matrix_of(Shape{2, 4, 5}, "m P D"),
               inputs = matrix_of(Shape{2, 8, 8, 1}, "m ..."),
               concepts = matrix_of(Shape{2, 6, 2}, "m k w");
  CHECK(std::pair(activations.rows(), activations.cols()) == std::pair<long, long>(8, 5));
  CHECK(std::pair(inputs.rows(), inputs.cols()) == std::pair<long, long>(2, 64));
  CHECK(std::pair(concepts.rows(), concepts.cols()) == std::pair<long, long>(2, 12));
}

TEST_CASE("an input of another shape is refused by function, name and both shapes") {
  const Extents extents = extents_of({{"activations", {9, 2, 3}}, {"head_weight", {4, 3}}});
  const Function& vjp = function_named("vjp");
  check_input(vjp, vjp.inputs[0], {1, 2, 3}, extents, -1, 0);
  check_input(vjp, vjp.inputs[1], {1, 4}, extents, 1, 0);
  CHECK_THROWS_SAYING(check_input(vjp, vjp.inputs[0], {2, 3}, extents, -1, 0),
                      std::invalid_argument, "vjp: activations are 2 x 3, expected m x 2 x 3");
  CHECK_THROWS_SAYING(check_input(vjp, vjp.inputs[1], {2, 4}, extents, 1, 0), std::invalid_argument,
                      "vjp: cotangents are 2 x 4, expected 1 x 4");
}

TEST_CASE("functions have names of their own, and every kind of plugin its first one") {
  for (const Kind kind : {Kind::kDataset, Kind::kModel, Kind::kExplainer, Kind::kMetric})
    CHECK(std::ranges::count_if(functions(), [kind](const Function& f) {
            return f.of == kind && f.name == main_function(kind);
          }) == 1);
  for (const Function& one : functions())
    CHECK(std::ranges::count_if(functions(), [&one](const Function& other) {
            return other.of == one.of && other.name == one.name;
          }) == 1);
  CHECK_THROWS_AS(function_named("recall"), std::invalid_argument);
}
