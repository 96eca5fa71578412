// The runner of the family `disentanglement`.

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/golden/disentanglement.h"

namespace conoscope::tests::golden {

namespace {

void flatten(const Json& json, std::vector<double>& out) {
  if (json.is_array())
    for (const Json& entry : json) flatten(entry, out);
  else
    out.push_back(json.get<double>());
}

}  // namespace

Npy Answer::input(const std::string& name) const {
  return read_npy(folder_ / std::string(json_.at("inputs").at(name)));
}

Npy Answer::array(const std::string& output) const {
  const Json& json = expected().at(output);
  if (json.is_object() && json.contains("file"))
    return read_npy(folder_ / std::string(json.at("file")));
  Npy out;
  const Json& entries = json.is_object() ? json.at("array") : json;
  flatten(entries, out.values);
  if (json.is_object())
    for (const Json& extent : json.at("shape")) out.shape.push_back(extent);
  else
    out.shape = {static_cast<std::ptrdiff_t>(out.values.size())};
  return out;
}

double Answer::abs_of(const std::string& name, std::size_t entry) const {
  const Json& abs = tolerance().at(name.empty() ? "abs" : "abs_" + name);
  return abs.is_array() ? abs.at(entry).get<double>() : abs.get<double>();
}

void Answer::close(const std::string& name, double value, double wanted, double abs, double rel) {
  if (std::abs(value - wanted) <= abs + rel * std::abs(wanted)) return;
  std::ostringstream text;
  text.precision(12);
  text << name << " is " << value << ", expected " << wanted;
  fail(text.str());
}

void Answer::number(const std::string& output, double value, const std::string& name) {
  seen(output);
  if (!expects(output) || !expected().at(output).is_number())
    return fail(output + " is no expected number");
  close(output, value, expected().at(output).get<double>(), abs_of(name, 0), rel());
}

void Answer::values(const std::string& output, const metrics::Matrix& values,
                    const std::string& name) {
  seen(output);
  if (!expects(output)) return fail(output + " is not expected");
  const Npy wanted = array(output);
  if (values.size() != wanted.size())
    return fail(output + " has " + std::to_string(values.size()) + " entries, expected " +
                std::to_string(wanted.size()));
  for (std::size_t i = 0; i < wanted.values.size(); ++i)
    close(output + "[" + std::to_string(i) + "]", values.data()[i], wanted.values[i],
          abs_of(name, i), rel());
}

void Answer::excuse(const std::string& output, const std::string& why) { excused_[output] = why; }

void Answer::finish(Summary& summary) {
  for (const auto& [name, why] : excused_)
    summary.not_compared.push_back(id() + ": " + name + ": " + why);
  for (const auto& [name, json] : expected().items())
    if (!seen_.contains(name) && !excused_.contains(name))
      fail(name + " is expected, but not computed");
  if (wrong_.empty()) {
    ++summary.passed;
    return;
  }
  std::string all = id();
  for (std::size_t i = 0; i < wrong_.size() && i < 6; ++i) all += ": " + wrong_[i];
  if (wrong_.size() > 6) all += ": and " + std::to_string(wrong_.size() - 6) + " more";
  summary.failed.push_back(all);
}

Summary run_answers(const std::filesystem::path& folder, const AnswerKinds& kinds) {
  std::ifstream stream(folder / "cases.json");
  if (!stream) throw std::runtime_error((folder / "cases.json").string() + ": cannot be opened");
  const Json file = Json::parse(stream);
  Summary summary;
  for (const Json& json : file.at("cases")) {
    const std::string kind = json.at("metric"), id = json.at("id");
    const auto found = kinds.find(kind);
    if (found == kinds.end()) {
      summary.skipped.push_back(id + ": nothing is registered for kind " + kind);
      continue;
    }
    Answer answer(folder, json);
    try {
      found->second(answer);
    } catch (const Skip& skip) {
      summary.skipped.push_back(id + ": " + skip.what());
      continue;
    } catch (const std::exception& error) {
      answer.fail(std::string("threw: ") + error.what());
    }
    answer.finish(summary);
  }
  return summary;
}

}  // namespace conoscope::tests::golden
