// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// What an autoencoder learns; none has all of them. K latents, D features.
enum class Part : std::size_t {
  kEncoder,        ///< E, K x D
  kEncoderBias,    ///< b_enc, 1 x K; the gate's of a gated one
  kAtoms,          ///< w, K x D
  kDecoderBias,    ///< b_dec, 1 x D
  kThreshold,      ///< log theta or theta, 1 x K
  kGain,           ///< r, 1 x K, of a gated one
  kMagnitudeBias,  ///< b_mag, 1 x K, of a gated one
  kWeights,        ///< W, K x P, of an archetypal one
  kRelaxation,     ///< Lambda, K x D, of an archetypal one
  kLogScale,       ///< m, 1 x 1, of an archetypal one
};
inline constexpr std::size_t kPartCount = 10;

/// Parameters, or their gradients; a part that is not there is empty.
template <typename T>
struct Parts {
  std::array<RowMajor<T>, kPartCount> all;

  RowMajor<T>& operator[](Part part) { return all[static_cast<std::size_t>(part)]; }
  const RowMajor<T>& operator[](Part part) const { return all[static_cast<std::size_t>(part)]; }
  bool has(Part part) const { return (*this)[part].size() > 0; }
};

}  // namespace conoscope::methods
