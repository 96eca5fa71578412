// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace conoscope::core {

/// Saves the floating-point control words and puts them back: neither loading a library nor calling
/// one may change how this process computes.
class FloatGuard {
 public:
  FloatGuard();
  ~FloatGuard();
  FloatGuard(const FloatGuard&) = delete;
  FloatGuard& operator=(const FloatGuard&) = delete;
  /// Whether rounding, flush-to-zero or denormals-are-zero are other than at the start.
  bool changed() const;

 private:
  std::uint64_t control_;  ///< MXCSR of x86-64, FPCR of aarch64
  std::uint16_t x87_ = 0;  ///< x86-64 only
};

}  // namespace conoscope::core
