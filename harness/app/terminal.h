// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "results/formats/format.h"

namespace conoscope::app {

/// Is standard output a terminal?
bool on_terminal();

/// A paragraph in lines that fit it, which start `indent` columns from the left but for the first.
std::string for_terminal(const std::string& text, std::size_t indent = 0);

/// The format `table` as standard output takes it: made to fit where that is a terminal
/// (results/formats/screen.h), else as it is, whatever reads it. Styled unless NO_COLOR is set or
/// TERM is dumb; as wide as the terminal says, else as COLUMNS does.
results::Format table_for_output();

}  // namespace conoscope::app
