// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/metadata.h"

namespace conoscope::core {

/// A plugin said that all is well, and what it left is not.
class OutputFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a finished artifact must hold before anything is computed from it. Each throws OutputFault
// with the array, the place and the value or shape that was found.

/// A split whose indices exist and do not overlap, the views that the metadata promise, as many
/// rows in every per-sample array, no NaN or infinity.
void check_dataset(const ArrayBag& dataset, const Metadata& metadata);

/// The promised views with consistent shapes, a row for each of the dataset's samples, finite.
void check_model(const ArrayBag& model, const ArrayBag& dataset, const Metadata& metadata);

/// What the writer of an artifact has refused, if anything.
/// throws  std::runtime_error: the disk's fault, not the plugin's
void check_written(const ArtifactWriter& writer);

/// CAVs as wide as the activations, importances and counts that go with them, finite.
void check_explanation(const ArrayBag& explanation, const ArrayBag& model);

}  // namespace conoscope::core
