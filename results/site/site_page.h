// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/site/site.h"

// What the pages of a site are written with. Addresses are relative to the site's root.

namespace conoscope::results {

/// A part of a file's name for each text: lower-case letters, digits, _ and -, and no two alike.
class SiteNames {
 public:
  /// The same text has the same name again.
  std::string of(const std::string& text);

 private:
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

/// Where texts lead: by the table's column.
using SiteLinks = std::map<std::pair<std::string, std::string>, std::string>;

/// A table of a page and of the JSON file beside it.
struct SiteTable {
  std::string id, caption;
  Table table;
  SiteLinks links = {};
  std::map<std::string, std::string> head_links = {};  ///< by metric
  std::set<std::string> doubtful = {};  ///< metrics; on the page their heads have the mark (!)
  std::map<std::pair<std::size_t, std::string>, std::string> row_links =
      {};  ///< by row and column, where a text is not enough
};

/// Without the columns that hold nothing.
Table without_empty_columns(const Table& table);
/// Without what the page says anyway.
Table without_column(const Table& table, const std::string& name);

class SitePage {
 public:
  /// path  "study/quick.html"
  SitePage(const SiteOptions& options, std::string path, std::string title);

  /// HTML, as it is.
  SitePage& add(std::string_view html);
  SitePage& heading(const std::string& text);
  SitePage& paragraph(const std::string& text);
  /// An element of a class with items of text; nothing without items.
  SitePage& list(const std::string& kind, const std::vector<std::string>& items);
  /// With its JSON beside the page, else where another page has written it. Nothing without rows.
  SitePage& table(const SiteTable& table, const std::string& json = {});

  /// The address of something from this page.
  std::string to(const std::string& address) const;
  std::string link(const std::string& address, const std::string& text) const;
  /// Of a table's JSON, from the site's root.
  static std::string json_of(const std::string& page, const std::string& table_id);

  void write(const SiteSink& sink) const;

 private:
  const SiteOptions& options_;
  std::string path_, title_, root_, body_;
  std::vector<std::pair<std::string, std::string>> json_;  ///< by path
};

}  // namespace conoscope::results
