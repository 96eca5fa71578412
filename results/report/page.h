// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/formats/table.h"

// What the sections of a report are written with.

namespace conoscope::results {

/// Text for HTML, in an element or a quoted attribute: a name stays text whatever it holds, and
/// control characters are shown.
std::string html_text(std::string_view text);

/// The same, where long names and parameters may break behind these: _ , / =, and behind so many
/// characters without; the text stays the same.
std::string breakable_html(std::string_view text);

/// The same, with the DOIs and the numbers of arXiv in it as links to what they name.
std::string cited_html(const std::string& text);

/// A text of several lines as it is.
std::string pre_html(std::string_view text);

/// A JSON object, a field at a time.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, const Field& value);
  JsonObject& add(std::string_view name, const std::vector<JsonObject>& values);
  JsonObject& add(std::string_view name, const std::vector<double>& values);
  /// Its mean, its ends, low and high, and its text.
  JsonObject& add(const Estimate& estimate);
  std::string text() const { return "{" + fields_ + "}"; }

 private:
  void key(std::string_view name);
  std::string fields_;
};

struct PageColumn {
  /// sorted_by  the row's field that sorts this column; empty: the text does
  PageColumn(const char* text, const char* sorted_by = "", bool names_row = false)
      : title(text), by(sorted_by), method(names_row) {}

  std::string title, by;
  bool method;  ///< names the row: a click follows it through the page
};
inline const PageColumn kMethodColumn{"method", "method", true};

/// The keys by which the page's selectors choose: run, dataset, model, metric, reference.
using GroupKeys = std::vector<std::pair<std::string_view, std::string>>;

/// A cell's text; in colour, where it is a number that has a better end.
struct PageCell {
  PageCell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  PageCell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)

  std::string text;
  std::optional<double> goodness = {};  ///< 0: the worst of its column ... 1: the best
  bool cites = false;                   ///< DOIs and numbers of arXiv in it are links
};

/// A table of the page. Rows come in groups; the page shows the groups that fit its selectors, and
/// draws the table's picture from the data of the rows that are shown. A row whose data have a list
/// `marks` is drawn as these, each with the row's other fields beside.
class PageTable {
 public:
  PageTable(std::string id, std::string caption, std::vector<PageColumn> columns);

  void group(const GroupKeys& keys);
  /// cells  as many texts as columns
  void add(const std::vector<PageCell>& cells, const JsonObject& data = {});

  const std::string& id() const { return id_; }
  bool empty() const { return rows_ == 0; }
  std::string html() const;
  /// Under a picture that says the same: closed until a reader opens it.
  std::string folded_html() const;

 private:
  std::string id_, caption_, body_;
  std::vector<PageColumn> columns_;
  std::size_t rows_ = 0;
  bool open_ = false;
};

/// Drawings that are in the page as they are, of which the page shows one: that of the method that is
/// followed, else the first, and of it the one that is chosen by its name.
class PageDrawings {
 public:
  /// choice  what the names are of: "Sample"
  PageDrawings(std::string id, std::string choice)
      : id_(std::move(id)), choice_(std::move(choice)) {}

  void add(const GroupKeys& keys, const std::string& method, const std::string& name,
           const std::string& html);
  bool empty() const { return body_.empty(); }
  std::string html() const;

 private:
  std::string id_, choice_, body_;
};

/// The place of a picture: its specification, and the table that it is drawn from. Named as the
/// table, unless that has several pictures.
std::string figure_html(std::string_view picture, std::string_view table,
                        std::string_view name = {});

/// A part of a section: what it shows, in words, its picture, and the numbers folded; empty without rows.
std::string part_html(const char* title, const char* words, const std::string& figure,
                      const PageTable& table);

/// For one method at a time: the one that is followed through the page, else the first.
std::string figure_of_one_html(std::string_view picture, std::string_view table,
                               std::string_view name = {});

}  // namespace conoscope::results
