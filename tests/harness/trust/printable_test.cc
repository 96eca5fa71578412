// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "harness/app/printable_stream.h"
#include "tests/harness/trust/trials.h"

using namespace conoscope::testing;
using conoscope::app::PrintableStream;

namespace {

/// What arrives of it, written a piece of so many bytes at a time.
std::string printed(const std::string& text, std::size_t piece, bool styled = false) {
  std::ostringstream stream;
  {
    const PrintableStream safe(stream, styled);
    for (std::size_t at = 0; at < text.size(); at += piece) stream << text.substr(at, piece);
  }
  stream << "";
  return stream.str();
}

}  // namespace

TEST_CASE("what is printed steers no terminal, and text passes as it is") {
  for (const std::size_t piece : {1, 2, 3, 100}) {
    CAPTURE(piece);
    CHECK(printed("a\tb\nc\r\nd", piece) == "a\tb\nc\r\nd");
    CHECK(printed("ä € 😀", piece) == "ä € 😀");
    CHECK(printed("\x1b[2J\x07\x7f", piece) == "\\x1b[2J\\x07\\x7f");
    CHECK(printed("\x1b[1mbold\x1b[0m", piece) == "\\x1b[1mbold\\x1b[0m");
    CHECK(printed("\x1b[1mbold\x1b[0m\x1b[31m\x1b[", piece, true) ==
          "\x1b[1mbold\x1b[0m\\x1b[31m\\x1b[");
    CHECK(printed("hides\rshown", piece) == "hides\\x0dshown");
    CHECK(printed("ends\r", piece) == "ends\\x0d");
    CHECK(printed("\xC2\x9B"
                  "31m",
                  piece) == "\\x9b31m");  // C1 CSI
    CHECK(printed("seen \u202Eotherwise", piece) == "seen \\u202eotherwise");
    CHECK(printed("\xff|\xc3(|\xed\xa0\x80|\xe2\x82", piece) ==
          "\uFFFD|\uFFFD(|\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD");
  }
}

TEST_CASE("a plugin's words reach neither the terminal nor a spreadsheet as commands") {
  const Workspace here;
  const auto file = here.write(
      "run.toml", "name = \"\\u001b]0;owned\\u0007\"\n" +
                      digits_run("metrics = [\"surf_mae\"]", {}) +
                      "[[explainer]]\nid = \"svd\"\nname = \"=HYPERLINK(1)\"\n[[explainer]]\nid = "
                      "\"perfect\"\nname = \"\\u001b[31m\\u009b1m\"\n");
  const Ended run = here.run({"run", file});
  for (const std::string& text :
       {run.err, run.out, here.run({"status"}).out, here.run({"board", "--format", "csv"}).out,
        here.run({"board", "--format", "md"}).out, here.run({"board", "--format", "latex"}).out,
        here.run({"board", "--format", "json"}).out,
        here.run({"query", "SELECT name FROM component", "--format", "csv"}).out}) {
    CHECK_MESSAGE(text.find('\x1b') == text.npos, text);
    CHECK_MESSAGE(text.find("\xC2\x9B") == text.npos, text);
    CHECK_MESSAGE(text.find('\x07') == text.npos, text);
  }
  CHECK_SAYS(here.run({"query", "SELECT name FROM component", "--format", "csv"}).out,
             "\n'=HYPERLINK(1)\n");
  // JSON has its own way to say them, and says all of it.
  CHECK(here.json({"query", "SELECT name FROM component WHERE name LIKE '%1m'"})[0]["name"] ==
        "\x1b[31m\xC2\x9B"
        "1m");
}
