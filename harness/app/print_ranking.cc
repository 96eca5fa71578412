#include <algorithm>
#include <iostream>

#include "harness/app/print_board.h"
#include "metrics/catalogue.h"
#include "results/analysis/verdict.h"
#include "results/boards/across.h"

namespace conoscope::app {

namespace {

constexpr std::size_t kColumns = 4;

bool is_about_explanations(std::string_view name) {
  const auto* metric = metrics::catalogue().metric(name);
  return metric != nullptr && std::find(metric->needs.begin(), metric->needs.end(),
                                        "explanation") != metric->needs.end();
}

/// What people look at first: ranked metrics in the catalogue's order, then those of plugins, and
/// what an explanation uses for all that.
std::vector<std::string> leading_metrics(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  const auto is_asked = [&asked](std::string_view name) {
    return std::find(asked.begin(), asked.end(), name) != asked.end();
  };
  for (const auto& metric : metrics::catalogue().metrics())
    if (metric.direction != metrics::Direction::kNone && is_asked(metric.name) &&
        out.size() < kColumns)
      out.emplace_back(metric.name);
  for (const auto& name : asked)
    if (metrics::catalogue().metric(name) == nullptr) out.push_back(name);
  if (out.empty()) out = asked;
  constexpr std::string_view kUsed = "effective_concepts";
  if (is_asked(kUsed) && std::find(out.begin(), out.end(), kUsed) == out.end() &&
      std::any_of(out.begin(), out.end(), is_about_explanations))
    out.emplace_back(kUsed);
  return out;
}

constexpr const char* kMark = "(!)";

/// The mark behind each column of a metric that fails its sanity ladders.
void mark(results::Table& table, const std::vector<results::Doubtful>& doubtful) {
  for (auto& column : table.columns)
    for (const auto& [metric, run] : doubtful) {
      // the metric itself, metric@control, or dataset's metric across
      const auto at = column.name.find(metric);
      if (at == std::string::npos) continue;
      const std::size_t end = at + metric.size();
      const auto apart = [](char c) { return c == '@' || c == ' ' || c == ':' || c == '/'; };
      if ((at == 0 || apart(column.name[at - 1])) &&
          (end == column.name.size() || apart(column.name[end])))
        column.name.insert(end, std::string(" ") + kMark);
    }
}

}  // namespace

void print_ranking(results::Store& store, const BoardRequest& request) {
  const bool across = request.kind == results::BoardKind::across;
  results::BoardOptions options = request.filters;
  options.controls = !across;
  if (options.metrics.empty() && !options.run.empty())
    options.metrics = leading_metrics(store.run_metrics(options.run));
  if (options.metrics.empty()) {
    std::cerr << "this run asks for no metric, so it has no leaderboard\n";
    return;
  }
  results::Table table = results::board(store, options);
  if (across) table = results::across_datasets(table);
  const auto doubtful = results::doubtful_metrics(store, options.metrics);
  if (results::for_people(request.format)) mark(table, doubtful);
  std::cout << results::to_text(table, request.format);
  for (const auto& [metric, run_key] : doubtful)
    std::cerr << kMark << ' ' << metric
              << " does not tell better from worse on the sanity ladders: `conoscope board sanity "
              << run_key.substr(0, 8) << " -m " << metric << "`\n";
}

}  // namespace conoscope::app
