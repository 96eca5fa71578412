// SPDX-License-Identifier: Apache-2.0
// What a plugin says, and what becomes of it: by scripts that say what a test has written down.

#include "harness/core/border/plugin_process.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "harness/core/border/exchange_folder.h"
#include "harness/core/border/output_check.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::metrics::Matrix;
using conoscope::testing::Scratch;
namespace sdk = conoscope::sdk;

namespace {

// Says the first line of what is written in its own file behind __END__, then after each `go` what
// stands up to the next empty line. `!exit N` ends it, `!leave FILE` leaves the array of the test under
// that name, `!reply` keeps one line of the host's.
constexpr const char* kScript = R"(#!/usr/bin/perl
# /// conoscope
# kind = "explainer"
# id = "says"
# version = "1"
# needs = ["head_view", "head"]
# offers = ["explanation"]
# ///
use strict; use IO::Handle; use File::Copy;
open(my $in, "<&=", 3); open(my $out, ">&=", 4); $out->autoflush(1);
my $exchange = "";
my $take = sub { my $line = <$in>; exit 0 unless defined $line; return $line; };
while (my $line = <DATA>) {
  chomp $line;
  if ($line eq "") {
    while (1) { my $got = $take->(); $exchange = $1 if $got =~ /^exchange\t(.*)$/; last if $got eq "go\n"; }
  } elsif ($line =~ /^!exit (\d+)/) { exit $1; }
  elsif ($line =~ /^!leave (.*)/) { copy("$0.npy", "$exchange/$1"); }
  elsif ($line eq "!reply") { open(my $kept, ">>", "$0.replies"); print $kept $take->(); }
  else { print $out "$line\n"; }
}
$take->() while 1;
__END__
)";

const std::string kHello = "hello\t1\texplainer\tfit\tproject\n", kCreated = "\nok\n";

struct Scene {
  Scratch here;
  ArrayBag left;
  Extents extents;

  Scene() {
    left.add_empty("cavs", CONO_F64, {2, 3});
    left.add_empty("importance", CONO_F64, {4, 2});
    left.add_empty("activations", CONO_F64, {5, 1, 3});
    left.add_empty("head_weight", CONO_F64, {4, 3});
    left.set_text("scope", "class_agnostic");
    extents = Extents::of_arrays(left);
  }

  /// The plugin, which has said hello.
  std::unique_ptr<PluginProcess> start(const std::string& says, double number = 0.5,
                                       const std::vector<std::int64_t>& shape = {1, 2}) const {
    const std::string file = here.write("says.pl", kScript + says);
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<double> numbers(count, number);
    ExchangeFolder(here.path())
        .write("says.pl.npy", sdk::make_tensor(numbers.data(), CONO_F64, shape));
    std::filesystem::remove(here / "says.pl.replies");
    PluginUse use{file, {}};
    use.command = {"/usr/bin/perl", file};
    Host host;
    host.scratch = here.path("scratch");
    return std::make_unique<PluginProcess>(use, host, left);
  }

  /// And has made an instance, and is asked to project a row.
  Matrix project(const std::string& says, double number = 0.5,
                 const std::vector<std::int64_t>& shape = {1, 2}) const {
    const auto plugin = start(kHello + kCreated + "\n" + says, number, shape);
    plugin->create();
    return plugin->call("project", extents, {Matrix::Ones(1, 3)}, 3);
  }

  /// Or to fit, where a model answers.
  void fit(const std::string& says, const std::vector<std::int64_t>& shape,
           double number = 0.5) const {
    HostFunctions offered{extents, {}, "the model says: "};
    offered.answers["head"] = [](auto, const std::vector<Matrix>& in) {
      if (in[0](0, 0) < 0) throw CallFault(CONO_UNDEFINED, "too dark");
      if (in[0](0, 0) == 7.0) return Matrix(Matrix::Ones(in[0].rows(), 1));
      return Matrix(2.0 * Matrix::Ones(in[0].rows(), 4));
    };
    offered.answers["vjp"] = [](auto, const std::vector<Matrix>& in) -> Matrix {
      return in[1].leftCols(3) + in[0];
    };
    const auto plugin = start(kHello + kCreated + "\n" + says, number, shape);
    plugin->create();
    std::filesystem::remove_all(here / "artifact");
    plugin->make(here / "artifact", offered);
  }

  std::string replies() const {
    std::ifstream in(here / "says.pl.replies");
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

int code_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const PluginEnded& e) {
    return e.exit().code.value_or(-1);
  }
  return -2;
}

}  // namespace

TEST_CASE("a plugin says hello, of the kind that its metadata say") {
  const Scene scene;
  const auto plugin = scene.start(kHello);
  CHECK(plugin->answers("project"));
  CHECK_FALSE(plugin->answers("reconstruct"));
  const auto refused = [&](const std::string& says, const std::string& why) {
    CHECK_THROWS_SAYING(scene.start(says), LoadFault, why);
  };
  refused("hello\t7\texplainer\tfit\n", "speaks protocol 7 of process plugins, this conoscope 1");
  refused("hello\t1\tmetric\tscore\n",
          "its metadata say that it is a explainer, and it says metric");
  refused("hello\t1\texplainer\tproject\n", "has no fit()");
  refused("good day\n", "its first message is \"good day\", expected hello");
  refused("fault\t6\tno licence\n", "no licence");
  CHECK(code_of([&] { scene.start("!exit 5\n"); }) == 5);
}

TEST_CASE("an answer is an array of the shape that was asked for, and finite") {
  const Scene scene;
  const std::string leave = "!leave a.npy\narray\tscores\ta.npy\n";
  CHECK(scene.project(leave + "ok\n") == Matrix::Constant(1, 2, 0.5));
  CHECK_THROWS_SAYING(scene.project(leave + "ok\n", 0.5, {2, 1}), OutputFault,
                      "scores is 2 x 1, expected 1 x 2");
  CHECK_THROWS_SAYING(scene.project(leave + "ok\n", std::nan("")), OutputFault,
                      "project() left NaN or infinity");
  CHECK_THROWS_SAYING(scene.project("ok\n"), OutputFault, "project() has left no array");
  CHECK_THROWS_SAYING(scene.project("array\tscores\n"), OutputFault, "without a name or a file");
  CHECK_THROWS_SAYING(scene.project("array\tscores\tb.npy\n"), OutputFault,
                      "a file that is not there: b.npy");
}

TEST_CASE("what a plugin should not say is a fault of what it sent") {
  const Scene scene;
  CHECK_THROWS_SAYING(scene.project("score\tsurf_mae\t0\n"), OutputFault,
                      "what is no message of project: score");
  CHECK_THROWS_SAYING(scene.project("progress\thalf\n"), OutputFault,
                      "\"half\", which is no number");
  CHECK_THROWS_SAYING(scene.project("fault\tbad\tworse\n"), OutputFault,
                      "\"bad\", which is no number");
  CHECK_THROWS_SAYING(scene.project("ask\treconstruct\t0\ta.npy\t3\n"), OutputFault,
                      "asked for reconstruct, which no explainer may");
  CHECK_THROWS_SAYING(scene.project("ask\tmetadata\n"), OutputFault, "asked for metadata");
  CHECK_THROWS_SAYING(scene.project(std::string(2 << 20, 'x')), OutputFault,
                      "a message without an end");
}

TEST_CASE("a refusal keeps its status and its text, and an end is the plugin's own") {
  const Scene scene;
  const auto status_of = [&](const std::string& says) {
    try {
      scene.project(says);
    } catch (const CallFault& e) {
      return std::pair(int{e.status()}, std::string(e.what()));
    }
    return std::pair(-1, std::string());
  };
  CHECK(status_of("fault\t3\tnot for such\n") == std::pair(3, std::string("not for such")));
  CHECK(status_of("fault\t0\t\n") == std::pair(6, std::string("the plugin gave no reason")));
  CHECK(code_of([&] { scene.project("!exit 7\n"); }) == 7);
  CHECK(code_of([&] { scene.project("progress\t0.5\n!exit 0\n"); }) == 0);
}

TEST_CASE("a plugin that is fitted asks the model that it is offered") {
  const Scene scene;
  const std::string ask = "!leave a.npy\nask\thead\t0\ta.npy\t4\n!reply\n";
  scene.fit(ask + "text\tscope\tclass_agnostic\nok\n", {2, 1, 3});
  CHECK(scene.replies().starts_with("array\tanswer\t"));
  CHECK(std::filesystem::exists(scene.here / "artifact" / "texts.tsv"));
  // Two arrays, or the one in which cotangents follow the activations.
  scene.fit("!leave a.npy\nask\tvjp\t0\ta.npy\t1\t3\n!reply\nok\n", {2, 7});
  CHECK(scene.replies().starts_with("array\tanswer\t"));
}

TEST_CASE("a plugin gets a status where the host refuses, and the host keeps the reason") {
  const Scene scene;
  const auto refused = [&](const std::string& ask, const std::vector<std::int64_t>& shape,
                           const std::string& why, double number = 0.5) {
    CHECK_THROWS_SAYING(
        scene.fit("!leave a.npy\nask\t" + ask + "\n!reply\nfault\t6\tno answer\n", shape, number),
        CallFault, "no answer: " + why);
    CHECK(scene.replies().starts_with("fault\t"));
  };
  refused("forward\t0\ta.npy\t1\t3", {1, 3}, "forward is not offered");
  refused("head\t0\ta.npy\t4", {2, 3}, "head: activations are 2 x 3, expected m x 1 x 3");
  refused("head\t0\ta.npy\t7", {2, 1, 3}, "room for 14 numbers, expected 8");
  refused("head\t0\ta.npy\t4", {2, 1, 3}, "the model says: too dark", -1.0);
  // More numbers than there can be; and a model that answers with fewer than it should.
  CHECK_THROWS_SAYING(scene.fit("!leave a.npy\nask\thead\t0\ta.npy\t1099511627776\n", {2, 1, 3}),
                      OutputFault, "an array without a size");
  refused("head\t0\ta.npy\t4", {2, 1, 3}, "head: an answer of 2 numbers", 7.0);
  refused("vjp\t0\ta.npy\t1\t3", {2, 1, 3}, "vjp: no cotangents");
}
