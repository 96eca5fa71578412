// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "conoscope/sdk/abi.h"

namespace conoscope::core {

/// A small synthetic subject on which plugins are tried: 60 samples with 8 x 8 images, labels or
/// targets, concepts and factors; activations 60 x 4 x 8 as after a ReLU, with a head of three
/// outputs over their mean. What it holds depends on nothing but these fields.
struct ToySubject {
  std::string output = "softmax";  ///< or sigmoid, regression
  std::int32_t dtype = CONO_F64;   ///< of the activations; the head is float32 beside smaller ones
  bool constant_feature = false;   ///< the last feature is 1 everywhere
  std::int64_t train = 45;         ///< rows of the training split
  std::int64_t test = 15;
};

/// What the toy's model makes of new images, m x 8 x 8 x 1 -> m x 4 x 8: each quadrant is a
/// position, and the brightness of the columns that mark a class drives the class's two features.
void toy_forward(const cono_tensor& inputs, cono_tensor& activations);

/// Explanations whose quality is known, of two or three concepts for each output.
enum class ToyExplanation {
  /// Each output's weight vector in parts of other features each, the first of them by far the
  /// largest; a part's norm is its importance.
  kPerfect,
  kRandom  ///< random directions, importances that are random and much alike
};

// Each writes an artifact folder. The dataset brings the model's views as arrays, too: for models
// that pass them on.
//
// throws  std::runtime_error: it cannot be written
void write_toy_dataset(const ToySubject& toy, const std::filesystem::path& folder);
/// Head view, concept view and latent view.
void write_toy_model(const ToySubject& toy, const std::filesystem::path& folder);
void write_toy_explanation(ToyExplanation kind, const std::filesystem::path& folder);

}  // namespace conoscope::core
