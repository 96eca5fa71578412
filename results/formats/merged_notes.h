// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace conoscope::results {

/// Texts that differ in their numbers alone, as one with their ranges: "p = 0.1 of 39" and "p = 0.3 of 39"
/// are "p = 0.1-0.3 of 39".
class MergedNotes {
 public:
  explicit MergedNotes(const std::vector<std::string>& texts);

  /// In the order of the first of each.
  std::vector<std::string> texts() const;
  /// Of several texts by their numbers from 1, "1,3", those of the merged ones, raised: "¹".
  std::string marks(const std::string& of_texts) const;

 private:
  struct Range {
    std::string low, high;
    void add(const std::string& number);
    std::string text() const { return low == high ? low : low + "-" + high; }
  };
  struct Note {
    std::vector<std::string> between;  ///< the numbers
    std::vector<Range> ranges;
  };
  std::vector<Note> notes_;
  std::vector<std::size_t> number_of_;
};

}  // namespace conoscope::results
