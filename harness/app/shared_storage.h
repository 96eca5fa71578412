// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace conoscope::app {

/// Why other machines will not see what is, or will be, at this path: "/dev/shm is kept in memory".
/// Empty: nothing speaks against it. A disk that this machine exports looks like any other, so
/// only what is surely its own is named.
std::string not_shared(const std::filesystem::path& path);

}  // namespace conoscope::app
