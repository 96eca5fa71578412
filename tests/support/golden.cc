// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>

namespace conoscope::tests::golden {

namespace {

/// What each family may write in its own way, in one.
Json in_one_form(Json one) {
  if (one.contains("metric")) one["kind"] = one["metric"];
  for (Json& input : one.at("inputs"))
    if (input.is_object()) input = Json(input.at("file"));
  for (Json& output : one.at("expected"))
    if (output.is_object() && output.contains("value")) output = Json(output.at("value"));
  const Json files = one.value("expected_files", Json::object());
  for (const auto& [name, file] : files.items())
    one["expected"][name] = {{"file", file}};
  return one;
}

void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_array())
    for (const Json& entry : value) flatten(entry, out);
  else if (value == "inf")
    out.push_back(std::numeric_limits<double>::infinity());
  else if (value == "nan" || value.is_null())
    out.push_back(std::numeric_limits<double>::quiet_NaN());
  else
    out.push_back(value.get<double>());
}

/// Neither a text nor a truth value.
bool is_numeric(const Json& value) {
  return value.is_number() || value.is_structured() || value.is_null() || value == "inf" ||
         value == "nan";
}

struct Tolerance {
  Json abs;  ///< a number, or one for each entry
  double rel = 0.0;

  double abs_of(std::size_t entry) const {
    return abs.is_array() ? abs.at(entry).get<double>() : abs.get<double>();
  }
};

/// Is it the tolerance of another expected output, as l0_abs of l0?
bool is_tolerance(const Case& one, const std::string& output) {
  constexpr std::string_view kEnd = "_abs";
  return one.tolerance().value("statistical", false) && output.ends_with(kEnd) &&
         one.expects(output.substr(0, output.size() - kEnd.size()));
}

/// A case's tolerance; an entry named like the output, or like its last words (`step5` for
/// `losses_step5`), or under `per_metric` (there also for the mean over seeds), overrides it, and so
/// does one of tolerance_per_output.
std::optional<Tolerance> tolerance_of(const Case& one, const std::string& output) {
  const auto read = [](const Json& entry) {
    return Tolerance{entry.value("abs", Json(0.0)), entry.value("rel", 0.0)};
  };
  const Json& own = one.tolerance();
  std::optional<Tolerance> tolerance;
  if (own.contains("abs") ? !own.at("abs").is_null() : own.contains("rel")) tolerance = read(own);
  const auto look_in = [&](const Json& overrides) {
    for (const auto& [name, entry] : overrides.items())
      if (entry.is_object() && (output == name || output.ends_with("_" + name)))
        tolerance = read(entry);
  };
  look_in(own);
  const Json per_metric = own.value("per_metric", Json::object());
  look_in(per_metric);
  for (const auto& [name, entry] : per_metric.items())
    if (output == name + "_mean") tolerance = read(entry);
  if (own.value("statistical", false) && per_metric.empty())
    tolerance = Tolerance{!one.expects(output + "_abs") ? Json(0.0)
                          : one.expected().at(output + "_abs").is_number()
                              ? one.expected().at(output + "_abs")
                              : Json(one.array(output + "_abs").values)};
  const Json per_output = one.json.value("tolerance_per_output", Json::object());
  if (per_output.contains(output)) tolerance = Tolerance{per_output.at(output)};
  return tolerance;
}

}  // namespace

Npy Case::input(const std::string& name) const {
  return read_npy(folder / std::string(json.at("inputs").at(name)));
}

Npy Case::array(const std::string& output) const {
  const Json& entry = expected().at(output);
  if (!entry.is_object()) {
    Npy out;
    flatten(entry, out.values);
    out.shape = {out.size()};
    return out;
  }
  if (entry.contains("file")) return read_npy(folder / std::string(entry.at("file")));
  Npy out{entry.at("shape"), {}};
  flatten(entry.at("array"), out.values);
  return out;
}

void Answer::close(const std::string& name, double value, double wanted, double abs, double rel) {
  if (std::isfinite(wanted) ? std::abs(value - wanted) <= abs + rel * std::abs(wanted)
                            : value == wanted || (std::isnan(value) && std::isnan(wanted)))
    return;
  std::ostringstream text;
  text.precision(17);
  text << name << " is " << value << ", expected " << wanted;
  fail(text.str());
}

void Answer::compare(const std::string& output, const std::vector<double>& values,
                     const std::string& name) {
  seen(output);
  const std::vector<double> wanted = array(output).values;
  auto tolerance = tolerance_of(*this, output);
  if (!name.empty()) tolerance = Tolerance{this->tolerance().at("abs_" + name)};
  if (!tolerance) return fail(output + " states no tolerance");
  if (values.size() != wanted.size())
    return fail(output + " has " + std::to_string(values.size()) + " entries, expected " +
                std::to_string(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    close(expected().at(output).is_structured() ? output + "[" + std::to_string(i) + "]" : output,
          values[i], wanted[i], tolerance->abs_of(i), tolerance->rel);
}

void Answer::number(const std::string& output, double value, const std::string& tolerance) {
  if (!expects(output) || !expected().at(output).is_number())
    return fail(output + " is no expected number");
  compare(output, {value}, tolerance);
}

void Answer::values(const std::string& output, const metrics::Matrix& values,
                    const std::string& tolerance) {
  if (!expects(output)) return fail(output + " is not expected");
  compare(output, flat(values), tolerance);
}

void Answer::take(const Outputs& outputs) {
  for (const auto& [name, why] : outputs.not_compared) excuse(name, why);
  for (const auto& [name, wanted] : expected().items()) {
    const auto array = outputs.arrays.find(name);
    const auto scalar = outputs.scalars.find(name);
    if (excused_.contains(name)) continue;
    if (array != outputs.arrays.end()) {
      compare(name, array->second);
    } else if (scalar != outputs.scalars.end()) {
      const Json& found = scalar->second;
      if (is_numeric(found) && is_numeric(wanted)) {
        std::vector<double> values;
        flatten(found, values);
        compare(name, values);
      } else {
        seen(name);
        if (found != wanted) fail(name + " is " + found.dump() + ", expected " + wanted.dump());
      }
    }
  }
}

void Answer::finish(Summary& summary) {
  for (const auto& [name, why] : excused_)
    summary.not_compared.push_back(id() + ": " + name + ": " + why);
  for (const auto& [name, entry] : expected().items())
    if (!seen_.contains(name) && !excused_.contains(name) && !is_tolerance(*this, name))
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

Summary Kinds::run(const std::filesystem::path& folder) const {
  std::ifstream stream(folder / "cases.json");
  if (!stream) throw std::runtime_error((folder / "cases.json").string() + ": cannot be opened");
  Json file = Json::parse(stream);
  for (Json& json : file.at("cases")) json = in_one_form(json);
  Summary summary;
  std::map<std::string, int> unknown;
  for (const Json& json : file.at("cases")) {
    Answer answer({folder, &file, json});
    const auto kind = kinds_.find(answer.kind());
    if (kind == kinds_.end()) {
      ++unknown[answer.kind()];
      continue;
    }
    try {
      kind->second(answer);
    } catch (const Skip& skip) {
      summary.skipped.push_back(answer.id() + ": " + skip.what());
      continue;
    } catch (const std::exception& error) {
      answer.fail(std::string("threw: ") + error.what());
    }
    answer.finish(summary);
  }
  for (const auto& [kind, cases] : unknown)
    summary.skipped.push_back(kind + ": nothing is registered for this kind of " +
                              std::to_string(cases));
  return summary;
}

namespace {

void check_folder(const std::string& family, const std::filesystem::path& folder,
                  const Kinds& kinds) {
  const Summary summary = kinds.run(folder);
  std::cout << family << ": " << summary.passed << " passed, " << summary.skipped.size()
            << " skipped, " << summary.failed.size() << " failed\n";
  for (const std::string& line : summary.skipped) std::cout << "  skipped " << line << '\n';
  for (const std::string& line : summary.not_compared)
    std::cout << "  not compared " << line << '\n';
  for (const std::string& line : summary.failed) std::cout << "  FAILED " << line << '\n';
  std::cout.flush();
  CHECK(summary.failed.empty());
  CHECK(summary.passed > 0);
}

}  // namespace

void check_family(const std::string& family, const std::string& full_set, const Kinds& kinds) {
  const std::filesystem::path source = CONOSCOPE_SOURCE_DIR;
  check_folder(family, source / "tests/golden" / family, kinds);
  const char* const environment = std::getenv("CONOSCOPE_GOLDEN_DIR");
  const std::string named = environment && *environment ? environment : CONOSCOPE_GOLDEN_DIR;
  const auto full =
      (named.empty() ? source / "../shared/golden" : std::filesystem::path(named)) / full_set;
  if (std::filesystem::exists(full / "cases.json") || !named.empty())
    check_folder(family, full, kinds);
  else
    MESSAGE("no full set: CONOSCOPE_GOLDEN_DIR is not set and ../shared/golden does not exist");
}

}  // namespace conoscope::tests::golden
