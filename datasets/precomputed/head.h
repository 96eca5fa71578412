// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "datasets/formats/array.h"
#include "datasets/precomputed/sources.h"

namespace conoscope::datasets {

/// The parameters that read_head() takes, as declared by each plugin that has them.
constexpr sdk::Parameter head_pooling() {
  return sdk::text("pooling", "auto")
      .choices({"auto", "mean", "none", "flatten"})
      .help("what lies between activations and head; auto: mean if there are several positions");
}
constexpr sdk::Parameter head_output() {
  return sdk::text("output", "softmax")
      .choices({"softmax", "sigmoid", "regression"})
      .help("what the head's outputs mean");
}

/// The arrays of a head view, checked against each other.
struct Head {
  std::vector<formats::Array> activations;  ///< n x P x D: whole, or training and test rows
  formats::Array weight, bias;
  std::string pooling, output;

  const formats::Array& first() const { return activations.front(); }
  std::int64_t width() const { return first().shape[2]; }
  std::int64_t samples() const;
  std::string origin() const;  ///< the file or files of the activations
};

/// activations  whole, or training and test rows, as found; none: there is no head
/// throws       std::invalid_argument: halves of other shapes, or head_weight, head_bias or logits
///              without activations; see as_positions(), check_head() and check_logits()
std::optional<Head> read_head(const Sources& sources, std::vector<formats::Array> activations,
                              const std::string& pooling, const std::string& output,
                              const sdk::Context& context);

void write_head(sdk::Sink& out, const Head& head);

}  // namespace conoscope::datasets
