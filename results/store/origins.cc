// SPDX-License-Identifier: Apache-2.0
#include "results/store/origins.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "numerics/sha256_of_file.h"
#include "results/store/error.h"
#include "results/store/sqlite.h"
#include "results/store/store.h"

namespace conoscope::results {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHead = "submission\tsha256\tdataset\tmodel\texplainer\torigin\tcells\tseed";
constexpr std::size_t kFields = 8;
constexpr const char* kByCertainty[] = {kRecomputedHere, kRecomputedElsewhere, kSelfReported};

}  // namespace

CheckedSubmissions::CheckedSubmissions(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  std::ifstream in(file);
  std::string line;
  int number = 1;
  const auto fail = [&](const std::string& what) {
    throw StoreError(StoreProblem::corrupt, file.string() + ":" + std::to_string(number) + ": " +
                                                what +
                                                "; `.ci/submission --write` writes this file");
  };
  if (!std::getline(in, line) || line != kHead)
    fail("expected the line \"" + std::string(kHead) + "\"");
  while (std::getline(in, line)) {
    ++number;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '\t');) fields.push_back(field);
    if (fields.size() != kFields)
      fail(std::to_string(fields.size()) + " fields, not " + std::to_string(kFields));
    if (std::ranges::find(kByCertainty, fields[5]) == std::end(kByCertainty))
      fail("no origin \"" + fields[5] + "\"");
    checked_[{fields[0], fields[1]}][{fields[2], fields[3], fields[4] == "-" ? "" : fields[4]}] =
        fields[5];
  }
}

void CheckedSubmissions::add_origins(const std::string& name, const fs::path& file, Store& scores,
                                     Origins& out) const {
  const auto known = checked_.find({name, numerics::sha256_of_file(file)});
  Statement rows(scores.connection(),
                 "SELECT DISTINCT dataset, model, coalesce(explainer, '') FROM cell "
                 "WHERE key IN (SELECT cell FROM attempt)");
  while (rows.step()) {
    const std::array<std::string, 3> subject = {rows.text(0), rows.text(1), rows.text(2)};
    std::string origin = kSelfReported;
    if (known != checked_.end())
      if (const auto it = known->second.find(subject); it != known->second.end())
        origin = it->second;
    const auto [place, fresh] = out.try_emplace(subject, origin);
    if (!fresh &&
        std::ranges::find(kByCertainty, origin) > std::ranges::find(kByCertainty, place->second))
      place->second = origin;
  }
}

}  // namespace conoscope::results
