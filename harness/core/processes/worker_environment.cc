// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/worker_environment.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "harness/core/version.h"

extern char** environ;

namespace conoscope::core {

namespace {

// What tells programs where libraries are.
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
// What a worker has as LD_PRELOAD.
constexpr const char* kPreload = "CONOSCOPE_PRELOAD";

/// Empty: it is not set.
std::string variable(std::string_view name) {
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string_view text = *entry; text.substr(0, text.find('=')) == name)
      return std::string(text.substr(name.size() + 1));
  return "";
}

/// What a worker sees of this process's environment: what tells programs where things are, and how
/// the allocator and a sanitizer behave. Not what may be a secret, not the locale, and not what changes
/// a number: the loader's and the C library's own settings, and those of numerical libraries.
bool is_passed_on(std::string_view name) {
  for (const std::string_view whole : {"PATH", kLibraryPath, "TZ"})
    if (name == whole) return true;
  for (const std::string_view start :
       {"MALLOC_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "GCOV_", "LLVM_PROFILE_"})
    if (name.substr(0, start.size()) == start) return true;
  return false;
}

std::vector<std::string> first_of_each_name(std::vector<std::string> entries) {
  std::set<std::string> names;
  std::erase_if(entries, [&names](const std::string& entry) {
    return !names.insert(entry.substr(0, entry.find('='))).second;
  });
  return entries;
}

}  // namespace

std::vector<std::string> worker_environment(const Job& job) {
  const std::string scratch = (job.work / "scratch").string();
  std::vector<std::string> entries = {
      "OMP_NUM_THREADS=" + std::to_string(job.threads), "TMPDIR=" + scratch, "HOME=" + scratch,
      "OPENBLAS_NUM_THREADS=1",
      // glibc gives a tensor of some MiB back to the kernel as it is freed, and gets cleared pages for
      // the next one, in every training step. Up to these sizes it keeps them.
      "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456"};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string_view text = *entry; is_passed_on(text.substr(0, text.find('='))))
      entries.emplace_back(text);
  const LibraryKernels kernels = library_kernels();
  for (const auto& [name, value] : {std::pair("OPENBLAS_CORETYPE=", &kernels.openblas),
                                    {"DNNL_MAX_CPU_ISA=", &kernels.onednn},
                                    {"ATEN_CPU_CAPABILITY=", &kernels.aten}})
    if (!value->empty()) entries.push_back(name + *value);
  if (const std::string libraries = variable(kPreload); !libraries.empty())
    entries.push_back("LD_PRELOAD=" + libraries);
  return first_of_each_name(std::move(entries));
}

LibraryKernels library_kernels() {
  // OpenBLAS picks kernels by the processor's model: its oldest where it does not know the model, and
  // others, with other last bits, on each make. oneDNN and libtorch pick them by its features.
  LibraryKernels out;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (cpu_level() == "x86-64-v4")
    out = {"SkylakeX", "AVX512_CORE", "avx512"};
  else if (cpu_level() == "x86-64")
    out = {__builtin_cpu_supports("sse4.2") ? "Nehalem" : "Prescott", "SSE41", "default"};
  else if (avx2)
    out = {"Haswell", "AVX2", "avx2"};
#endif
  if (std::string asked = variable("OPENBLAS_CORETYPE"); !asked.empty()) out.openblas = asked;
  return out;
}

std::string libraries_text() {
  std::string out;
  if (const auto path = variable(kLibraryPath); !path.empty())
    out += "library path: " + path + "\n";
  if (const auto first = variable(kPreload); !first.empty()) out += "preloaded: " + first + "\n";
  return out;
}

}  // namespace conoscope::core
