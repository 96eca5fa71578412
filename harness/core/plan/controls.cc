// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/controls.h"

#include <algorithm>
#include <stdexcept>

namespace conoscope::core {

const std::vector<Control>& controls() {
  static const std::vector<Control> all = {
      {.name = "none"},
      {.name = "random_importance", .draws_importance = true},
      {.name = "random_concepts", .draws_importance = true, .draws_concepts = true},
      {.name = "random_model", .redraws_head = true},
      {.name = "poisoned", .moves = Moves::kPoisoned},
      {.name = "noisy", .moves = Moves::kNoisy},
      {.name = "permuted_decoder", .permutes_concepts = true},
      {.name = "untrained_dictionary", .trains_twin = true},
      {.name = "frozen_decoder", .trains_twin = true},
      {.name = "frozen_decoder_covariance", .trains_twin = true},
      {.name = "frozen_encoder", .trains_twin = true},
      {.name = "soft_frozen_decoder", .trains_twin = true},
      {.name = "random_l0", .trains_twin = true},
  };
  return all;
}

std::vector<std::string> control_names() {
  std::vector<std::string> out;
  for (const Control& control : controls()) out.push_back(control.name);
  return out;
}

const Control* find_control(const std::string& name) {
  const auto found = std::ranges::find(controls(), name, &Control::name);
  return found == controls().end() ? nullptr : &*found;
}

const Control& control_named(const std::string& name) {
  if (const Control* known = find_control(name)) return *known;
  throw std::invalid_argument("control_named: no control " + name);
}

}  // namespace conoscope::core
