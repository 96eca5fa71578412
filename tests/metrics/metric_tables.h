// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conoscope::tests {

/// The text with every table of metrics written anew from the catalogue: the lines with a `|` below
/// `<!-- metrics: GROUP -->` become that group's table.
///
/// throws  std::runtime_error: a marker of no group, or a group without its marker
std::string with_metric_tables(const std::string& text);

}  // namespace conoscope::tests
