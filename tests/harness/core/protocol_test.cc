// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/protocol.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

using namespace conoscope::core;
using conoscope::results::Status;

namespace {

/// What the other end makes of all that `say` reports.
template <typename Say>
Reports heard(Say&& say) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  say(Reporter(ends[1]));
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  Reports out({"a", "b", "c"});
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    out.take(std::string_view(text).substr(begin, end - begin));
  return out;
}

}  // namespace

TEST_CASE("what a worker reports arrives, to the last bit and with its messages") {
  const double third = 1.0 / 3.0;
  const Reports got = heard([&](const Reporter& report) {
    report.stage("score");
    report.progress(0.25);
    report.score({"a", third, "", "a caveat, with a\ttab and a\nline"});
    report.score({"b", std::nullopt, "undefined", "all labels are alike"});
    report.score({"c", -0.0, ""});
    report.part("a", 7, 5e-324);
    report.part("a", 8, std::numeric_limits<double>::quiet_NaN());
    report.fault(Status::out_of_memory, "too \\ much");
    report.done();
  });
  CHECK(got.step == "score");
  CHECK(got.progress == 0.25);
  CHECK(got.done);
  REQUIRE(got.scores.size() == 3);
  CHECK(got.scores[0].metric == "a");
  CHECK(got.scores[0].value == third);
  CHECK(got.scores[0].reason.empty());
  CHECK(got.scores[0].message == "a caveat, with a\ttab and a\nline");
  CHECK_FALSE(got.scores[1].value.has_value());
  CHECK(got.scores[1].reason == "undefined");
  CHECK(got.scores[1].message == "all labels are alike");
  CHECK(std::signbit(got.scores[2].value.value()));
  REQUIRE(got.parts.size() == 2);
  CHECK(got.parts[0].part == 7);
  CHECK(got.parts[0].value == 5e-324);
  CHECK(got.parts[1].reason == "nan");
  REQUIRE(got.fault.has_value());
  CHECK(got.fault->first == Status::out_of_memory);
  CHECK(got.fault->second == "too \\ much");
}

TEST_CASE("what a plugin writes on the channel is not taken for a report") {
  Reports got;
  for (const char* line : {"", "hello", "fault\tnonsense\twhy", "fault", "\t\t", "score"})
    got.take(line);
  CHECK_FALSE(got.done);
  CHECK(got.step == "start");
  REQUIRE(got.fault.has_value());
  CHECK(got.fault->first == Status::failed);  // not a status that there is
  CHECK(got.fault->second == "why");
}

TEST_CASE("numbers are reported the same under any locale, and a cut or doubled one is a fault") {
  // What a comma for a point would leave, trailing text, no number, an unknown reason, no index.
  for (const char* line : {"score\ta\t1,8p+1\t\t", "score\ta\t1p+1 \t\t", "score\ta\t\t\t",
                           "score\ta\t0\tbecause\t", "part\ta\t-1\t0", "part\ta\t1.5\t0",
                           "part\ta\t99999999999999999999\t0", "part\ta\t0\t0x1p+1"}) {
    Reports got({"a"});
    got.take("stage\tscore");
    got.take(line);
    CAPTURE(line);
    REQUIRE(got.fault.has_value());
    CHECK(got.fault->first == Status::invalid_output);
    CHECK(got.scores.empty());
    CHECK(got.parts.empty());
  }
  Reports twice({"a"});
  twice.take("stage\tscore");
  twice.take("score\ta\t1p+1\t\t");
  twice.take("part\ta\t0\t1p+1");
  CHECK_FALSE(twice.fault.has_value());
  CHECK(twice.scores[0].value == 2.0);
  twice.take("part\ta\t0\t1p+2");
  CHECK(twice.fault.has_value());
  CHECK(twice.parts.size() == 1);
}

TEST_CASE("progress is a share of the whole, whatever is reported") {
  Reports got;
  for (const char* line : {"progress\tnan", "progress\t-1p+0", "progress\tmuch", "progress"}) {
    got.take(line);
    CHECK(got.progress == 0.0);
  }
  got.take("progress\t1p-1");
  CHECK(got.progress == 0.5);
  for (const char* line : {"progress\t1p+40", "progress\tinf", "progress\t1p-1"}) {
    got.take(line);
    CHECK(got.progress == 1.0);
  }
}

TEST_CASE("only what was asked for is taken, once, and from its stage on") {
  const auto fault_after = [](std::initializer_list<const char*> lines) {
    Reports got({"a"});
    for (const char* line : lines) got.take(line);
    return got.fault ? got.fault->second : "none";
  };
  CHECK(fault_after({"stage\tscore", "score\ta\t1p+0\t\t"}) == "none");
  CHECK(fault_after({"stage\tload", "score\ta\t1p+0\t\t"}) ==
        "reported a score before it was due: score\ta\t1p+0\t\t");
  CHECK(fault_after({"stage\tscore", "score\tb\t1p+0\t\t"}) ==
        "reported a score that nobody asked for: score\tb\t1p+0\t\t");
  CHECK(fault_after({"stage\tscore", "score\ta\t1p+0\t\t", "score\ta\t0p+0\t\t"}) ==
        "reported a score twice: score\ta\t0p+0\t\t");
  CHECK(fault_after({"stage\tscore", "part\ta\t0\t1p+0"}) ==
        "reported what is no part of a score, or one twice: part\ta\t0\t1p+0");
}

TEST_CASE("no part has an index beyond the most parts that there may be, nor the largest of all") {
  constexpr std::int64_t kMost = Reports::kMostParts;
  for (const std::int64_t index : {kMost, std::numeric_limits<std::int64_t>::max()}) {
    Reports got({"a"});
    got.take("stage\tscore");
    got.take("score\ta\t1p+0\t\t");
    const std::string line = "part\ta\t" + std::to_string(index) + "\t1p+0";
    got.take(line);
    REQUIRE(got.fault.has_value());
    CHECK(got.fault->first == Status::invalid_output);
    CHECK(got.fault->second == "reported too many parts of scores: " + line);
    got.take(line);
    CHECK(got.parts.empty());
  }
  Reports last({"a"});
  last.take("stage\tscore");
  last.take("score\ta\t1p+0\t\t");
  last.take("part\ta\t" + std::to_string(kMost - 1) + "\t1p+0");
  CHECK_FALSE(last.fault.has_value());
  CHECK(last.parts.size() == 1);
}

TEST_CASE("a fault is none the less a fault for calling itself ok, and the first one counts") {
  Reports got;
  got.take("fault\tok\tall is well");
  got.take("fault\tinterrupted\tor not");
  REQUIRE(got.fault.has_value());
  CHECK(got.fault->first == Status::failed);
  CHECK(got.fault->second == "all is well");
}

TEST_CASE("how a plugin's process ended is told") {
  const Reports killed = heard([](const Reporter& report) { report.ended({{}, 11, 0}); });
  CHECK(killed.plugin->signal == 11);
  CHECK_FALSE(killed.plugin->code.has_value());
  CHECK(heard([](const Reporter& report) { report.ended({0, {}, 0}); }).plugin->code == 0);
}

TEST_CASE("a text of any length is one line of a bounded length") {
  const Reports got = heard(
      [](const Reporter& report) { report.fault(Status::failed, std::string(1 << 17, 'x')); });
  REQUIRE(got.fault.has_value());
  CHECK(got.fault->second == std::string(1 << 14, 'x'));
}

TEST_CASE("a report line keeps its fields, whatever stands in them") {
  const std::vector<std::vector<std::string>> cases = {
      {"done", "1"},
      {"fault", "failed", "tab\there, line\nbreak, back\\slash, \\t as it stands"},
      {"", "", ""},
      {""},
      {"a\\", "\\b", "\\\\", "\\n", "\t\t", "\n"},
      {std::string("nul\0inside", 10), "ä"}};
  for (const auto& fields : cases) {
    const std::string line = make_line(fields);
    REQUIRE(line.back() == '\n');
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(split_line(std::string_view(line).substr(0, line.size() - 1)) == fields);
  }
}

TEST_CASE("a line of anybody's is split without complaint") {
  CHECK(split_line("") == std::vector<std::string>{""});
  CHECK(split_line("a\tb\\") == std::vector<std::string>{"a", "b\\"});
  CHECK(split_line("a\\qb") == std::vector<std::string>{"aqb"});
}
