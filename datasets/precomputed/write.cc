// SPDX-License-Identifier: Apache-2.0
#include "datasets/precomputed/write.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace conoscope::datasets {

namespace {

/// float16, float32 and small whole numbers fit in float32 without loss.
bool fits_float32(const formats::Array& array) {
  return array.dtype != formats::DType::f8 &&
         (formats::is_floating(array.dtype) || formats::size_of(array.dtype) <= 2);
}

}  // namespace

void write(sdk::Sink& out, const std::string& name, const std::vector<formats::Array>& parts,
           const std::vector<std::int64_t>& shape) {
  const auto fill = [&]<typename T>(std::span<T> values) {
    for (const formats::Array& part : parts) {
      const auto size = static_cast<std::size_t>(part.size());
      formats::copy_to<T>(part, values.first(size));
      values = values.subspan(size);
    }
  };
  if (std::ranges::all_of(parts, fits_float32))
    fill(out.create<float>(name, shape));
  else
    fill(out.create<double>(name, shape));
}

void write_activations(sdk::Sink& out, const std::vector<formats::Array>& parts,
                       const std::vector<std::int64_t>& shape) {
  if (!std::ranges::all_of(
          parts, [](const formats::Array& part) { return part.dtype == formats::DType::f2; }))
    return write(out, "activations", parts, shape);
  auto values = out.create<sdk::Half>("activations", shape);
  for (const formats::Array& part : parts) {
    std::memcpy(values.data(), part.bytes.data(), part.bytes.size());
    values = values.subspan(static_cast<std::size_t>(part.size()));
  }
}

void write_images(sdk::Sink& out, const formats::Array& images) {
  if (images.dtype != formats::DType::u1) return write(out, "inputs", {images}, images.shape);
  const auto values = out.create<std::uint8_t>("inputs", images.shape);
  std::memcpy(values.data(), images.bytes.data(), images.bytes.size());
}

void write_concepts(sdk::Sink& out, const ConceptArrays& concepts) {
  const auto pass = [&out](const char* name, const std::optional<formats::Array>& array) {
    if (array) write(out, name, {*array}, array->shape);
  };
  pass("concept_scores", concepts.scores);
  pass("concept_probabilities", concepts.probabilities);
  pass("task_outputs", concepts.outputs);
  pass("reference_outputs", concepts.reference);
  pass("concept_head_weight", concepts.head_weight);
  pass("concept_head_bias", concepts.head_bias);
  if (!concepts.active) return;
  write(out, "concept_active", {*concepts.active}, concepts.scores.shape);
  write(out, "concept_inactive", {*concepts.inactive}, concepts.scores.shape);
}

}  // namespace conoscope::datasets
