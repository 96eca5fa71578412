// SPDX-License-Identifier: Apache-2.0
#include "results/site/site_page.h"

#include <algorithm>
#include <optional>

#include "results/formats/format.h"
#include "results/formats/human_text.h"
#include "results/formats/merged_notes.h"
#include "results/report/page.h"

namespace conoscope::results {

namespace {

/// The metric that a board's column is of: "surf_mae@random_concepts" -> surf_mae.
std::string metric_of(const std::string& column) { return column.substr(0, column.find('@')); }

std::string anchor(const std::string& address, const std::string& html) {
  return "<a href=\"" + html_text(address) + "\">" + html + "</a>";
}

/// Where a field leads; empty: nowhere.
std::string target(const SiteTable& of, std::size_t row, std::size_t column) {
  const std::string& name = of.table.columns[column].name;
  if (const auto to = of.row_links.find({row, name}); to != of.row_links.end()) return to->second;
  const auto to = of.links.find({name, text_of(of.table.rows[row][column])});
  return to == of.links.end() ? "" : to->second;
}

/// The column that names a row: the first text but a study that leads somewhere, else the first text.
std::size_t naming_column(const SiteTable& of) {
  std::size_t first_text = 0;
  std::optional<std::size_t> linked;
  for (std::size_t i = of.table.columns.size(); i-- > 0;) {
    if (of.table.columns[i].type != ColumnType::kText) continue;
    first_text = i;
    for (std::size_t row = 0; row < of.table.rows.size(); ++row)
      if (of.table.columns[i].name != "study" && !target(of, row, i).empty()) linked = i;
  }
  return linked.value_or(first_text);
}

/// Columns that say the same of every row go into the caption, as on a terminal.
std::vector<bool> shared_columns(const Table& table) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& name = table.columns[i].name;
    out.push_back(table.rows.size() > 1 &&
                  (name == "study" || name == "dataset" || name == "model") &&
                  std::ranges::all_of(table.rows, [&](const auto& row) {
                    return !text_of(row[i]).empty() && text_of(row[i]) == text_of(table.rows[0][i]);
                  }));
  }
  return out;
}

std::string caption_html(const SiteTable& of, const std::vector<bool>& shared,
                         const std::string& json) {
  const std::string caption = html_text(of.caption);
  std::string said;
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (shared[i])
      said += (said.empty() ? ": " : ", ") + of.table.columns[i].name + " " +
              text_of(of.table.rows[0][i]);
  return "<caption><span>" + caption + html_text(said) + " <a class=\"json\" href=\"" +
         html_text(json) + "\" aria-label=\"" + caption + ", as JSON\">JSON</a></span></caption>\n";
}

/// " class=n" of numbers, " class=long" of a column with a long text.
std::vector<std::string> column_classes(const Table& table) {
  constexpr std::size_t kLong = 40;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_long = std::ranges::any_of(
        table.rows, [i](const auto& row) { return text_of(row[i]).size() > kLong; });
    out.push_back(is_right_aligned(table.columns[i]) ? " class=\"n\""
                  : is_long                          ? " class=\"long\""
                                                     : "");
  }
  return out;
}

std::string head_html(const SiteTable& of, const Column& column, const std::string& kind,
                      const std::string& root) {
  const std::string metric = metric_of(column.name);
  std::string text = breakable_html(metric);
  if (metric != column.name) text += "<wbr>" + breakable_html(column.name.substr(metric.size()));
  if (const auto to = of.head_links.find(metric); to != of.head_links.end())
    text = anchor(root + to->second, text);
  if (of.doubtful.contains(metric)) text += " (!)";
  if (column.better == Better::kHigher) text += " <span title=\"higher is better\">↑</span>";
  if (column.better == Better::kLower) text += " <span title=\"lower is better\">↓</span>";
  return "<th scope=\"col\"" + kind + ">" + text + "</th>";
}

std::string cell_html(const SiteTable& of, std::size_t row, std::size_t column,
                      const std::string& root) {
  const Field& field = of.table.rows[row][column];
  const std::string text = human_text(field, of.table.columns[column]);
  if (const std::string to = target(of, row, column); !to.empty())
    return anchor(root + to, breakable_html(text));
  const std::string html = cited_html(text);
  return is_best(field) ? "<strong>" + html + "</strong>" : html;
}

std::string table_html(const SiteTable& of, const std::string& root, const std::string& json) {
  const Footnotes footnotes(of.table);
  const MergedNotes notes(footnotes.texts());
  const std::vector<bool> shared = shared_columns(of.table);
  const std::vector<std::string> classes = column_classes(of.table);
  const std::size_t names = naming_column(of);
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    html_text(of.caption) + "\"><table id=\"" + of.id + "\">" +
                    caption_html(of, shared, json) + "<thead><tr>";
  for (std::size_t i = 0; i < of.table.columns.size(); ++i)
    if (!shared[i]) out += head_html(of, of.table.columns[i], classes[i], root);
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < of.table.rows.size(); ++r) {
    const auto& row = of.table.rows[r];
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (shared[i]) continue;
      const std::string element = i == names ? "th" : "td";
      out += "<" + element + (i == names ? " scope=\"row\"" : "") + classes[i] + ">" +
             cell_html(of, r, i, root) + notes.marks(footnotes.marks(row[i])) + "</" + element +
             ">";
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  const auto texts = notes.texts();
  if (texts.empty()) return out;
  out += "<ol class=\"notes\">";
  for (const std::string& text : texts) out += "<li>" + html_text(text) + "</li>";
  return out + "</ol>\n";
}

}  // namespace

std::string SiteNames::of(const std::string& text) {
  if (const auto known = names_.find(text); known != names_.end()) return known->second;
  constexpr std::size_t kLongest = 80;
  std::string name;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
      name += c;
    else if (c >= 'A' && c <= 'Z')
      name += static_cast<char>(c - 'A' + 'a');
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name.size() == kLongest) break;
  }
  while (name.ends_with('-')) name.pop_back();
  if (name.empty()) name = "x";
  std::string out = name;
  for (int i = 2; !taken_.insert(out).second; ++i) out = name + "-" + std::to_string(i);
  return names_[text] = out;
}

Table without_empty_columns(const Table& table) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (std::ranges::any_of(table.rows, [i](const auto& row) {
          const auto* text = std::get_if<std::string>(&row[i]);
          return !std::holds_alternative<std::monostate>(row[i]) &&
                 (text == nullptr || !text->empty());
        }))
      names.push_back(table.columns[i].name);
  Table out = table;
  out.keep(names);
  return out;
}

Table without_column(const Table& table, const std::string& name) {
  std::vector<std::string> names;
  for (const Column& column : table.columns)
    if (column.name != name) names.push_back(column.name);
  Table out = table;
  out.keep(names);
  return out;
}

SitePage::SitePage(const SiteOptions& options, std::string path, std::string title)
    : options_(options), path_(std::move(path)), title_(std::move(title)) {
  for (auto depth = std::ranges::count(path_, '/'); depth > 0; --depth) root_ += "../";
}

SitePage& SitePage::add(std::string_view html) {
  body_ += html;
  return *this;
}

SitePage& SitePage::heading(const std::string& text) {
  return add("<h2>" + html_text(text) + "</h2>\n");
}

SitePage& SitePage::paragraph(const std::string& text) {
  return text.empty() ? *this : add("<p>" + html_text(text) + "</p>\n");
}

SitePage& SitePage::list(const std::string& kind, const std::vector<std::string>& items) {
  if (items.empty()) return *this;
  add("<ul class=\"" + kind + "\">");
  for (const std::string& item : items) add("<li>" + html_text(item) + "</li>");
  return add("</ul>\n");
}

SitePage& SitePage::table(const SiteTable& table, const std::string& json) {
  if (table.table.rows.empty()) return *this;
  std::string path = json;
  if (json.empty()) {
    path = json_of(path_, table.id);
    json_.emplace_back(path, to_text(table.table, Format::json));
  }
  return add(table_html(table, root_, to(path)));
}

std::string SitePage::to(const std::string& address) const { return root_ + address; }

std::string SitePage::link(const std::string& address, const std::string& text) const {
  return anchor(to(address), html_text(text));
}

std::string SitePage::json_of(const std::string& page, const std::string& table_id) {
  return page.substr(0, page.rfind('.')) + "." + table_id + ".json";
}

void SitePage::write(const SiteSink& sink) const {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'self'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
      "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>" +
      html_text(title_) + " - conoscope</title>\n<link rel=\"stylesheet\" href=\"" +
      to("style.css") +
      "\">\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>"
      "<nav aria-label=\"Site\"><ul>";
  for (const auto& [page, name] : {std::pair("index.html", "Leaderboards"),
                                   {"methods.html", "Methods"},
                                   {"metrics.html", "Metrics"}}) {
    out += "<li><a href=\"" + to(page) + "\"";
    if (path_ == page) out += " aria-current=\"page\"";
    out += std::string(">") + name + "</a></li>";
  }
  if (!options_.docs.empty()) {
    const bool is_relative = options_.docs.find(':') == std::string::npos;
    out +=
        "<li>" + anchor(is_relative ? to(options_.docs) : options_.docs, "Documentation") + "</li>";
  }
  out +=
      "</ul></nav>\n<form id=\"search\" role=\"search\" hidden><label for=\"find\">Search</label> "
      "<input type=\"search\" id=\"find\" autocomplete=\"off\" placeholder=\"method, metric, "
      "study\"></form></header>\n<p id=\"count\" role=\"status\"></p>\n<ul id=\"found\"></ul>\n"
      "<main id=\"main\">\n<h1>" +
      html_text(title_) + "</h1>\n" + body_ + "</main>\n<footer><p>Written by " +
      html_text(options_.report.made_by) +
      " from the scores of a store. Nothing here asks another host for anything.</p></footer>\n"
      "<script src=\"" +
      to("search.js") + "\"></script>\n<script src=\"" + to("site.js") + "\" data-root=\"" + root_ +
      "\"></script>\n</body>\n</html>\n";
  sink(path_, out);
  for (const auto& [path, text] : json_) sink(path, text);
}

}  // namespace conoscope::results
