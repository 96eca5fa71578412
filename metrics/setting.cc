// SPDX-License-Identifier: Apache-2.0
#include "metrics/setting.h"

#include <charconv>

namespace conoscope::metrics {

std::string value_text(const Setting& setting) {
  if (!setting.words.empty()) return std::string(setting.words[static_cast<size_t>(setting.value)]);
  if (setting.number == 0.0) return std::to_string(setting.value);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), setting.number).ptr};
}

}  // namespace conoscope::metrics
