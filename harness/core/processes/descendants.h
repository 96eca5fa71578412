// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace conoscope::core {

// What a process has started, whatever process group or session it has moved to. From the kernel's
// lists of children (/proc/<pid>/task/*/children); a kernel without them shows none.

/// The living processes below `pid`.
std::vector<pid_t> descendants(pid_t pid);

/// SIGKILL for all below `pid` until none is left. Where `pid` is a subreaper (PR_SET_CHILD_SUBREAPER)
/// none can leave the tree.
void kill_descendants(pid_t pid);

/// What `pid` and its descendants hold.
struct Held {
  /// Bytes that the kernel cannot drop: anonymous memory, also where it is shared. Mapped files (inputs,
  /// outputs, libraries) do not count, but for those that lie in memory themselves (tmpfs).
  std::uint64_t memory = 0;
  std::uint64_t threads = 0;  ///< one of each process at least
};
Held held_by(pid_t pid);

/// Of memory as in Held, and without any file that has a name.
bool holds_more_than(std::uint64_t bytes, pid_t pid);

/// Ends everything that this process has started, and waits for it. Only from the main thread's
/// code or from a signal handler: it allocates nothing.
void end_own_children() noexcept;

}  // namespace conoscope::core
