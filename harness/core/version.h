// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conoscope::core {

/// "1.0.0"
std::string version_text();
/// Version, commit, compiler and flags, a line each: what is needed to repeat a result.
std::string build_text();
/// The level of instructions that this program is compiled for: x86-64, x86-64-v3 (AVX2, FMA), x86-64-v4
/// (AVX-512), or whatever else -march= was given; empty: the compiler's default.
std::string cpu_level();

}  // namespace conoscope::core
