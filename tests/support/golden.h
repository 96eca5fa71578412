// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the cases of a golden folder (cases.json and its arrays) against functions registered by
// kind, and compares every expected output at the case's own tolerance.

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/npy.h"

namespace conoscope::tests::golden {

using Json = nlohmann::json;

/// One case, and the file it stands in (a case may refer to others of its file). However its family
/// writes them, here an input is a file's name, and an expected output a value, {"file": name} or
/// {"array": nested lists, "shape": extents}.
struct Case {
  std::filesystem::path folder;
  const Json* file = nullptr;
  Json json;

  std::string id() const { return json.at("id"); }
  std::string kind() const { return json.at("kind"); }
  const Json& params() const { return json.at("params"); }
  const Json& expected() const { return json.at("expected"); }
  const Json& tolerance() const { return json.at("tolerance"); }
  bool expects(const std::string& output) const { return expected().contains(output); }
  bool has_input(const std::string& name) const { return json.at("inputs").contains(name); }
  Npy input(const std::string& name) const;
  /// The numbers of an expected output; null and "nan" are NaN.
  Npy array(const std::string& output) const;
};

/// What an implementation computed for one case.
struct Outputs {
  std::map<std::string, Json> scalars;                // null: undefined, as in cases.json
  std::map<std::string, std::vector<double>> arrays;  // flattened, C order
  std::map<std::string, std::string> not_compared;    // output -> why
};

/// What an output's array holds of a matrix or a vector.
template <typename Derived>
std::vector<double> flat(const Eigen::DenseBase<Derived>& values) {
  const metrics::Matrix rows = values.template cast<double>();
  return {rows.data(), rows.data() + rows.size()};
}
inline std::vector<double> flat(const metrics::IndexVector& values) {
  return {values.begin(), values.end()};
}

/// Thrown by a kind that cannot answer this one case: it is listed as skipped, with the reason.
class Skip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Summary {
  int passed = 0;
  std::vector<std::string> skipped, failed, not_compared;  // "id: reason"
};

/// A case while it is answered: every expected output must be compared or excused.
class Answer : public Case {
 public:
  explicit Answer(Case one) : Case(std::move(one)) {}

  /// `tolerance` names the entry abs_<tolerance>; empty: the case's own abs.
  void number(const std::string& output, double value, const std::string& tolerance = "");
  void values(const std::string& output, const metrics::Matrix& values,
              const std::string& tolerance = "");
  /// All that is expected of these; the others are of no concern.
  void take(const Outputs& outputs);
  /// Numbers that are not an output by themselves; `name` is for the message.
  void close(const std::string& name, double value, double expected, double abs, double rel);
  void excuse(const std::string& output, const std::string& why) { excused_[output] = why; }
  void fail(const std::string& what) { wrong_.push_back(what); }
  void seen(const std::string& output) { seen_.insert(output); }

  void finish(Summary& summary);

 private:
  void compare(const std::string& output, const std::vector<double>& values,
               const std::string& tolerance = "");

  std::set<std::string> seen_;
  std::map<std::string, std::string> excused_;
  std::vector<std::string> wrong_;
};

class Kinds {
 public:
  /// A kind returns its Outputs, or speaks to the Answer.
  template <typename Kind>
  void add(const std::string& name, Kind kind) {
    const auto call = [kind](Answer& answer) {
      if constexpr (std::is_void_v<std::invoke_result_t<Kind, Answer&>>)
        kind(answer);
      else
        answer.take(kind(answer));
    };
    if (!kinds_.emplace(name, call).second)
      throw std::logic_error("golden kind " + name + " is registered twice");
  }

  /// Throws std::runtime_error if the folder has no readable cases.json.
  Summary run(const std::filesystem::path& folder) const;

 private:
  std::map<std::string, std::function<void(Answer&)>> kinds_;
};

/// For a test: runs the family's cases in the source tree and, where they are, all of `full_set`
/// (below CONOSCOPE_GOLDEN_DIR, the environment's or the build's, else ../shared/golden). Prints
/// `family: N passed, M skipped, K failed` and a line for each that did not pass, and insists that a
/// case passed and none failed.
void check_family(const std::string& family, const std::string& full_set, const Kinds& kinds);

}  // namespace conoscope::tests::golden
