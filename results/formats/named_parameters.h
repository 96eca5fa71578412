// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::results {

/// A component's name as boards print it: "cbm(hidden=64,64,head=mlp)" is cbm with "hidden=64,64" and
/// "head=mlp".
struct NamedParameters {
  std::string id;
  std::vector<std::string> parameters;
};

/// None: the text is no such name: an id without blanks, then NAME=VALUE,... in brackets.
std::optional<NamedParameters> parse_named_parameters(std::string_view text);

/// Takes out of the names what all of one id, two or more, share.
///
/// returns  by id, what was taken: "hidden=64,64, head=mlp"
std::map<std::string, std::string> take_shared_parameters(std::vector<std::string>& names);

}  // namespace conoscope::results
