#pragma once

// Runs the cases of a golden folder (cases.json and its arrays) against functions registered by
// kind, and compares every expected output at the case's own tolerance.

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/npy.h"

namespace conoscope::tests::golden {

using Json = nlohmann::json;

/// One case, and the file it stands in (a case may refer to others of its file).
struct Case {
  std::filesystem::path folder;
  const Json* file = nullptr;
  Json json;

  std::string id() const { return json.at("id"); }
  std::string kind() const { return json.at("kind"); }
  const Json& params() const { return json.at("params"); }
  bool has_input(const std::string& name) const { return json.at("inputs").contains(name); }
  Npy input(const std::string& name) const;
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

using Kind = std::function<Outputs(const Case&)>;

class Kinds {
 public:
  void add(const std::string& kind, Kind run);
  const Kind* find(const std::string& kind) const;

 private:
  std::map<std::string, Kind> kinds_;
};

struct Summary {
  int passed = 0;
  std::vector<std::string> skipped, failed, not_compared;  // "id: reason"
};

/// Throws std::runtime_error if the folder has no readable cases.json.
Summary run(const std::filesystem::path& folder, const Kinds& kinds);

/// Prints the summary, `family: N passed, M skipped, K failed`, and a line for each that did not
/// pass.
void print(const std::string& family, const Summary& summary);

/// The folder of all reference values, from CONOSCOPE_GOLDEN_DIR (environment, then build setting),
/// else ../shared/golden beside the project, else empty.
std::filesystem::path full_folder(const std::string& family);

/// The subset that is part of the source tree.
std::filesystem::path subset_folder(const std::string& family);

/// Runs a folder's cases in a way of the family's own.
using Runner = std::function<Summary(const std::filesystem::path& folder)>;

/// For a test: runs the subset, or the full set in `set` where there is one, prints the summary,
/// and insists that a case passed and none failed.
void check_subset(const std::string& family, const Runner& run);
void check_full_set(const std::string& family, const std::string& set, const Runner& run);

}  // namespace conoscope::tests::golden
