#include "harness/app/text_file.h"

#include <fstream>
#include <stdexcept>

namespace conoscope::app {

void write_text(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace conoscope::app
