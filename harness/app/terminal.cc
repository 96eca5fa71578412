// SPDX-License-Identifier: Apache-2.0
#include "harness/app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "results/formats/screen.h"

namespace conoscope::app {

namespace {

constexpr int kNarrowestScreen = 40;

results::Screen screen() {
  results::Screen out;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    out.width = size.ws_col;
  else if (const char* columns = std::getenv("COLUMNS"))
    out.width = std::atoi(columns);
  out.width = std::max(out.width, kNarrowestScreen);
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  out.styled = (no_colour == nullptr || *no_colour == '\0') && kind != nullptr &&
               std::string_view(kind) != "dumb";
  return out;
}

std::string write_on_terminal(const results::Table& table) {
  return results::to_screen(table, screen());
}

}  // namespace

std::string for_terminal(const std::string& text, std::size_t indent) {
  std::string out;
  for (const auto& line : results::wrapped(text, screen().width - static_cast<int>(indent)))
    out += std::string(out.empty() ? 0 : indent, ' ') + line + "\n";
  return out;
}

bool on_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

results::Format table_for_output() {
  if (!on_terminal()) return results::Format::table;
  return {results::Format::table.name, results::Format::table.for_people, write_on_terminal};
}

}  // namespace conoscope::app
