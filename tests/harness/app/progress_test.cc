// SPDX-License-Identifier: Apache-2.0
#include "harness/app/progress.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

using conoscope::app::Progress;

namespace {

class CapturedErrors {
 public:
  CapturedErrors() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~CapturedErrors() { std::cerr.rdbuf(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

}  // namespace

TEST_CASE("where there is no terminal, a silence ends with a line of what is going on") {
  const CapturedErrors errors;
  Progress often(42, false, std::chrono::milliseconds(0)), seldom(42, false, std::chrono::hours(1));
  const std::vector<std::pair<std::string, double>> running = {{"svd(k=5) #0", 0.4}, {"mcd", 0.0}};
  seldom.tick(running);
  CHECK(errors.text().empty());
  often.tick(running);
  CHECK(errors.text() == "0/42 cells  0:00  svd(k=5) #0 40%  mcd\n");
  conoscope::core::Cell cell;
  conoscope::core::Component part;
  part.name = "x";
  cell.dataset = cell.model = &part;
  conoscope::core::CellEnd end;
  end.cell = &cell;
  end.status = conoscope::results::Status::failed;
  often.cell_finished(end, 21, 42);
  often.tick({});
  CHECK(errors.text().ends_with("21/42 cells, 1 failed  0:00, about 0:00 left\n"));
}
