#include "harness/core/value.h"

#include <charconv>

namespace conoscope::core {

std::string to_text(const Value& value) {
  struct Visitor {
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const {
      std::string out(1, '"');
      for (const char c : v) {
        if (c == '"' || c == '\\') out += '\\';  // a text must not be able to end itself
        out += c;
      }
      return out + '"';
    }
    std::string operator()(double v) const {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), v).ptr;
      return {buffer, end};
    }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace conoscope::core
