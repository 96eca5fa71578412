#pragma once

#include <string>
#include <string_view>

#include "metrics/types.h"

namespace conoscope::metrics {

/// A caveat: "1 concept left out: WHY", "3 concepts left out: WHY".
inline std::string left_out(Index count, std::string_view what, std::string_view why) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s") +
         " left out: " + std::string(why);
}

}  // namespace conoscope::metrics
