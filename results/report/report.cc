// SPDX-License-Identifier: Apache-2.0
#include "results/report/report.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "results/formats/numbers.h"
#include "results/report/embedded.h"
#include "results/report/sections.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

const EmbeddedFile* find_file(std::string_view name) {
  for (const auto& file : embedded_files())
    if (file.name == name) return &file;
  return nullptr;
}

/// The bundle's scripts, in their order.
std::vector<const EmbeddedFile*> bundle() {
  std::vector<const EmbeddedFile*> out;
  for (const auto& file : embedded_files())
    if (file.name.ends_with(".min.js")) out.push_back(&file);
  return out;
}

/// sha256-... of a content-security policy.
std::string source_hash(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto nibble = [&hex](std::size_t i) -> unsigned {
    return static_cast<unsigned>(std::string_view("0123456789abcdef").find(hex[i]));
  };
  std::string out = "'sha256-";
  // Three hexadecimal digits are two of base 64; 64 of them leave one.
  std::size_t i = 0;
  for (; i + 3 <= hex.size(); i += 3) {
    const unsigned bits = nibble(i) << 8 | nibble(i + 1) << 4 | nibble(i + 2);
    out += kDigits[bits >> 6];
    out += kDigits[bits & 63];
  }
  return out + kDigits[nibble(i) << 2] + "='";
}

/// JSON inside a script element must not end it.
std::string script_text(std::string_view json) {
  std::string out;
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

bool is_null(const Field& field) { return std::holds_alternative<std::monostate>(field); }

std::string option(const std::string& value, const std::string& more = "") {
  return "<option value=\"" + html_text(value) + "\"" + more + ">" + html_text(value) + "</option>";
}

std::string select(const std::string& key, const std::string& label, const std::string& options) {
  return "<label>" + label + " <select data-key=" + key + ">" + options + "</select></label>\n";
}

/// The selectors: what the leaderboard has, in its own order.
std::string selectors(const ReportContext& context) {
  std::string runs, datasets, models, metrics;
  std::set<std::string> known_datasets, known_models;
  for (const ReportedRun& run : context.runs) {
    runs += option(run.label);
    if (run.metrics.empty()) continue;
    for (const Contest& contest : context.contests(run, run.metrics.front())) {
      if (known_datasets.insert(contest.dataset).second) datasets += option(contest.dataset);
      if (known_models.insert(contest.model).second) models += option(contest.model);
    }
  }
  for (const ReportedMetric& metric : context.metrics) {
    const bool bounded = !is_null(metric.low) && !is_null(metric.high);
    std::string more = bounded ? " data-bounded" : "";
    for (const auto& [name, end] : {std::pair("low", &metric.low), std::pair("high", &metric.high)})
      if (!is_null(*end))
        more += std::string(" data-") + name + "=" + shortest_text(std::get<double>(*end));
    for (const auto& [name, text] :
         {std::pair("unit", &metric.unit), std::pair("better", &metric.direction),
          std::pair("question", &metric.question)})
      more += std::string(" data-") + name + "=\"" + html_text(*text) + "\"";
    metrics += option(metric.name, more);
  }
  std::string out = "<form class=selectors aria-label=\"What the page shows\">\n";
  if (context.runs.size() > 1) out += select("run", "Run", runs);
  return out + select("dataset", "Dataset", datasets) + select("model", "Model", models) +
         select("metric", "Metric", metrics) +
         "<label>Scale <select id=scale data-key=scale><option value=\"\">as fits<option>linear"
         "<option>log</select></label>\n"
         "<label>Methods with <input type=search id=find autocomplete=off></label>\n"
         "<p id=question></p></form>\n";
}

void read_metrics(ReportContext& context) {
  const auto& order = context.options.metric_order;
  const auto place = [&order](const std::string& name) {
    return std::ranges::find(order, name) - order.begin();
  };
  const auto by_place = [&place](const std::string& a, const std::string& b) {
    return std::pair(place(a), a) < std::pair(place(b), b);
  };
  std::set<std::string, decltype(by_place)> names(by_place);
  for (ReportedRun& run : context.runs) {
    run.metrics = context.store.run_metrics(run.key);
    std::erase_if(run.metrics, [&context](const std::string& name) {
      // As explained_samples(sample=3), too.
      return std::ranges::find(context.options.summaries, name.substr(0, name.find('(')),
                               &SummaryShape::name) != context.options.summaries.end();
    });
    std::ranges::sort(run.metrics, by_place);
    names.insert(run.metrics.begin(), run.metrics.end());
  }
  Statement query(context.store.connection(),
                  "SELECT grp, direction, unit, question, citation, low, high FROM metric_key "
                  "WHERE metric = ?");
  for (const std::string& name : names) {
    if (!query.bind_all(name).step()) continue;
    const auto bound = [&query](int column) {
      return query.is_null(column) ? Field() : Field(query.real(column));
    };
    context.metrics.push_back({name, query.text(0), query.text(1), query.text(2), query.text(3),
                               query.text(4), bound(5), bound(6)});
  }
}

std::vector<ReportedRun> reported_runs(Store& store, const ReportOptions& options) {
  const auto runs = store.runs();
  if (runs.empty())
    throw StoreError(StoreProblem::not_found, store.path().string() + " holds no run yet");
  std::vector<ReportedRun> out;
  for (const auto& row : runs)
    if (options.runs.empty() ? row.key == runs.back().key
                             : std::ranges::find(options.runs, row.key) != options.runs.end())
      out.push_back({row.key, row.name, {}});
  for (ReportedRun& run : out)
    if (std::ranges::count(out, run.label, &ReportedRun::label) > 1)
      run.label += " " + run.key.substr(0, 8);
  return out;
}

std::string pictures_json() {
  std::string out = "{";
  for (const auto& file : embedded_files()) {
    const std::size_t end = file.name.find(".vl.json");
    if (end == file.name.npos) continue;
    out.append(out.size() > 1 ? ",\n" : "").append("\"").append(file.name.substr(0, end));
    out.append("\": ").append(file.text);
  }
  return out + ",\n\"theme\": " + std::string(embedded_text("theme.json")) + "}";
}

}  // namespace

const ReportedMetric& ReportContext::metric(const std::string& name) const {
  return *std::ranges::find(metrics, name, &ReportedMetric::name);
}

GroupKeys ReportContext::keys(const ReportedRun& run, const std::string& dataset,
                              const std::string& model, const std::string& metric_name) const {
  GroupKeys out;
  if (runs.size() > 1) out.emplace_back("run", run.label);
  if (!dataset.empty()) out.emplace_back("dataset", dataset);
  if (!model.empty()) out.emplace_back("model", model);
  if (!metric_name.empty()) out.emplace_back("metric", metric_name);
  return out;
}

std::vector<Contest> ReportContext::contests(const ReportedRun& run,
                                             const std::string& name) const {
  return results::contests(store, run.key, name, metric(name).direction);
}

std::string why_no_pictures() {
  return bundle().empty()
             ? "This conoscope was built without Vega, which draws them (CONOSCOPE_REPORT)."
             : "";
}

void write_report(Store& store, const ReportOptions& options, std::ostream& out) {
  PictureSheet sheet;
  ReportContext context{store, options, reported_runs(store, options), {}, sheet};
  read_metrics(context);
  std::vector<Section> sections;
  for (const auto make :
       {leaderboard_section, explained_section, difference_section, ladder_section,
        concept_count_section, matrix_section, intervention_section, encoding_section,
        spread_section, change_section, failure_section, overview_section, definition_section})
    if (Section section = make(context); !section.html.empty())
      sections.push_back(std::move(section));

  std::string names;
  for (const auto& run : context.runs) names += (names.empty() ? "" : ", ") + run.label;
  std::string scripts = source_hash(find_file("page.js")->sha256);
  for (const auto* file : bundle()) scripts += " " + source_hash(file->sha256);
  out << "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
         "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src "
      << scripts
      << "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action "
         "'none'\">\n"
         "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<title>"
      << html_text(names) << " - conoscope report</title>\n<style>\n"
      << embedded_text("page.css")
      << "</style>\n<noscript><style>tbody[data-metric] { display: table-row-group !important; "
         "}</style></noscript>\n</head>\n<body>\n<header>";
  if (!options.back.empty())
    out << "<p><a href=\"" << html_text(options.back) << "\">back to the study</a></p>\n";
  out << "<h1>" << html_text(names) << "</h1>\n<p>A report of " << html_text(options.made_by)
      << ". Everything is in this one file.</p>\n";
  if (const std::string why = why_no_pictures(); !why.empty())
    out << "<p id=no-pictures><strong>Without pictures:</strong> " << why << "</p>\n";
  if (sheet.full())
    out << "<p><strong>Some images are left out:</strong> the page would be too large. A report of "
           "fewer runs has them.</p>\n";
  out << "<nav aria-label=Sections><ul>";
  for (const Section& section : sections)
    out << "<li><a href=\"#" << section.id << "\">" << section.title << "</a>";
  out << "</ul></nav></header>\n" << selectors(context) << "<main>\n";
  for (const Section& section : sections)
    out << "<section id=" << section.id << " aria-labelledby=" << section.id
        << "-title><h2 id=" << section.id << "-title>" << section.title << "</h2>\n"
        << section.html << "</section>\n";
  if (!sheet.empty())
    out << "<svg id=images aria-hidden=true width=0 height=0>" << sheet.definitions() << "</svg>\n";
  out << "</main>\n";
  if (!bundle().empty())
    out << "<footer><details><summary>Licences of what draws the pictures</summary>"
        << pre_html(embedded_text("licences.txt")) << "</details></footer>\n";
  out << "<script type=\"application/json\" id=pictures>" << script_text(pictures_json())
      << "</script>\n";
  for (const auto* file : bundle()) out << "<script>" << file->text << "</script>\n";
  out << "<script>" << embedded_text("page.js") << "</script>\n</body>\n</html>\n";
}

}  // namespace conoscope::results
