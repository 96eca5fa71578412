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
    : terminal_(::isatty(STDERR_FILENO) == 1), total_(total), start_(Clock::now()) {}

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
  if (!terminal_ || Clock::now() - drawn_ < std::chrono::milliseconds(100)) return;
  draw(running);
}

void Progress::message(const std::string& text) {
  clear();
  std::cerr << text + '\n';  // in one piece: others may write to the same terminal or file
}

void Progress::draw(const std::vector<std::pair<std::string, double>>& running) {
  drawn_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(drawn_ - start_).count();
  constexpr std::size_t kBar = 24;
  const std::size_t filled = total_ == 0 ? kBar : finished_ * kBar / total_;
  std::string line = "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] " +
                     std::to_string(finished_) + "/" + std::to_string(total_) + " cells";
  if (failed_ > 0) line += ", " + std::to_string(failed_) + " failed";
  line += "  " + clock_text(elapsed);
  if (finished_ > 0)
    line += ", about " +
            clock_text(elapsed / static_cast<double>(finished_) *
                       static_cast<double>(total_ - finished_)) +
            " left";
  for (const auto& [label, done] : running) {
    line += "  " + label;
    if (done > 0.0) line += " " + std::to_string(static_cast<int>(done * 100)) + "%";
  }
  line.resize(std::min(line.size(), terminal_width() - 1));
  clear();
  std::cerr << line << std::flush;
}

}  // namespace conoscope::app
