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

/// Bytes that `pid` and its descendants hold and that the kernel cannot drop: anonymous memory, also
/// where it is shared. Mapped files (inputs, outputs, libraries) do not count, but for those that lie
/// in memory themselves (tmpfs).
std::uint64_t memory_held(pid_t pid);

/// The same, and without any file that has a name.
bool holds_more_than(std::uint64_t bytes, pid_t pid);

/// Ends everything that this process has started, and waits for it. Only from the main thread's
/// code or from a signal handler: it allocates nothing.
void end_own_children() noexcept;

}  // namespace conoscope::core
