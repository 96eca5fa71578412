#include "tests/support/golden_values.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace conoscope::tests::golden {

namespace {

void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_array()) {
    for (const Json& entry : value) flatten(entry, out);
  } else if (value.is_number()) {
    out.push_back(value.get<double>());
  } else if (value == "inf") {
    out.push_back(std::numeric_limits<double>::infinity());
  } else if (value == "nan" || value.is_null()) {
    out.push_back(std::numeric_limits<double>::quiet_NaN());
  } else {
    throw std::runtime_error("cannot read the expected value " + value.dump());
  }
}

std::vector<double> expected_values(const std::filesystem::path& folder, const Json& entry) {
  if (entry.contains("file")) return read_npy(folder / std::string(entry.at("file"))).values;
  std::vector<double> out;
  flatten(entry.at("value"), out);
  return out;
}

std::vector<double> found_values(const Outputs& outputs, const std::string& name) {
  if (const auto array = outputs.arrays.find(name); array != outputs.arrays.end())
    return array->second;
  std::vector<double> out;
  if (const auto scalar = outputs.scalars.find(name); scalar != outputs.scalars.end())
    flatten(scalar->second, out);
  return out;
}

bool close(double value, double expected, double abs, double rel) {
  if (std::isnan(expected)) return std::isnan(value);
  if (std::isinf(expected)) return value == expected;
  return std::abs(value - expected) <= abs + rel * std::abs(expected);
}

std::string compare(const std::vector<double>& values, const std::vector<double>& expected,
                    double abs, double rel) {
  if (values.size() != expected.size())
    return values.empty() ? "is expected, but not computed"
                          : "has " + std::to_string(values.size()) + " entries, expected " +
                                std::to_string(expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (close(values[i], expected[i], abs, rel)) continue;
    std::ostringstream text;
    text.precision(17);
    text << "entry " << i << " is " << values[i] << ", expected " << expected[i];
    return text.str();
  }
  return "";
}

std::string check(const Json& json, const Case& one, const Kind& kind, Summary& summary) {
  Outputs outputs;
  try {
    outputs = kind(one);
  } catch (const Skip&) {
    throw;
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
  for (const auto& [name, why] : outputs.not_compared)
    summary.not_compared.push_back(one.id() + ": " + name + ": " + why);
  const Json& tolerance = json.at("tolerance");
  const Json per_output = json.value("tolerance_per_output", Json::object());
  std::string wrong;
  for (const auto& [name, entry] : json.at("expected").items()) {
    if (outputs.not_compared.contains(name)) continue;
    if (entry.contains("value") && entry.at("value") == "error") {
      // The kind answers with the text "error" where the function refused.
      const auto found = outputs.scalars.find(name);
      if (found == outputs.scalars.end() || found->second != "error")
        wrong += name + " is expected to be refused, but was computed; ";
      continue;
    }
    double abs = 0.0, rel = 0.0;
    if (per_output.contains(name)) {
      abs = per_output.at(name);
    } else if (tolerance.at("abs").is_number()) {
      abs = tolerance.at("abs");
      rel = tolerance.at("rel");
    } else {
      wrong += name + " states no tolerance; ";
      continue;
    }
    const std::string what =
        compare(found_values(outputs, name), expected_values(one.folder, entry), abs, rel);
    if (!what.empty()) wrong += name + " " + what + "; ";
  }
  return wrong;
}

}  // namespace

Summary run_values(const std::filesystem::path& folder, const Kinds& kinds) {
  std::ifstream stream(folder / "cases.json");
  if (!stream) throw std::runtime_error((folder / "cases.json").string() + ": cannot be opened");
  const Json file = Json::parse(stream);
  Summary summary;
  int elsewhere = 0;
  for (const Json& json : file.at("cases")) {
    const Kind* const kind = kinds.find(json.at("metric"));
    if (!kind) {
      ++elsewhere;
      continue;
    }
    Case one{folder,
             &file,
             {{"id", json.at("id")},
              {"kind", json.at("metric")},
              {"params", json.at("params")},
              {"inputs", Json::object()}}};
    for (const auto& [name, input] : json.at("inputs").items())
      one.json["inputs"][name] = input.at("file");
    try {
      const std::string wrong = check(json, one, *kind, summary);
      if (wrong.empty())
        ++summary.passed;
      else
        summary.failed.push_back(one.id() + ": " + wrong);
    } catch (const Skip& skip) {
      summary.skipped.push_back(one.id() + ": " + skip.what());
    }
  }
  if (elsewhere > 0)
    summary.skipped.push_back(std::to_string(elsewhere) + " cases of kinds of other families");
  return summary;
}

}  // namespace conoscope::tests::golden
