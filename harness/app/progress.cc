// SPDX-License-Identifier: Apache-2.0
#include "harness/app/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "results/formats/numbers.h"

namespace conoscope::app {

namespace {

using Clock = std::chrono::steady_clock;

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  char buffer[32];
  if (whole >= 3600)
    std::snprintf(buffer, sizeof(buffer), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  else
    std::snprintf(buffer, sizeof(buffer), "%ld:%02ld", whole / 60, whole % 60);
  return buffer;
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::size_t total)
    : Progress(total, ::isatty(STDERR_FILENO) == 1, std::chrono::seconds(30)) {}

Progress::Progress(std::size_t total, bool terminal, std::chrono::milliseconds silence)
    : terminal_(terminal), silence_(silence), total_(total), start_(Clock::now()), said_(start_) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!terminal_) return;
  // Not by std::cerr, through which nothing passes that steers the terminal.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "\r\033[K", 4);
}

void Progress::cell_finished(const core::CellEnd& end, std::size_t finished, std::size_t total) {
  finished_ = finished;
  total_ = total;
  const bool ok = end.status == results::Status::ok;
  const bool fault = !ok && end.status != results::Status::not_applicable;
  failed_ += fault;
  if (terminal_ && !fault) return;
  const std::string what = ok ? "  " + results::digits_text(end.seconds, 2) + " s"
                              : "  [" + end.stage + "] " + end.message;
  message(std::to_string(finished) + '/' + std::to_string(total) + ' ' +
          std::string(results::to_text(end.status)) + ' ' + end.cell->label() + what);
}

void Progress::tick(const std::vector<std::pair<std::string, double>>& running) {
  const auto now = Clock::now();
  if (terminal_ && now - drawn_ >= std::chrono::milliseconds(100))
    draw(running);
  else if (!terminal_ && now - said_ >= silence_)
    message(state(running));
}

void Progress::message(const std::string& text) {
  clear();
  said_ = Clock::now();
  std::cerr << text + '\n';  // in one piece: others may write to the same terminal or file
}

/// "3/42 cells  0:45, about 9:45 left  svd(k=5) #0 40%"
std::string Progress::state(const std::vector<std::pair<std::string, double>>& running) const {
  std::string out = std::to_string(finished_) + "/" + std::to_string(total_) + " cells";
  if (failed_ > 0) out += ", " + std::to_string(failed_) + " failed";
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  out += "  " + clock_text(elapsed);
  if (finished_ > 0)
    out += ", about " +
           clock_text(elapsed / static_cast<double>(finished_) *
                      static_cast<double>(total_ - finished_)) +
           " left";
  for (const auto& [label, done] : running) {
    out += "  " + label;
    if (done > 0.0) out += " " + std::to_string(static_cast<int>(done * 100)) + "%";
  }
  return out;
}

void Progress::draw(const std::vector<std::pair<std::string, double>>& running) {
  drawn_ = Clock::now();
  constexpr std::size_t kBar = 24;
  const std::size_t filled = total_ == 0 ? kBar : finished_ * kBar / total_;
  std::string line =
      "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] " + state(running);
  line.resize(std::min(line.size(), terminal_width() - 1));
  clear();
  std::cerr << line << std::flush;
}

}  // namespace conoscope::app
