#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

inline Score number(std::string name, double value, std::vector<double> parts = {}) {
  return {std::move(name), value, "", "", std::move(parts)};
}

/// A score without a number. reason: undefined or not_applicable; message: why, in words.
inline Score none(std::string name, std::string reason, std::string message) {
  return {std::move(name), 0.0, std::move(reason), std::move(message), {}};
}

inline Score not_applicable(std::string name, std::string message) {
  return none(std::move(name), "not_applicable", std::move(message));
}

}  // namespace conoscope::metrics::detail
