// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#include <cstdint>

namespace conoscope::test {

/// MXCSR of x86-64, FPCR of aarch64.
inline std::uint64_t float_control() {
#if defined(__x86_64__)
  return _mm_getcsr();
#else
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
#endif
}

/// What crtfastmath.o does in a library that was linked with -ffast-math.
inline void flush_to_zero() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#else
  asm volatile("msr fpcr, %0" : : "r"(float_control() | std::uint64_t{1} << 24));
#endif
}

}  // namespace conoscope::test
