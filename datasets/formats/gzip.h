// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace conoscope::formats {

/// Whether data begin as gzip's do.
bool is_gzip(std::span<const char> bytes);

/// Unpacks gzip data, all members of it.
/// throws  std::invalid_argument, beginning with origin: damaged or cut short
std::string gunzip(std::span<const char> bytes, const std::string& origin);

}  // namespace conoscope::formats
