#pragma once

#include <string>
#include <vector>

#include "harness/core/processes/job.h"

namespace conoscope::core {

/// "NAME=value", all that a worker sees of its surroundings.
std::vector<std::string> worker_environment(const Job& job);

/// The kernels that workers ask OpenBLAS for, which decide the last digits of what it computes: those
/// that OPENBLAS_CORETYPE names, else Haswell where the processor has AVX2. Empty: OpenBLAS chooses.
std::string openblas_kernels();

/// What else of this process's environment may change a number that a worker computes, as lines of an
/// environment row: where libraries are sought (LD_LIBRARY_PATH), and which are loaded before all others
/// (CONOSCOPE_PRELOAD, which is the workers' LD_PRELOAD). Empty: neither is set.
std::string libraries_text();

}  // namespace conoscope::core
