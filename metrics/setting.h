// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

/// What a metric's name may set: a whole number, as hidden in ois(hidden=8), a choice of columns, as
/// given in irs_given(given=0+3), a number, as learning_rate=0.001, or a word, as biases=false.
struct Setting {
  std::string_view name;
  Index value = 1;  ///< in a declaration the published one; of a word its place among `words`
  Index least = 1;
  std::string_view unnamed = {};  ///< what holds where it is not named, if that is not `value`
  bool is_choice = false;
  IndexVector chosen = {};  ///< of a choice: each number once, from 0; empty: not named
  double number = 0.0;      ///< in place of value, where any number above 0 will do; else 0
  std::vector<std::string_view> words = {};
};

/// What stands behind the equals sign, of a setting that is no choice: "32", "0.001", "false".
std::string value_text(const Setting& setting);

}  // namespace conoscope::metrics
