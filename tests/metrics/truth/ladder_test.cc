// SPDX-License-Identifier: Apache-2.0
// Which fault which measure sees. A world of 64 features and its true dictionary, made worse step
// by step.

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "metrics/catalogue.h"
#include "tests/metrics/truth/small_world.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// What a step must cost at least: half of the smallest that is seen, 0.06 (cos 20 degrees) over
/// five worlds.
constexpr double kStep = 0.03;
/// A measure that does not see a fault: digits of a sum.
constexpr double kSame = 1e-9;

const std::vector<std::string> kAtoms = {"truth_mcc", "truth_mcc_signed", "truth_mcc_two_sided",
                                         "truth_coverage"};
const std::vector<std::string> kCodes = {"truth_f1", "truth_precision", "truth_recall"};

Truth world() { return small_world({}, 11); }

/// Every score of a dictionary, `better` upwards.
std::map<std::string, double> scores_of(const Truth& truth, const Dictionary& made) {
  JudgedDictionary judged(truth, made);
  judged.annotations.concepts = (truth.activations.array() > 0.0F).cast<double>().matrix();
  const Subject subject(judged.views());
  std::map<std::string, double> out;
  for (const char* group : {"truth", "probing"})
    for (const Metric* metric : catalogue().select(group)) {
      const Score found = score(*metric, subject);
      REQUIRE_MESSAGE(found.reason.empty(), metric->name << ": " << found.message);
      out[metric->name] = metric->direction == Direction::kLower ? -found.value : found.value;
    }
  return out;
}

class Ladder {
 public:
  explicit Ladder(const std::vector<Dictionary>& steps) {
    const Truth truth = world();
    for (const Dictionary& made : steps) steps_.push_back(scores_of(truth, made));
  }

  void sees(const std::vector<std::string>& names) const {
    for (const std::string& name : names)
      for (std::size_t i = 1; i < steps_.size(); ++i)
        CHECK_MESSAGE(at(i, name) < at(i - 1, name) - kStep, told(name));
  }
  void is_blind(const std::vector<std::string>& names) const {
    for (const std::string& name : names)
      for (std::size_t i = 1; i < steps_.size(); ++i)
        CHECK_MESSAGE(std::abs(at(i, name) - at(0, name)) < kSame, told(name));
  }

 private:
  double at(std::size_t step, const std::string& name) const { return steps_[step].at(name); }
  std::string told(const std::string& name) const {
    std::string out = name + ":";
    for (const auto& step : steps_) out += ' ' + std::to_string(step.at(name));
    return out;
  }

  std::vector<std::map<std::string, double>> steps_;
};

}  // namespace

TEST_CASE("ladder: atoms turned by 0, 20 and 40 degrees") {
  const Dictionary made = true_dictionary(world());
  const Ladder ladder({made, turned(made, 20), turned(made, 40)});
  ladder.sees(kAtoms);
  ladder.sees({"truth_ev"});
  // The closest truth stays the same, and the codes do.
  ladder.is_blind({"truth_uniqueness", "truth_f1", "truth_l0", "truth_dead", "absorption_excess",
                   "sparse_probing"});
}

TEST_CASE("ladder: none, a quarter and half of the features dropped") {
  const Dictionary made = true_dictionary(world());
  const Ladder ladder({made, dropped(made, 0.25), dropped(made, 0.5)});
  ladder.sees(kAtoms);
  ladder.sees(kCodes);
  ladder.sees({"truth_recovered", "truth_recovered_signed", "truth_uniqueness", "truth_ev",
               "sparse_probing"});
  ladder.is_blind({"truth_l0", "truth_dead"});
}

TEST_CASE("ladder: no child, half of the children and all of them absorb their parents") {
  const Truth truth = world();
  const Ladder ladder({absorbed(truth, 0.0), absorbed(truth, 0.5), absorbed(truth, 1.0)});
  ladder.sees({"absorption", "absorption_full", "absorption_excess"});
  ladder.sees(kAtoms);
  ladder.sees({"truth_recovered", "truth_recall"});
  // No latent dies of it: a root is active without a child in half of its rows.
  ladder.is_blind({"truth_dead"});
}

TEST_CASE("ladder: codes of other latents") {
  const Dictionary made = true_dictionary(world());
  const Ladder ladder({made, permuted(made)});
  ladder.sees(kCodes);
  ladder.sees({"truth_ev"});
  // These read atoms only, or only codes: a dictionary whose atoms and codes are unpaired is whole
  // to them.
  ladder.is_blind(kAtoms);
  ladder.is_blind({"truth_recovered", "truth_recovered_signed", "truth_uniqueness", "truth_l0",
                   "truth_dead", "sparse_probing"});
}

}  // namespace conoscope::tests
