#pragma once

#include <chrono>
#include <string>

#include "harness/core/run/supervisor.h"

namespace conoscope::app {

/// Progress on standard error: a bar with the time left on a terminal, one line per finished cell
/// elsewhere. Failed cells get a line everywhere.
class Progress final : public core::RunObserver {
 public:
  explicit Progress(std::size_t total);
  ~Progress() override;

  void cell_finished(const core::CellEnd& end, std::size_t finished, std::size_t total) override;
  void tick(const std::vector<std::pair<std::string, double>>& running) override;
  void message(const std::string& text) override;

 private:
  void draw(const std::vector<std::pair<std::string, double>>& running);
  void clear();

  bool terminal_;
  std::size_t finished_ = 0, failed_ = 0, total_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

}  // namespace conoscope::app
