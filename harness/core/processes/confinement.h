// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace conoscope::core {

// What keeps a plugin to itself: Landlock for files and signals, a seccomp filter for system calls,
// no new privileges, no capabilities. Computing, threads and memory of one's own need none of what
// they refuse.

/// What a process may do beyond computing. Reading system libraries, what /proc says of this process
/// and of the machine, and processor topology is always allowed, and to write to /dev/null.
struct Confinement {
  std::vector<std::filesystem::path> read;   ///< files, and folders with all below
  std::vector<std::filesystem::path> write;  ///< folders with all below
  bool network = false;                      ///< sockets
  bool processes = false;                    ///< start other processes, and read all of /proc
  /// That may take the place of this one, confined as it is.
  std::vector<std::filesystem::path> programs = {};
};

/// What the kernel offers, as an environment row says it: "landlock 6, seccomp".
std::string confinement_offered();
/// Both of them.
bool can_confine();

/// Has ready what most processes need of confine(), for forks of this one.
void prepare_confinement();

/// For this process, which must have one thread, and for all that it will start; it cannot be taken
/// back. What the kernel does not offer is left out.
/// throws  std::runtime_error: what the kernel offers it does not do
void confine(const Confinement& wanted);

}  // namespace conoscope::core
