// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/metadata.h"
#include "metrics/types.h"

namespace conoscope::core {

// Every function that crosses the plugin border, in one table: what a plugin answers, what it may ask
// of the host in turn, and which shapes come and go.
//
// Shapes are written in letters: m rows of the call; P positions and D features of the layer; C outputs;
// K concepts of one output; k concepts of width w; L numbers of a code; "..." the axes of one of the dataset's inputs.

struct FunctionInput {
  std::string_view name, shape;
  bool optional = false;  ///< left out by those who do not know it
};

struct Function {
  std::string_view name;  ///< in messages, in Python and in the metadata
  Kind of;                ///< the plugins that answer it
  /// Arrays of the call, beside those that the plugin is given whole or has left itself.
  std::vector<FunctionInput> inputs = {};
  std::string_view answer = "";       ///< its shape; empty: an artifact, or scores
  bool of_output = false;             ///< asked for one output at a time
  std::optional<Kind> asked_by = {};  ///< the plugins that may ask it of the host in turn
  std::string_view checked_as = {};   ///< by `plugin check`; empty: with another, or with the fit
};

std::span<const Function> functions();
/// throws  std::invalid_argument: there is none of that name
const Function& function_named(std::string_view name);
/// What a plugin of this kind must answer: load, fit or score.
const char* main_function(Kind kind);

/// What the letters stand for.
struct Extents {
  std::map<char, std::int64_t> of;     ///< P, D, C, k, w, L
  std::vector<std::int64_t> input;     ///< "..."
  std::vector<std::int64_t> concepts;  ///< K of each output

  /// Read off what a model or an explainer has left, beside the dataset that the model was fitted to
  /// and the head view that was explained.
  static Extents of_arrays(const ArrayBag& arrays);
  /// Takes over what is not known yet.
  void add(const Extents& other);

  /// throws  std::invalid_argument: an extent that is not known, or no such output
  std::vector<std::int64_t> shape(std::string_view letters, std::int64_t rows,
                                  std::int64_t output = 0) const;
  /// The rows of the call that a matrix of these numbers is.
  /// throws  std::invalid_argument: it is no whole ones
  std::int64_t rows_in(std::string_view letters, const metrics::MatrixRef& numbers,
                       std::int64_t output) const;
};

/// An array of this shape as a matrix: a row for each row of the call, or, of a layer's activations, for
/// each of their positions.
metrics::Matrix matrix_of(std::span<const std::int64_t> shape, std::string_view letters);

/// throws  std::invalid_argument: a shape that is not `input`'s, for so many rows; -1: any
void check_input(const Function& function, const FunctionInput& input,
                 const std::vector<std::int64_t>& given, const Extents& extents, std::int64_t rows,
                 std::int64_t output);
/// "3 x 4"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace conoscope::core
