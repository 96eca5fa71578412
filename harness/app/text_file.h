#pragma once

#include <filesystem>
#include <string_view>

namespace conoscope::app {

/// throws  std::runtime_error: the file cannot be written
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace conoscope::app
