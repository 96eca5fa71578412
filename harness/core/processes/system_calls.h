// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace conoscope::core {

struct SystemCallsAllowed {
  bool network = false;    ///< socket() and what names one
  bool processes = false;  ///< fork() and its like, process groups and sessions
  bool programs = false;   ///< execve(): another program in the place of this one
  /// Files that are not open for writing may be emptied, as far as Landlock says which.
  bool truncation = false;
};

bool can_filter_system_calls();

/// Makes the filter for these, so that forks of this process need not.
void prepare_filter(const SystemCallsAllowed& allowed);

/// From here on the kernel takes from this process, and from what it starts, the calls that computing
/// needs, for files, threads, memory and signals of its own, and those that are allowed. To others it
/// answers with an error: EPERM; to calls newer than this list and to clone3() with ENOSYS, and to
/// reading attributes of files with EOPNOTSUPP, so that libraries do without. Needs no_new_privs.
/// False, with errno: the kernel does not take the filter.
bool filter_system_calls(const SystemCallsAllowed& allowed);

}  // namespace conoscope::core
