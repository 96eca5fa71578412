// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>

namespace conoscope::results {

class Store;

// Did anybody but its author see a row of the shared board come out? `.ci/submission --write` says so in
// checked.tsv, beside the folders of the submissions, none of which can say it of itself.

inline constexpr const char* kRecomputedHere = "recomputed here";
inline constexpr const char* kRecomputedElsewhere = "recomputed elsewhere";
inline constexpr const char* kSelfReported = "self-reported";

/// By the keys of dataset, model and explainer; that of the explainer may be empty.
using Origins = std::map<std::array<std::string, 3>, std::string>;

/// What checked.tsv says of submissions: of one whose scores have changed since, nothing.
class CheckedSubmissions {
 public:
  /// None where there is no such file.
  /// throws  StoreError: cannot_open; corrupt (says the line, and what is wrong there)
  explicit CheckedSubmissions(const std::filesystem::path& file);

  /// Of every row with an attempt in this store, which was read from that file. Where several
  /// submissions have attempts of a row, the one of them that was seen least decides.
  ///
  /// name  of the submission
  void add_origins(const std::string& name, const std::filesystem::path& file, Store& scores,
                   Origins& out) const;

 private:
  std::map<std::array<std::string, 2>, Origins> checked_;  ///< by name and SHA-256 of the scores
};

}  // namespace conoscope::results
