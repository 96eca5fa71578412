// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/functions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace conoscope::core {

namespace {

constexpr std::string_view kInputAxes = "...";

std::vector<std::string_view> letters_of(std::string_view shape) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < shape.size();) {
    const std::size_t end = std::min(shape.find(' ', at), shape.size());
    out.push_back(shape.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::int64_t product(std::span<const std::int64_t> factors) {
  return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::span<const Function> functions() {
  using enum Kind;
  constexpr std::optional<Kind> kNobody;
  static const std::vector<Function> table = {
      {"load", kDataset},
      {"fit", kModel},
      {"fit", kExplainer},
      {"score", kMetric},
      {"project", kExplainer, {{"rows", "m D"}}, "m K", true, kMetric, "projection"},
      {"reconstruct", kExplainer, {{"scores", "m K"}}, "m D", true, kMetric, "reconstruction"},
      {"forward", kModel, {{"inputs", "m ..."}}, "m P D", false, kExplainer, "forward"},
      {"forward_gradient", kModel, {{"inputs", "m ..."}, {"cotangents", "m P D"}}, "m ..."},
      {"head", kModel, {{"activations", "m P D"}}, "m C", false, kExplainer, "head"},
      {"vjp",
       kModel,
       {{"activations", "m P D"}, {"cotangents", "m C"}},
       "m P D",
       false,
       kExplainer},
      {"redrawn_head", kModel, {{"activations", "m P D"}}, "m C", false, kNobody, "redrawn head"},
      {"redrawn_vjp", kModel, {{"activations", "m P D"}, {"cotangents", "m C"}}, "m P D"},
      {"intervene",
       kModel,
       {{"concepts", "m k w"}, {"told", "m k", true}},
       "m C",
       false,
       kMetric,
       "intervention"},
      {"decode", kModel, {{"codes", "m L"}}, "m ...", false, kNobody, "decoder"},
  };
  return table;
}

const Function& function_named(std::string_view name) {
  const auto table = functions();
  const auto found = std::ranges::find(table, name, &Function::name);
  if (found == table.end()) throw std::invalid_argument("no function " + std::string(name));
  return *found;
}

const char* main_function(Kind kind) {
  return kind == Kind::kDataset ? "load" : kind == Kind::kMetric ? "score" : "fit";
}

Extents Extents::of_arrays(const ArrayBag& arrays) {
  Extents out;
  if (const auto activations = arrays.find("activations")) {
    out.of['P'] = activations->dimensions() == 3 ? activations->shape(1) : 1;
    out.of['D'] = activations->shape(activations->dimensions() - 1);
  }
  if (const auto weight = arrays.find("head_weight"))
    out.of['C'] = weight->rows();
  else if (const auto outputs = arrays.find("task_outputs"))
    out.of['C'] = outputs->shape(1);
  if (const auto scores = arrays.find("concept_scores")) {
    out.of['k'] = scores->shape(1);
    out.of['w'] = scores->dimensions() == 3 ? scores->shape(2) : 1;
  }
  if (const auto codes = arrays.find("codes")) out.of['L'] = codes->shape(1);
  if (const auto inputs = arrays.find("inputs"))
    for (int axis = 1; axis < inputs->dimensions(); ++axis)
      out.input.push_back(inputs->shape(axis));
  if (const auto cavs = arrays.find("cavs")) {
    out.of['D'] = cavs->shape(1);
    if (const auto counts = arrays.find("counts")) {
      const auto values = counts->values<const std::int64_t>();
      out.concepts.assign(values.begin(), values.end());
    } else if (const auto importance = arrays.find("importance")) {
      out.concepts.assign(static_cast<std::size_t>(importance->rows()), cavs->rows());
    }
  }
  return out;
}

void Extents::add(const Extents& other) {
  of.insert(other.of.begin(), other.of.end());
  if (input.empty()) input = other.input;
  if (concepts.empty()) concepts = other.concepts;
}

std::vector<std::int64_t> Extents::shape(std::string_view letters, std::int64_t rows,
                                         std::int64_t output) const {
  std::vector<std::int64_t> out;
  for (const std::string_view letter : letters_of(letters)) {
    if (letter == "m") {
      out.push_back(rows);
    } else if (letter == kInputAxes) {
      if (input.empty()) throw std::invalid_argument("the dataset has no inputs");
      out.insert(out.end(), input.begin(), input.end());
    } else if (letter == "K") {
      if (output < 0 || output >= static_cast<std::int64_t>(concepts.size()))
        throw std::invalid_argument("output " + std::to_string(output) + " of " +
                                    std::to_string(concepts.size()));
      out.push_back(concepts[static_cast<std::size_t>(output)]);
    } else if (const auto found = of.find(letter[0]); found != of.end()) {
      out.push_back(found->second);
    } else {
      throw std::invalid_argument("nothing tells what " + std::string(letter) + " is");
    }
  }
  return out;
}

std::int64_t Extents::rows_in(std::string_view letters, const metrics::MatrixRef& numbers,
                              std::int64_t output) const {
  const std::int64_t of_row = product(shape(letters, 1, output));
  if (of_row == 0) return numbers.rows();
  if (numbers.size() % of_row != 0)
    throw std::invalid_argument(std::to_string(numbers.rows()) + " x " +
                                std::to_string(numbers.cols()) + " numbers are no rows of " +
                                std::to_string(of_row));
  return numbers.size() / of_row;
}

metrics::Matrix matrix_of(std::span<const std::int64_t> shape, std::string_view letters) {
  const std::size_t columns_from = letters.find('P') == letters.npos ? 1 : 2;
  return metrics::Matrix(product(shape.first(columns_from)), product(shape.subspan(columns_from)));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const std::int64_t extent : shape)
    out += (out.empty() ? "" : " x ") + std::to_string(extent);
  return out;
}

void check_input(const Function& function, const FunctionInput& input,
                 const std::vector<std::int64_t>& given, const Extents& extents, std::int64_t rows,
                 std::int64_t output) {
  const auto expected = extents.shape(input.shape, rows < 0 ? given[0] : rows, output);
  if (given == expected) return;
  std::string text = shape_text(expected);
  if (rows < 0) text = "m" + text.substr(std::min(text.find(' '), text.size()));
  throw std::invalid_argument(std::string(function.name) + ": " + std::string(input.name) +
                              " are " + shape_text(given) + ", expected " + text);
}

}  // namespace conoscope::core
