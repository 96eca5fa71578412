// SPDX-License-Identifier: Apache-2.0
#include "results/site/site.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/site/site_page.h"
#include "tests/results/sample.h"

using namespace conoscope;
using Json = nlohmann::ordered_json;

namespace {

using Files = std::map<std::string, std::string>;

results::SiteOptions options_for(results::Store& store) {
  results::SiteOptions out;
  out.report.made_by = "conoscope of a test";
  out.report.metric_order = {"a", "b"};
  out.docs = "../index.html";
  out.metric_facts = [](const std::string&) { return results::Table(); };
  out.board = [&store](const results::RunRow& run) -> results::SiteBoard {
    const auto metrics = store.run_metrics(run.key);
    return {results::board(store, {.run = run.key, .metrics = metrics, .controls = true}),
            metrics.front()};
  };
  return out;
}

Files site_of(results::Store& store, const results::SiteOptions& options) {
  Files out;
  results::write_site(store, options, [&out](const std::string& path, std::string_view text) {
    CHECK_MESSAGE(out.emplace(path, text).second, path, " is written twice");
  });
  return out;
}

Files site_of(results::Store& store) { return site_of(store, options_for(store)); }

/// A study of three explainers under a control; the scores are the place of the explainer and the seed.
void add_study(results::Store& store, const std::string& run, const std::string& name, int created,
               const std::vector<std::string>& explainers = {"e", "f", "g"},
               const std::vector<results::MetricKeyRow>& metrics = {sample::metric("a"),
                                                                    sample::metric("b", "lower")}) {
  std::vector<results::ComponentRow> components = {sample::component("dataset", "d"),
                                                   sample::component("model", "m")};
  std::vector<results::CellRow> cells;
  for (const std::string& explainer : explainers) {
    components.push_back(sample::component("explainer", explainer));
    for (const char* control : {"none", "random_concepts"})
      for (int seed = 1; seed <= 3; ++seed)
        cells.push_back(sample::cell("d", "m", explainer, seed, control));
  }
  store.add_environment(sample::kHere);
  store.register_run({run, name, "# A study of " + run + ".\n# Then: more\n", sample::at(created)},
                     components, cells, metrics);
  int number = 0;
  for (const results::CellRow& cell : cells) {
    ++number;
    std::vector<results::ScoreRow> scores;
    for (const auto& metric : metrics)
      scores.push_back(results::score_row(
          metric.metric, 0.01 * number + 0.001 * static_cast<double>(cell.seed * cell.seed)));
    store.record(sample::attempt(run + std::to_string(number), cell.key, created + number,
                                 results::Status::ok, run),
                 scores);
  }
}

results::Store empty_store() { return results::Store::open(":memory:", results::Mode::kReadWrite); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// The text of HTML.
std::string text_of_html(const std::string& html) {
  std::string out = std::regex_replace(html, std::regex("<[^>]*>"), "");
  for (const auto& [what, by] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    out = replaced(out, what, by);
  return out;
}

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it)
    out.push_back((*it)[1]);
  return out;
}

/// The pieces that begin with one of these texts and go on to the next `end`; of each what stands behind
/// the first `>`.
std::vector<std::string> elements(const std::string& html, const std::string& begin,
                                  const std::string& end) {
  std::vector<std::string> out;
  for (std::size_t at = html.find(begin); at != html.npos; at = html.find(begin, at)) {
    const std::size_t inside = html.find('>', at) + 1, over = html.find(end, inside);
    out.push_back(html.substr(inside, over - inside));
    at = over;
  }
  return out;
}

/// What a page says of another place, as a path below the root; empty: outside of the site.
std::string resolved(const std::string& page, const std::string& link) {
  const std::string path = link.substr(0, link.find('#'));
  if (path.empty()) return page;
  return (std::filesystem::path(page).parent_path() / path).lexically_normal().generic_string();
}

std::string without_scripts(std::string html) {
  for (std::size_t begin = html.find("<script"); begin != html.npos; begin = html.find("<script"))
    html.erase(begin, html.find("</script>", begin) + 9 - begin);
  return html;
}

/// A number as people read it is the one that programs read, to its last digit.
///
/// up  it is rounded away from 0
bool is_number_of(const std::string& text, double value, bool up = false) {
  char* end = nullptr;
  const double shown = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return false;
  const std::string digits = text.substr(0, static_cast<std::size_t>(end - text.c_str()));
  const std::size_t e = digits.find('e'), point = digits.find('.');
  const double exponent = e == digits.npos ? 0.0 : std::atof(digits.c_str() + e + 1);
  const double decimals =
      point == digits.npos ? 0.0 : static_cast<double>(std::min(e, digits.size()) - point - 1);
  const double unit = std::pow(10.0, exponent - decimals), over = (shown - value) / unit;
  return up ? over >= -1e-6 && over <= 1.0 : std::abs(over) <= 0.501;
}

void check_cell(const std::string& head, const std::string& cell, const Json& row) {
  INFO(head << ": " << cell << " | " << row.dump());
  if (row.contains(head + "_asked") && !row.contains(head)) {
    CHECK(cell == std::to_string(row[head + "_n"].get<int>()) + "/" +
                      std::to_string(row[head + "_asked"].get<int>()));
    return;
  }
  REQUIRE(row.contains(head));
  const Json& value = row[head];
  if (value.is_null())
    CHECK(cell == "-");
  else if (value.is_number())
    CHECK(is_number_of(cell, value.get<double>(), head.starts_with("mrd") || head == "mde"));
  else
    CHECK(cell == value.get<std::string>());
}

/// Every table of the page against the JSON that it links to.
std::size_t check_tables(const Files& files, const std::string& path) {
  std::size_t tables = 0;
  for (const std::string& html : elements(files.at(path), "<table", "</table>")) {
    const auto links = found(html, "class=\"json\" href=\"([^\"]*)\"");
    REQUIRE(links.size() == 1);
    const std::string json_path = resolved(path, links[0]);
    REQUIRE_MESSAGE(files.contains(json_path), json_path);
    const Json json = Json::parse(files.at(json_path));
    std::vector<std::string> heads;
    for (const std::string& head : elements(html, "<th scope=\"col\"", "</th>"))
      heads.push_back(std::regex_replace(text_of_html(head), std::regex("( \\(!\\)| ↑| ↓)"), ""));
    const auto rows = elements(html.substr(html.find("<tbody>")), "<tr>", "</tr>");
    REQUIRE(rows.size() == json.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto cells =
          elements(replaced(replaced(rows[r], "<th", "<td"), "</th>", "</td>"), "<td", "</td>");
      REQUIRE(cells.size() == heads.size());
      for (std::size_t c = 0; c < cells.size(); ++c)
        check_cell(heads[c], text_of_html(cells[c]), json[r]);
    }
    ++tables;
  }
  return tables;
}

}  // namespace

TEST_CASE("a site has a page for each study, method and metric, and a report") {
  auto store = empty_store();
  add_study(store, "run1", "quick", 0);
  const Files files = site_of(store);
  for (const char* path :
       {"index.html", "methods.html", "metrics.html", "style.css", "site.js", "search.js",
        "study/quick.html", "study/quick.board.json", "report/quick.html", "explainer/e.html",
        "explainer/f.html", "explainer/g.html", "metric/a.html", "metric/b.html"})
    CHECK_MESSAGE(files.contains(path), path);
  const std::string& front = files.at("index.html");
  CHECK(front.find("<p>A study of run1.</p>") != front.npos);
  CHECK(front.find("3 methods by 2 metrics in one study") != front.npos);
  // Its twins, which scored more.
  CHECK(text_of_html(files.at("explainer/e.html")).find("score@random_concepts") !=
        std::string::npos);
  CHECK(files.at("report/quick.html").find("href=\"../study/quick.html\"") != std::string::npos);
}

TEST_CASE("a study is the newest run of its name") {
  auto store = empty_store();
  add_study(store, "older", "quick", 0, {"e"});
  add_study(store, "newer", "quick", 500, {"f"});
  const Files files = site_of(store);
  CHECK(files.contains("explainer/f.html"));
  CHECK_FALSE(files.contains("explainer/e.html"));
  CHECK(files.at("study/quick.html").find("A study of newer.") != std::string::npos);
}

TEST_CASE("every link of a site leads to a file of it, and nothing is loaded from elsewhere") {
  auto store = empty_store();
  add_study(store, "run1", "quick", 0);
  add_study(store, "run2", "another one", 500);
  const Files files = site_of(store);
  std::size_t links = 0;
  for (const auto& file : files) {
    const std::string &path = file.first, &text = file.second;
    if (!path.ends_with(".html")) continue;
    CAPTURE(path);
    const std::string html = without_scripts(text);
    for (const std::string& link : found(html, "href=\"([^\"]*)\"")) {
      const std::string to = resolved(path, link);
      CAPTURE(link);
      CHECK((to == "../index.html" || files.contains(to)));
      ++links;
    }
    for (const std::string& source :
         found(text.substr(0, text.find("<script>")), "src=\"([^\"]*)\""))
      CHECK(files.contains(resolved(path, source)));
    CHECK(text.find("default-src 'none'") != text.npos);
  }
  CHECK(links > 100);
}

TEST_CASE("every table of a site has its JSON beside it, with the same rows and numbers") {
  auto store = empty_store();
  add_study(store, "run1", "quick", 0);
  const Files files = site_of(store);
  std::size_t tables = 0;
  for (const auto& [path, text] : files)
    if (path.ends_with(".html") && !path.starts_with("report/"))
      tables += check_tables(files, path);
  CHECK(tables >= 15);
  const Json board = Json::parse(files.at("study/quick.board.json"));
  REQUIRE(board.size() == 3);
  CHECK(board[0]["explainer"] == "g");  // its scores are the highest, and a is better so
  CHECK(board[0]["rank"] == 1);
}

TEST_CASE("a wrong number in a table would be noticed") {
  CHECK(is_number_of("0.3010 ± 0.1", 0.30104));
  CHECK_FALSE(is_number_of("0.3011 ± 0.1", 0.30104));
  CHECK(is_number_of("3.857e-16", 3.8567e-16));
  CHECK_FALSE(is_number_of("3.857e-15", 3.8567e-16));
  CHECK_FALSE(is_number_of("-", 0.0));
  CHECK(is_number_of("0.049", 0.04848, true));
  CHECK_FALSE(is_number_of("0.048", 0.04848, true));
}

TEST_CASE("names of every kind stay text, and files of the site stay in it") {
  const std::string script = "<script>alert(1)</script>", image = "\"><img src=x onerror=alert(1)>";
  auto store = empty_store();
  auto metric = sample::metric("../" + script);
  metric.question = image;
  metric.citation = "</style>" + script;
  add_study(store, "run1", "../../" + script, 0, {image, "..", "E", "e"}, {metric});
  add_study(store, "run2", "..", 500, {"/etc/passwd"}, {metric});
  const Files files = site_of(store);
  const std::regex plain("[a-z0-9_/-]+(\\.[a-z0-9-]+)?\\.(html|json|js|css)");
  std::set<std::string> lower;
  for (const auto& file : files) {
    const std::string &path = file.first, &text = file.second;
    CHECK_MESSAGE(std::regex_match(path, plain), path);
    CHECK_MESSAGE(path.find("..") == path.npos, path);
    CHECK(lower.insert(path).second);
    if (!path.ends_with(".html")) continue;
    CAPTURE(path);
    const std::string html = without_scripts(text);
    CHECK(html.find("alert(1)</script>") == html.npos);
    CHECK(html.find("<img") == html.npos);
  }
  CHECK(text_of_html(files.at("metrics.html")).find("../" + script) != std::string::npos);
  CHECK(text_of_html(files.at("methods.html")).find(image) != std::string::npos);
  CHECK(text_of_html(files.at("index.html")).find("../../" + script) != std::string::npos);
  CHECK(files.at("search.js").starts_with("const conoscopePages = ["));
}

TEST_CASE("equal stores give equal sites") {
  const auto made = [](bool other_order) {
    auto store = empty_store();
    if (other_order) add_study(store, "run2", "another", 500);
    add_study(store, "run1", "quick", 0);
    if (!other_order) add_study(store, "run2", "another", 500);
    return site_of(store);
  };
  CHECK(made(false) == made(true));
}

TEST_CASE("the search knows every page, as a script that holds JSON") {
  auto store = empty_store();
  add_study(store, "run1", "quick", 0);
  const Files files = site_of(store);
  std::string script = files.at("search.js");
  script = script.substr(script.find('['));
  const Json pages = Json::parse(script.substr(0, script.rfind(']') + 1));
  CHECK(pages.size() == 6);
  for (const Json& page : pages) CHECK(files.contains(page["page"].get<std::string>()));
}

TEST_CASE("names of files are told apart whatever their texts are") {
  results::SiteNames names;
  CHECK(names.of("ois(hidden=64)") == "ois-hidden-64");
  CHECK(names.of("ois(hidden=64)") == "ois-hidden-64");
  CHECK(names.of("ois hidden 64") == "ois-hidden-64-2");
  CHECK(names.of("OIS hidden 64") == "ois-hidden-64-3");
  CHECK(names.of("..") == "x");
  CHECK(names.of("") == "x-2");
  CHECK(names.of(std::string(500, 'a')) == std::string(80, 'a'));
}

TEST_CASE("a study without scores has its page, and says so") {
  auto store = empty_store();
  sample::ask(store);
  const Files files = site_of(store);
  CHECK(files.contains("study/name-of-run.html"));
  CHECK(files.at("study/name-of-run.html").find("What was run") != std::string::npos);
}

TEST_CASE("a store without a run makes no site") {
  auto store = empty_store();
  CHECK(sample::problem_of([&store] { site_of(store); }) == "not_found");
}
