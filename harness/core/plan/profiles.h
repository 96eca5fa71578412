// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace conoscope::core {

// A run file with `profiles = ["quick", "paper"]` has several sizes: wherever a value stands, a table
// with some of these keys may stand.

/// The run file's `profiles`, in their order; none without that key.
/// throws  RunFileError: not a list of names, or one is listed twice
std::vector<std::string> profile_names(const toml::table& root, const std::string& file);

/// Puts the chosen value in the place of every table of values by profile. Where a table has none for
/// the chosen profile, its key goes: the value is what it is in a file that does not set it.
void choose_profile(toml::table& table, const std::vector<std::string>& profiles,
                    const std::string& chosen);

}  // namespace conoscope::core
