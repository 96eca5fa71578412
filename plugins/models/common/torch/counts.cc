#include "plugins/models/common/torch/counts.h"

#include <charconv>
#include <stdexcept>

namespace conoscope::models {

std::vector<std::int64_t> parse_counts(const std::string& name, const std::string& text) {
  const auto refuse = [&] {
    throw std::invalid_argument(name + " is '" + text +
                                "', expected counts from 1 to 4096 with commas between, as 32,64");
  };
  std::vector<std::int64_t> counts;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    while (at != end && *at == ' ') ++at;
    std::int64_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    if (error != std::errc() || count < 1 || count > 4096) refuse();
    counts.push_back(count);
    at = next;
    while (at != end && *at == ' ') ++at;
    if (at == end) return counts;
    if (*at++ != ',') refuse();
  }
}

}  // namespace conoscope::models
