// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/plan/place.h"

namespace conoscope::core {

/// All that is wrong with a run file, at once.
class RunFileError : public std::runtime_error {
 public:
  explicit RunFileError(std::vector<std::string> errors);
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

/// Collects "file:line:col: error: ..." lines, sorted by place when they are thrown.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}
  void add(Place place, const std::string& message);
  void throw_if_any() const;
  /// The mistakes without their places, where there is no file that they could stand in.
  std::vector<std::string> messages() const;

  /// What is no mistake, but somebody may wonder about.
  void note(const std::string& text) { notes_.push_back(text); }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Entry {
    Place place;
    std::string message;
  };
  std::string file_;
  std::vector<Entry> entries_;
  std::vector<std::string> notes_;
};

}  // namespace conoscope::core
