// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace conoscope::core {

/// Writes a file that appears whole or not at all, in the place of one that is there. What is written
/// first lies beside it under a name that nobody can foresee: in a shared folder another process may
/// write the same file, and another user may have put a link where a guessable name would lead.
///
/// returns  0, or the errno of what failed; the file is then as it was
int write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace conoscope::core
