#include "tests/support/golden.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace conoscope::tests::golden {

namespace {

struct Tolerance {
  double abs = 0.0, rel = 0.0;
};

// A case's tolerance; an entry named like the output, or like its last words (`step5` for
// `losses_step5`), or under `per_metric` (there also for the mean over seeds), overrides it.
std::optional<Tolerance> tolerance_of(const Json& json, const std::string& output) {
  const auto read = [](const Json& entry) {
    return Tolerance{entry.value("abs", 0.0), entry.value("rel", 0.0)};
  };
  std::optional<Tolerance> tolerance;
  if (json.contains("abs") || json.contains("rel")) tolerance = read(json);
  const auto look_in = [&](const Json& overrides) {
    for (const auto& [name, entry] : overrides.items())
      if (entry.is_object() && (output == name || output.ends_with("_" + name)))
        tolerance = read(entry);
  };
  look_in(json);
  if (json.contains("per_metric")) {
    look_in(json.at("per_metric"));
    for (const auto& [name, entry] : json.at("per_metric").items())
      if (output == name + "_mean") tolerance = read(entry);
  }
  return tolerance;
}

bool close(double value, double expected, const Tolerance& tolerance) {
  return std::abs(value - expected) <= tolerance.abs + tolerance.rel * std::abs(expected);
}

std::string compare_scalar(const Json& value, const Json& expected,
                           const std::optional<Tolerance>& tolerance) {
  bool same = false;
  if (expected.is_number() && value.is_number()) {
    if (!tolerance) return "states no tolerance";
    same = close(value.get<double>(), expected.get<double>(), *tolerance);
  } else {
    same = value == expected;
  }
  return same ? "" : "is " + value.dump() + ", expected " + expected.dump();
}

std::string compare_array(const std::vector<double>& values, const Npy& expected,
                          const std::optional<Tolerance>& tolerance) {
  if (!tolerance) return "states no tolerance";
  if (values.size() != expected.values.size())
    return "has " + std::to_string(values.size()) + " entries, expected " +
           std::to_string(expected.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (close(values[i], expected.values[i], *tolerance)) continue;
    std::ostringstream text;
    text.precision(17);
    text << "entry " << i << " is " << values[i] << ", expected " << expected.values[i];
    return text.str();
  }
  return "";
}

// All that is wrong with one case, one line each.
std::vector<std::string> check(const Case& one, const Kind& kind, Summary& summary) {
  std::vector<std::string> wrong;
  Outputs outputs;
  try {
    outputs = kind(one);
  } catch (const Skip&) {
    throw;
  } catch (const std::exception& error) {
    return {std::string("threw: ") + error.what()};
  }
  for (const auto& [name, why] : outputs.not_compared)
    summary.not_compared.push_back(one.id() + ": " + name + ": " + why);
  const auto report = [&wrong](const std::string& name, const std::string& what) {
    if (!what.empty()) wrong.push_back(name + " " + what);
  };
  const Json& tolerance = one.json.at("tolerance");
  for (const auto& [name, expected] : one.json.at("expected").items()) {
    if (outputs.not_compared.contains(name)) continue;
    const auto found = outputs.scalars.find(name);
    report(name, found == outputs.scalars.end()
                     ? "is expected, but not computed"
                     : compare_scalar(found->second, expected, tolerance_of(tolerance, name)));
  }
  for (const auto& [name, file] : one.json.at("expected_files").items()) {
    if (outputs.not_compared.contains(name)) continue;
    const auto found = outputs.arrays.find(name);
    report(name, found == outputs.arrays.end()
                     ? "is expected, but not computed"
                     : compare_array(found->second, read_npy(one.folder / std::string(file)),
                                     tolerance_of(tolerance, name)));
  }
  return wrong;
}

}  // namespace

Npy Case::input(const std::string& name) const {
  return read_npy(folder / std::string(json.at("inputs").at(name)));
}

void Kinds::add(const std::string& kind, Kind run) {
  if (!kinds_.emplace(kind, std::move(run)).second)
    throw std::logic_error("golden kind " + kind + " is registered twice");
}

const Kind* Kinds::find(const std::string& kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? nullptr : &found->second;
}

Summary run(const std::filesystem::path& folder, const Kinds& kinds) {
  std::ifstream stream(folder / "cases.json");
  if (!stream) throw std::runtime_error((folder / "cases.json").string() + ": cannot be opened");
  const Json file = Json::parse(stream);
  Summary summary;
  for (const Json& json : file.at("cases")) {
    const Case one{folder, &file, json};
    const Kind* const kind = kinds.find(one.kind());
    if (!kind) {
      summary.skipped.push_back(one.id() + ": nothing is registered for kind " + one.kind());
      continue;
    }
    std::vector<std::string> wrong;
    try {
      wrong = check(one, *kind, summary);
    } catch (const Skip& skip) {
      summary.skipped.push_back(one.id() + ": " + skip.what());
      continue;
    }
    if (wrong.empty())
      ++summary.passed;
    else {
      std::string all = one.id();
      for (const std::string& line : wrong) all += ": " + line;
      summary.failed.push_back(all);
    }
  }
  return summary;
}

void print(const std::string& family, const Summary& summary) {
  std::cout << family << ": " << summary.passed << " passed, " << summary.skipped.size()
            << " skipped, " << summary.failed.size() << " failed\n";
  for (const std::string& line : summary.skipped) std::cout << "  skipped " << line << '\n';
  for (const std::string& line : summary.not_compared)
    std::cout << "  not compared " << line << '\n';
  for (const std::string& line : summary.failed) std::cout << "  FAILED " << line << '\n';
  std::cout.flush();
}

std::filesystem::path full_folder(const std::string& family) {
  const std::filesystem::path source = CONOSCOPE_SOURCE_DIR;
  const char* const environment = std::getenv("CONOSCOPE_GOLDEN_DIR");
  if (environment && *environment) return std::filesystem::path(environment) / family;
  const std::string setting = CONOSCOPE_GOLDEN_DIR;
  if (!setting.empty()) return std::filesystem::path(setting) / family;
  const std::filesystem::path beside = source / ".." / "shared" / "golden" / family;
  return std::filesystem::exists(beside / "cases.json") ? beside : std::filesystem::path();
}

std::filesystem::path subset_folder(const std::string& family) {
  return std::filesystem::path(CONOSCOPE_SOURCE_DIR) / "tests" / "golden" / family;
}

namespace {

void check_folder(const std::string& family, const std::filesystem::path& folder,
                  const Runner& run) {
  const Summary summary = run(folder);
  print(family, summary);
  CHECK(summary.failed.empty());
  CHECK(summary.passed > 0);
}

}  // namespace

void check_subset(const std::string& family, const Runner& run) {
  check_folder(family, subset_folder(family), run);
}

void check_full_set(const std::string& family, const std::string& set, const Runner& run) {
  const auto folder = full_folder(set);
  if (folder.empty()) {
    MESSAGE("no full set: CONOSCOPE_GOLDEN_DIR is not set and ../shared/golden does not exist");
    return;
  }
  check_folder(family, folder, run);
}

}  // namespace conoscope::tests::golden
