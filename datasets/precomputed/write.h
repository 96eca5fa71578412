// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "datasets/formats/array.h"
#include "datasets/precomputed/checks.h"

namespace conoscope::datasets {

// Arrays of files as arrays of a dataset or a model: float32 where all of them fit without loss.

/// The parts one after another, which have shape.size() numbers together.
void write(sdk::Sink& out, const std::string& name, const std::vector<formats::Array>& parts,
           const std::vector<std::int64_t>& shape);

/// Activations may be large: float16 stays float16.
void write_activations(sdk::Sink& out, const std::vector<formats::Array>& parts,
                       const std::vector<std::int64_t>& shape);

/// Bytes stay bytes.
void write_images(sdk::Sink& out, const formats::Array& images);

void write_concepts(sdk::Sink& out, const ConceptArrays& concepts);

}  // namespace conoscope::datasets
