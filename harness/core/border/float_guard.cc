// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/float_guard.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "FloatGuard knows the control words of x86-64 and aarch64 only"
#endif

namespace conoscope::core {

#if defined(__x86_64__)

namespace {

// Everything in MXCSR but the sticky exception flags.
constexpr std::uint64_t kSseControl = 0xffffffc0;

std::uint16_t x87_control() {
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}

}  // namespace

FloatGuard::FloatGuard() : control_(_mm_getcsr()), x87_(x87_control()) {}

FloatGuard::~FloatGuard() {
  _mm_setcsr(static_cast<std::uint32_t>(control_));
  asm volatile("fldcw %0" : : "m"(x87_));
}

bool FloatGuard::changed() const {
  return (_mm_getcsr() & kSseControl) != (control_ & kSseControl) || x87_control() != x87_;
}

#else

namespace {

// FPCR holds no flags: those are in FPSR.
std::uint64_t fpcr() {
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}

}  // namespace

FloatGuard::FloatGuard() : control_(fpcr()) {}

FloatGuard::~FloatGuard() { asm volatile("msr fpcr, %0" : : "r"(control_)); }

bool FloatGuard::changed() const { return fpcr() != control_; }

#endif

}  // namespace conoscope::core
