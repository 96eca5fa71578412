// SPDX-License-Identifier: Apache-2.0
#include "results/report/page.h"

#include <cmath>
#include <regex>
#include <stdexcept>

#include "results/formats/human_text.h"
#include "results/formats/json.h"
#include "results/formats/utf8.h"

namespace conoscope::results {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

/// In single quotes: JSON is full of the others.
std::string attribute(std::string_view json) {
  std::string out = "'";
  for (const char c : json) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out + "'";
}

std::string key_attributes(const GroupKeys& keys) {
  std::string out;
  for (const auto& [name, value] : keys)
    out.append(" data-").append(name).append("=\"").append(html_text(value)).append("\"");
  return out;
}

}  // namespace

std::string html_text(std::string_view text) { return escaped(printable(text)); }

std::string breakable_html(std::string_view text) {
  constexpr std::string_view kBehind = "_,/=";
  constexpr int kLongest = 32;
  const std::string shown = printable(text);
  std::string out, piece;
  int run = 0;
  for (std::string_view rest = shown; !rest.empty();) {
    const char32_t c = take_character(rest);
    piece.clear();
    append_character(piece, c);
    out += escaped(piece);
    run = c == ' ' ? 0 : run + 1;
    if (run < kLongest && (c > 127 || kBehind.find(static_cast<char>(c)) == kBehind.npos)) continue;
    out += "<wbr>";
    run = 0;
  }
  return out;
}

std::string cited_html(const std::string& text) {
  static const std::regex known(R"((10\.\d{4,9}/[^\s,;]*[^\s,;.])|arXiv:? ?(\d{4}\.\d{4,5}))");
  std::string out;
  auto last = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), known), end; it != end; ++it) {
    out += breakable_html(std::string(last, (*it)[0].first));
    const bool is_doi = (*it)[1].matched;
    out += "<a href=\"" +
           html_text((is_doi ? "https://doi.org/" : "https://arxiv.org/abs/") +
                     (*it)[is_doi ? 1 : 2].str()) +
           "\" rel=noreferrer>" + breakable_html((*it)[0].str()) + "</a>";
    last = (*it)[0].second;
  }
  return out + breakable_html(std::string(last, text.end()));
}

std::string pre_html(std::string_view text) {
  std::string out = "<pre>";
  while (!text.empty()) {  // html_text would show line ends
    const auto end = text.find('\n');
    out += html_text(text.substr(0, end)) + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out + "</pre>";
}

void JsonObject::key(std::string_view name) {
  fields_.append(fields_.empty() ? "\"" : ",\"").append(name).append("\":");
}

JsonObject& JsonObject::add(std::string_view name, const Field& value) {
  key(name);
  // Names look the same in a picture as in its table.
  if (const auto* text = std::get_if<std::string>(&value))
    fields_ += json_field(printable(*text));
  else
    fields_ += json_field(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, const std::vector<JsonObject>& values) {
  key(name);
  fields_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) fields_ += (i ? "," : "") + values[i].text();
  fields_ += ']';
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, const std::vector<double>& values) {
  key(name);
  fields_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) fields_ += (i ? "," : "") + json_field(values[i]);
  fields_ += ']';
  return *this;
}

JsonObject& JsonObject::add(const Estimate& estimate) {
  return add("mean", estimate.mean)
      .add("low", low_end(estimate))
      .add("high", high_end(estimate))
      .add("text", human_text(estimate));
}

PageTable::PageTable(std::string id, std::string caption, std::vector<PageColumn> columns)
    : id_(std::move(id)), caption_(std::move(caption)), columns_(std::move(columns)) {}

void PageTable::group(const GroupKeys& keys) {
  if (open_) body_ += "</tbody>\n";
  open_ = true;
  body_ += "<tbody" + key_attributes(keys) + ">\n";
}

void PageTable::add(const std::vector<PageCell>& cells, const JsonObject& data) {
  if (cells.size() != columns_.size())
    throw std::invalid_argument("PageTable: " + id_ + " has " + std::to_string(columns_.size()) +
                                " columns, a row " + std::to_string(cells.size()));
  if (!open_) group({});
  ++rows_;
  const std::string json = data.text();
  body_ += json == "{}" ? "<tr>" : "<tr data-row=" + attribute(json) + ">";
  for (std::size_t i = 0; i < cells.size(); ++i)
    body_ +=
        (columns_[i].method  ? "<th scope=row>"
         : cells[i].goodness ? "<td class=judged style=\"--good:" +
                                   std::to_string(std::lround(100.0 * *cells[i].goodness)) + "%\">"
                             : "<td>") +
        (cells[i].cites ? cited_html(cells[i].text) : breakable_html(cells[i].text));
  body_ += "</tr>\n";
}

std::string PageTable::html() const {
  std::string out =
      "<div class=scroll tabindex=0 role=region aria-label=\"" + html_text(caption_) + "\">";
  out += "<table id=\"" + id_ + "\"><caption>" + html_text(caption_) + "</caption>\n<thead><tr>";
  for (const PageColumn& column : columns_) {
    out += "<th scope=col";
    if (!column.by.empty()) out += " data-by=\"" + html_text(column.by) + "\"";
    out += ">" + html_text(column.title);
  }
  return out + "\n</thead>\n" + body_ + (open_ ? "</tbody>" : "") + "</table></div>\n";
}

std::string PageTable::folded_html() const {
  return "<details><summary>" + html_text(caption_) + "</summary>\n" + html() + "</details>\n";
}

void PageDrawings::add(const GroupKeys& keys, const std::string& method, const std::string& name,
                       const std::string& html) {
  body_ += "<div class=drawing hidden" + key_attributes(keys) + " data-method=\"" +
           html_text(method) + "\" data-name=\"" + html_text(name) + "\">\n" + html + "</div>\n";
}

std::string PageDrawings::html() const {
  return "<div class=drawings id=\"" + id_ + "\" data-choice=\"" + choice_ + "\">\n" + body_ +
         "</div>\n";
}

std::string figure_html(std::string_view picture, std::string_view table, std::string_view name) {
  if (name.empty()) name = table.substr(0, table.rfind("-table"));
  std::string out = "<figure id=\"picture-";
  out.append(name).append("\" data-picture=\"").append(picture);
  return out.append("\" data-table=\"").append(table).append("\"></figure>\n");
}

std::string part_html(const char* title, const char* words, const std::string& figure,
                      const PageTable& table) {
  if (table.empty()) return {};
  return std::string("<div class=part><h3>") + title + "</h3>\n<p>" + words + "</p>\n" + figure +
         table.folded_html() + "</div>\n";
}

std::string figure_of_one_html(std::string_view picture, std::string_view table,
                               std::string_view name) {
  std::string out = figure_html(picture, table, name);
  return out.insert(out.find(" data-picture"), " data-one");
}

}  // namespace conoscope::results
