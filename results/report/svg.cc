// SPDX-License-Identifier: Apache-2.0
#include "results/report/svg.h"

#include <charconv>

#include "results/report/page.h"

namespace conoscope::results {

std::string svg_number(double value) {
  char text[352];  // the longest: 309 digits before the point
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 4);
  std::string out(text, end.ptr);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string svg_attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + svg_number(value) + "\"";
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text,
                     const std::string& more) {
  return "<text" + svg_attribute("x", x) + svg_attribute("y", y) + " text-anchor=\"" + anchor +
         "\"" + more + ">" + html_text(text) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& more) {
  return "<line" + svg_attribute("x1", x1) + svg_attribute("y1", y1) + svg_attribute("x2", x2) +
         svg_attribute("y2", y2) + more + "/>\n";
}

std::string svg_begin(double width, double height, const std::string& title,
                      const std::string& ink) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " +
         svg_number(width) + " " + svg_number(height) + "\"" + svg_attribute("width", width) +
         svg_attribute("height", height) +
         " font-family=\"system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
         "font-size=\"12\" fill=\"" +
         ink + "\">\n<title>" + html_text(title) + "</title>\n";
}

}  // namespace conoscope::results
