// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/core/processes/job.h"

namespace conoscope::core {

/// "NAME=value", all that a worker sees of its surroundings.
std::vector<std::string> worker_environment(const Job& job);

/// The instructions that workers hold numerical libraries to, which decide the last digits of what they
/// compute. Empty: the library chooses.
struct LibraryKernels {
  std::string openblas;  ///< OPENBLAS_CORETYPE; what this process's own says, if it is set
  std::string onednn;    ///< DNNL_MAX_CPU_ISA
  std::string aten;      ///< ATEN_CPU_CAPABILITY, of libtorch
};

/// Those of the level that this program is compiled for (cpu_level), so that every processor of a level
/// computes the same: AVX2's at x86-64-v3, AVX-512's at x86-64-v4.
LibraryKernels library_kernels();

/// What else of this process's environment may change a number that a worker computes, as lines of an
/// environment row: where libraries are sought (LD_LIBRARY_PATH), and which are loaded before all others
/// (CONOSCOPE_PRELOAD, which is the workers' LD_PRELOAD). Empty: neither is set.
std::string libraries_text();

}  // namespace conoscope::core
