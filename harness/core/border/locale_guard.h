// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clocale>
#include <locale>
#include <string>

namespace conoscope::core {

/// Saves the process's locale, C's and C++'s, and puts it back: what a plugin sets would write the
/// host's numbers with commas.
class LocaleGuard {
 public:
  LocaleGuard() = default;
  ~LocaleGuard() {
    if (!changed()) return;
    std::locale::global(streams_);
    std::setlocale(LC_ALL, numbers_.c_str());
  }
  LocaleGuard(const LocaleGuard&) = delete;
  LocaleGuard& operator=(const LocaleGuard&) = delete;

  bool changed() const {
    return std::locale() != streams_ || numbers_ != std::setlocale(LC_ALL, nullptr);
  }

 private:
  std::locale streams_;
  std::string numbers_ = std::setlocale(LC_ALL, nullptr);
};

}  // namespace conoscope::core
