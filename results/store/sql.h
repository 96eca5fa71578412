// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace conoscope::results {

/// A .sql file as it was when the library was built.
struct SqlFile {
  std::string_view name;  ///< without folder and suffix: "board", "0001_initial"
  std::string_view text;
};

/// Migrations, oldest first: entry i leads from schema i to schema i + 1.
std::span<const SqlFile> schema_files();

/// The queries of boards/ and those of the store itself, by name.
std::span<const SqlFile> query_files();

/// The text of <name>.sql.
///
/// throws  std::invalid_argument: there is no such file; lists those there are
std::string_view query_text(std::string_view name);

}  // namespace conoscope::results
