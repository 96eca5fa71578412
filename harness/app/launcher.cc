// SPDX-License-Identifier: Apache-2.0
// `conoscope` where it is installed for several levels of x86-64: starts the program of the level that
// is asked for. It is static and for any x86-64, so that it runs where those programs would not.

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/app/cpu_option.h"

namespace {

constexpr int kUsage = 2, kInternal = 1;

struct Level {
  const char* name;
  const char* needs;
  bool (*runs)();
};

bool runs_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool runs_v4() {
  return runs_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

/// The widest first.
constexpr Level kLevels[] = {
    {"x86-64-v4", "AVX-512 (F, BW, CD, DQ, VL)", runs_v4},
    {"x86-64-v3", "AVX2, FMA and BMI", runs_v3},
    {"x86-64", "", [] { return true; }},
};

/// Of .../bin/conoscope .../lib/conoscope; empty: /proc is missing.
std::string library_folder() {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof self)) return "";
  std::string prefix(self, static_cast<std::size_t>(length));
  for (int up = 0; up < 2 && !prefix.empty(); ++up) prefix.resize(prefix.rfind('/'));
  return prefix + "/lib/conoscope";
}

}  // namespace

int main(int count, char** arguments) {
  __builtin_cpu_init();
  const std::string folder = library_folder();
  if (folder.empty()) {
    std::fputs("conoscope: /proc/self/exe cannot be read: mount /proc\n", stderr);
    return kInternal;
  }
  const auto program = [&folder](const Level& level) {
    return folder + "/" + level.name + "/conoscope";
  };
  const char* asked = conoscope::app::cpu_option(count, arguments);
  if (asked == nullptr) asked = std::getenv(conoscope::app::kCpuVariable);
  if (asked == nullptr || *asked == '\0') asked = "portable";
  const bool best = std::strcmp(asked, "best") == 0, portable = std::strcmp(asked, "portable") == 0;
  std::string known = "portable, best";
  for (const Level& level : kLevels) {
    if (::access(program(level).c_str(), X_OK) != 0) continue;
    known += std::string(", ") + level.name;
    const bool named = std::strcmp(asked, level.name) == 0;
    if (named && !level.runs()) {
      std::fprintf(stderr,
                   "conoscope: --cpu %s: this processor lacks some of %s; take --cpu best\n", asked,
                   level.needs);
      return kUsage;
    }
    // Portable is what nearly every processor has, so that numbers can be repeated.
    const bool fits = best || (portable && std::strcmp(level.name, "x86-64-v4") != 0);
    if (!named && !(fits && level.runs())) continue;
    ::execv(program(level).c_str(), arguments);
    std::perror(("conoscope: " + program(level)).c_str());
    return kInternal;
  }
  std::fprintf(stderr, "conoscope: --cpu %s: no such level here (known: %s)\n", asked,
               known.c_str());
  return kUsage;
}
