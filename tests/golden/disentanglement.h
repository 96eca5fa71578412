#pragma once

// The cases of the family `disentanglement` keep small arrays in cases.json itself and name their
// tolerances by output, so they have a runner of their own; summary and printing are the common
// one.

#include <functional>
#include <map>
#include <set>

#include "metrics/types.h"
#include "tests/support/golden.h"

namespace conoscope::tests::golden {

/// One case while it is answered: every expected output must be compared or excused.
class Answer {
 public:
  Answer(const std::filesystem::path& folder, const Json& json) : folder_(folder), json_(json) {}

  std::string id() const { return json_.at("id"); }
  const Json& params() const { return json_.at("params"); }
  const Json& expected() const { return json_.at("expected"); }
  const Json& tolerance() const { return json_.at("tolerance"); }
  bool has_input(const std::string& name) const { return json_.at("inputs").contains(name); }
  Npy input(const std::string& name) const;
  /// An array of cases.json or of the file that it names.
  Npy array(const std::string& output) const;
  bool expects(const std::string& output) const { return expected().contains(output); }

  /// `tolerance` names the entry abs_<tolerance>; empty: the case's own abs.
  void number(const std::string& output, double value, const std::string& tolerance = "");
  void values(const std::string& output, const metrics::Matrix& values,
              const std::string& tolerance = "");
  /// Numbers that are not an output by themselves; `name` is for the message.
  void close(const std::string& name, double value, double expected, double abs, double rel);
  void excuse(const std::string& output, const std::string& why);
  void fail(const std::string& what) { wrong_.push_back(what); }
  void seen(const std::string& output) { seen_.insert(output); }

  void finish(Summary& summary);

 private:
  double abs_of(const std::string& tolerance, std::size_t entry) const;
  double rel() const { return tolerance().value("rel", 0.0); }

  std::filesystem::path folder_;
  const Json& json_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> excused_;
  std::vector<std::string> wrong_;
};

using AnswerKind = std::function<void(Answer&)>;
using AnswerKinds = std::map<std::string, AnswerKind>;

void register_robustness(AnswerKinds& kinds);
void register_disentanglement(AnswerKinds& kinds);
void register_disentanglement_models(AnswerKinds& kinds);
void register_vae_losses(AnswerKinds& kinds);

Summary run_answers(const std::filesystem::path& folder, const AnswerKinds& kinds);

}  // namespace conoscope::tests::golden
