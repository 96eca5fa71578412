// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace conoscope::results {

/// Takes one character from the front; what is not UTF-8 gives U+FFFD, a byte at a time.
char32_t take_character(std::string_view& text);
void append_character(std::string& text, char32_t c);

/// C0 and C1, line and paragraph separators, and what turns the direction of the text behind it, so
/// that it reads as something else.
bool is_control(char32_t c);

/// So many hexadecimal digits, lower case.
std::string hex_text(char32_t c, int width);

/// A control character as \x1b or \u202e.
std::string escaped(char32_t c);

/// Control characters escaped, the usual ones as \n, \t and \r: a log may hold anything, and nothing
/// of it may steer the terminal.
std::string printable(std::string_view text);

/// Columns a terminal needs for UTF-8 text: 0 for combining marks, 2 for wide characters.
int display_width(std::string_view text);

}  // namespace conoscope::results
