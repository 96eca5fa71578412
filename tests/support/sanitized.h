// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace conoscope::testing {

/// A sanitizer makes a process some ten times slower: fewer rounds there, the same checks.
/// CONOSCOPE_SANITIZED is defined where the command is instrumented and the test that runs it is not.
#if defined(CONOSCOPE_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// An emulator of another processor is as slow. CONOSCOPE_EMULATED is defined where tests are
/// compiled for another.
#if defined(CONOSCOPE_EMULATED)
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = kSanitized;
#endif

}  // namespace conoscope::testing
