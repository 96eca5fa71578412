// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"

// What the formats for people (table, md and latex) share.

namespace conoscope::results {

/// Significant digits as the column says; NULL is -, and a tiny number <1e-15.
std::string human_text(const Field& field, const Column& column = {});

/// Is it a number that is shown as less than 10^-column.tiny?
bool is_tiny(const Field& field, const Column& column);

/// An estimate that was marked.
bool is_best(const Field& field);

bool is_right_aligned(const Column& column);

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& items);

/// "1,3" -> "¹,³"
std::string raised(const std::string& marks);

/// The messages of a table's estimates, each text once, numbered from 1 in reading order.
class Footnotes {
 public:
  explicit Footnotes(const Table& table);

  const std::vector<std::string>& texts() const { return texts_; }

  /// Which of them belong to a field: "1,3"; empty: none.
  std::string marks(const Field& field) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace conoscope::results
