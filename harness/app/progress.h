// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "harness/core/run/supervisor.h"

namespace conoscope::app {

/// Progress on standard error: a bar with the time left on a terminal; elsewhere a line for each
/// finished cell, and one of what is going on where nothing else was said for a while. Failed cells get
/// a line everywhere.
class Progress final : public core::RunObserver {
 public:
  explicit Progress(std::size_t total);
  /// silence  after so long there is a line, where there is no terminal
  Progress(std::size_t total, bool terminal, std::chrono::milliseconds silence);
  ~Progress() override;

  void cell_finished(const core::CellEnd& end, std::size_t finished, std::size_t total) override;
  void tick(const std::vector<std::pair<std::string, double>>& running) override;
  void message(const std::string& text) override;

 private:
  std::string state(const std::vector<std::pair<std::string, double>>& running) const;
  void draw(const std::vector<std::pair<std::string, double>>& running);
  void clear();

  const bool terminal_;
  const std::chrono::milliseconds silence_;
  std::size_t finished_ = 0, failed_ = 0, total_;
  std::chrono::steady_clock::time_point start_, drawn_, said_;
};

}  // namespace conoscope::app
