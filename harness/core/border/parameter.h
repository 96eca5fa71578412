// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conoscope/sdk/parameters.h"
#include "harness/core/value.h"

namespace conoscope::core {

using sdk::ParameterType;

/// One parameter of a plugin, as its metadata declares it.
struct Parameter {
  std::string name;
  ParameterType type = ParameterType::integer;
  std::optional<Value> standard;   ///< the default; none: the parameter is required
  std::optional<double> min, max;  ///< of a list: of each element
  std::optional<std::int64_t> min_count, max_count;  ///< elements of a list
  std::vector<std::string> choices;
  std::string empty;  ///< what an empty list means, in one word
  std::string role;   ///< concept_count: it says how many concepts there will be; or empty
  std::string help;
  bool added = false;  ///< later than the version: at its default it is no part of the identity
  /// The parameter that, not at its default, makes this one say what is told of the trained model, and
  /// not how it is trained; empty: none.
  std::string readout_where;
  /// The value is the path of data, which are known by their content.
  bool is_path() const { return type == ParameterType::file || type == ParameterType::folder; }

  bool is_list() const { return type >= ParameterType::integers; }

  std::string offers;  ///< giving this parameter makes the plugin offer that view as well
  std::vector<std::string> choice_offers;  ///< the view that comes with each choice; empty: none

  /// The value as this parameter takes it: whole numbers widened to reals, and 3.0 as 3; -0.0 as 0.0.
  /// throws  std::invalid_argument: another type, out of range or not a choice, in words
  Value check(const Value& value) const;
  /// The same for a value as a command line gives it: NAME=text, a list with commas between.
  Value parse(const std::string& text) const;
  /// As names show it: without quotes, a list with commas between.
  std::string plain(const Value& value) const;
  /// As keys are made from it; a list as the text that has its commas.
  std::string canonical(const Value& value) const;
};

}  // namespace conoscope::core
