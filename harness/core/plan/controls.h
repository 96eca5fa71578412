// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace conoscope::core {

/// How samples are moved: see metrics/faithfulness/attack/poisoned_samples.h.
enum class Moves { kNothing, kPoisoned, kNoisy };

/// A twin of an explanation, spoiled on purpose, beside which its scores are read.
struct Control {
  std::string name;

  // What is drawn in place of what was found, see apply_control().
  bool draws_importance = false;
  bool draws_concepts = false;
  /// Every concept gets the direction of another.
  bool permutes_concepts = false;

  // What the explainer is given instead, see make_explainer_input().
  /// Another head. Below the last layer the model has to offer redrawn_head.
  bool redraws_head = false;
  /// The training samples, some of them moved.
  Moves moves = Moves::kNothing;

  /// The explainer itself, told by the text `twin`, learns less or otherwise than it would.
  bool trains_twin = false;

  /// Only of an explainer whose metadata offer a dictionary: codes read by an encoder, and atoms.
  bool needs_dictionary() const { return trains_twin || permutes_concepts; }
  bool moves_samples() const { return moves != Moves::kNothing; }
  /// Then its explanation is one of its own.
  bool explains_anew() const { return redraws_head || moves_samples() || trains_twin; }
};

/// All that a run may ask for; the first is "none", the explanation itself.
const std::vector<Control>& controls();
std::vector<std::string> control_names();

/// Null if there is none of that name.
const Control* find_control(const std::string& name);
/// throws  std::invalid_argument: there is none of that name
const Control& control_named(const std::string& name);

}  // namespace conoscope::core
