// SPDX-License-Identifier: Apache-2.0
// An explainer with a mood, to see what the host makes of it: `coin` gives other importances each
// time, `flaky` fails until its marker file is there, which it makes when it fails, and `slow` takes
// long to begin until its marker file is there, which it makes first. `patient` makes a file
// MARKER-begun and waits until its marker file is there. `comma` sets a locale that writes 1.5 as 1,5.
// `loud` says that it was made. `frail` dies as it is made until its marker file is there.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <locale>
#include <random>
#include <stdexcept>
#include <thread>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

#ifdef CONOSCOPE_TEST_LEANS
extern "C" double lean_importance();  // of a library of its own
#endif

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::text("mood", "calm")
        .choices({"calm", "coin", "flaky", "slow", "patient", "comma", "loud", "frail"}),
    sdk::text("marker", ""));

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

class Moody final : public sdk::Explainer {
 public:
  explicit Moody(const sdk::ParamsOf<kParameters>& params)
      : mood_(params.text("mood")), marker_(params.text("marker")) {
    if (mood_ == "loud") std::cerr << "moody: made\n";
    if (mood_ == "frail" && !std::filesystem::exists(marker_)) {
      std::ofstream{marker_} << "was here\n";
      std::abort();
    }
    if (mood_ != "slow" || std::filesystem::exists(marker_)) return;
    std::ofstream{marker_} << "was here\n";
    std::this_thread::sleep_for(std::chrono::seconds(20));
  }

  // As another compiler, or a change that nobody wrote down, may give.
  static double usual_importance() {
#if defined(CONOSCOPE_TEST_LEANS)
    return lean_importance();
#elif defined(CONOSCOPE_TEST_OTHER_BUILD)
    return 2.0;
#else
    return 1.0;
#endif
  }

  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    if (mood_ == "flaky" && !std::filesystem::exists(marker_)) {
      std::ofstream{marker_} << "was here\n";
      throw std::runtime_error("moody: not today");
    }
    if (mood_ == "patient") {
      std::ofstream{marker_ + "-begun"} << "is here\n";
      while (!std::filesystem::exists(marker_))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (mood_ == "comma") std::locale::global(std::locale(std::locale(), new Comma));
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const std::vector<std::int64_t> one_each(static_cast<std::size_t>(weight.rows()), 1);
    auto explanation = out.class_specific(one_each, weight.cols());
    sdk::as_matrix(explanation.cavs, weight.rows(), weight.cols()) = weight;
    std::random_device device;
    for (double& importance : explanation.importance)
      importance = mood_ == "coin" ? 1.0 + device() * 0x1p-32 : usual_importance();
  }

 private:
  std::string mood_, marker_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Moody, "moody", "1.0.0", R"toml(
summary = "weights as concepts, with a mood"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
