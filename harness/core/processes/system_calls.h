#pragma once

namespace conoscope::core {

struct SystemCallsAllowed {
  bool network = false;    ///< socket()
  bool processes = false;  ///< fork() and its like, process groups and sessions
  bool programs = false;   ///< execve(): another program in the place of this one
  /// Files that are not open for writing may be emptied, as far as Landlock says which.
  bool truncation = false;
};

bool can_filter_system_calls();

/// From here on the kernel answers with EPERM to this process, and to what it starts: to calls that
/// look into other processes, signal them or change their limits; to namespaces, mounts, modules and
/// privileges; to what changes modes, owners, times and attributes of files; to memory that no limit
/// counts; and to what is not allowed. Needs no_new_privs. False, with errno: the kernel does not take
/// the filter.
bool filter_system_calls(const SystemCallsAllowed& allowed);

}  // namespace conoscope::core
