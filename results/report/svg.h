// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conoscope::results {

/// "12.5": so many decimals as a picture needs.
std::string svg_number(double value);

/// ` name="value"`
std::string svg_attribute(const char* name, double value);

/// anchor  start, middle or end
std::string svg_text(double x, double y, const char* anchor, const std::string& text,
                     const std::string& more = "");

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& more);

/// Opening tag and title of a drawing that can stand alone. ink: of texts and lines.
std::string svg_begin(double width, double height, const std::string& title,
                      const std::string& ink);

}  // namespace conoscope::results
