#include "harness/app/print_board.h"

#include <algorithm>
#include <iostream>

#include "metrics/catalogue.h"
#include "results/across.h"

namespace conoscope::app {

namespace {

constexpr std::size_t kColumns = 4;

/// What people look at first: ranked metrics in the catalogue's order, then those of plugins.
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
  return out;
}

}  // namespace

void print_board(results::Store& store, const std::string& run, std::vector<std::string> metrics,
                 const results::BoardOptions& filters, results::Format format, bool across) {
  results::BoardOptions options = filters;
  options.run = run;
  options.controls = !across;
  if (metrics.empty() && !run.empty()) metrics = leading_metrics(store.run_metrics(run));
  if (metrics.empty()) {
    std::cerr << "this run asks for no metric, so it has no leaderboard\n";
    return;
  }
  options.metrics = std::move(metrics);
  const results::Table table = results::board(store, options);
  std::cout << results::to_text(across ? results::across_datasets(table) : table, format);
}

}  // namespace conoscope::app
