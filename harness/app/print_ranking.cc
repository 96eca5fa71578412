#include <algorithm>
#include <iostream>
#include <optional>

#include "harness/app/print_board.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "results/analysis/equal_budget.h"
#include "results/analysis/verdict.h"
#include "results/boards/across.h"
#include "results/boards/asked.h"
#include "results/boards/status.h"

namespace conoscope::app {

namespace {

constexpr std::size_t kColumns = 4;

bool is_about_explanations(std::string_view name) {
  const auto* metric = metrics::catalogue().metric(name);
  return metric != nullptr && core::contains(metric->needs, "explanation");
}

/// What people look at first: ranked metrics in the order of the run file, then those of plugins, and
/// what an explanation uses for all that.
std::vector<std::string> leading_metrics(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const auto& name : asked)
    if (const auto* metric = metrics::catalogue().metric(name);
        metric != nullptr && metric->direction != metrics::Direction::kNone &&
        out.size() < kColumns)
      out.push_back(name);
  for (const auto& name : asked)
    if (metrics::catalogue().metric(name) == nullptr) out.push_back(name);
  if (out.empty()) out = asked;
  const std::string used = results::kUsedMetric;
  if (core::contains(asked, used) && !core::contains(out, used) &&
      std::any_of(out.begin(), out.end(), is_about_explanations))
    out.push_back(used);
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

using Row = std::vector<results::Field>;

std::size_t index_of(const results::Table& table, std::string_view name) {
  return static_cast<std::size_t>(
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const auto& column) { return column.name == name; }) -
      table.columns.begin());
}

const results::Estimate* number_in(const Row& row, std::size_t column) {
  const auto* estimate = std::get_if<results::Estimate>(&row[column]);
  return estimate != nullptr && estimate->n > 0 ? estimate : nullptr;
}

/// Rows that are ranked together: [begin, end) for each dataset and model.
std::vector<std::pair<std::size_t, std::size_t>> contests(const results::Table& board) {
  const std::size_t dataset = index_of(board, "dataset"), model = index_of(board, "model");
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t begin = 0, end; begin < board.rows.size(); begin = end) {
    for (end = begin + 1; end < board.rows.size(); ++end)
      if (std::get<std::string>(board.rows[end][dataset]) !=
              std::get<std::string>(board.rows[begin][dataset]) ||
          std::get<std::string>(board.rows[end][model]) !=
              std::get<std::string>(board.rows[begin][model]))
        break;
    out.emplace_back(begin, end);
  }
  return out;
}

/// Of each metric with a direction the best complete mean, and what equals it.
void mark_best(results::Table& board, const std::vector<std::string>& metrics,
               results::Store& store) {
  for (const auto& [begin, end] : contests(board))
    for (const std::string& metric : metrics) {
      const std::string direction = results::direction_of(store, metric);
      const std::size_t column = index_of(board, metric);
      if (direction == "none" || column == board.columns.size()) continue;
      std::optional<double> best;
      const auto complete = [&](std::size_t row) {
        const auto* number = number_in(board.rows[row], column);
        return number != nullptr && number->n == number->asked ? number : nullptr;
      };
      for (std::size_t r = begin; r < end; ++r)
        if (const auto* number = complete(r))
          if (!best || (direction == "higher" ? number->mean > *best : number->mean < *best))
            best = number->mean;
      for (std::size_t r = begin; r < end; ++r)
        if (const auto* number = complete(r); number != nullptr && number->mean == *best)
          std::get<results::Estimate>(board.rows[r][column]).best = true;
    }
}

/// A line for each control, at its mean over the explainers: who stands below it does no better than
/// chance.
void add_control_lines(results::Table& board, const std::string& metric,
                       const std::string& direction) {
  if (direction == "none") return;
  const std::size_t column = index_of(board, metric);
  std::vector<Row> rows;
  for (const auto& [begin, end] : contests(board)) {
    std::vector<Row> block(board.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                           board.rows.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t c = 0; c < board.columns.size(); ++c) {
      if (!board.columns[c].name.starts_with(metric + "@")) continue;
      results::Estimate mean;
      for (std::size_t r = begin; r < end; ++r)
        if (const auto* number = number_in(board.rows[r], c)) mean.mean += number->mean, ++mean.n;
      if (mean.n == 0) continue;
      mean.mean /= static_cast<double>(mean.n);
      mean.asked = mean.n;
      Row line(board.columns.size());
      line[index_of(board, "dataset")] = block[0][index_of(board, "dataset")];
      line[index_of(board, "model")] = block[0][index_of(board, "model")];
      line[index_of(board, "explainer")] =
          "-- " + board.columns[c].name.substr(metric.size() + 1) + " --";
      line[column] = mean;
      const auto stands_above = [&](const Row& row) {
        const auto* number = number_in(row, column);
        return number != nullptr &&
               (direction == "higher" ? number->mean >= mean.mean : number->mean <= mean.mean);
      };
      block.insert(std::find_if_not(block.begin(), block.end(), stands_above), std::move(line));
    }
    rows.insert(rows.end(), block.begin(), block.end());
  }
  board.rows = std::move(rows);
}

/// Why a run has no row under these metrics and filters.
std::string why_empty(results::Store& store, const results::BoardOptions& options) {
  if (options.run.empty()) return "no cell fits these filters";
  std::string text;
  const auto state = results::status(store, options.run).runs;
  for (const auto& row : state.rows)
    if (std::get<std::int64_t>(row[2]) == 0)
      text = "this run asks for no cell: none of its combinations fits (`conoscope plan` says why)";
  return text.empty() ? "no cell of this run fits these filters" : text;
}

}  // namespace

bool print_ranking(results::Store& store, const BoardRequest& request) {
  const bool across = request.kind == results::BoardKind::across;
  results::BoardOptions options = request.filters;
  options.controls = !across;
  if (options.metrics.empty() && !options.run.empty())
    options.metrics = leading_metrics(store.run_metrics(options.run));
  if (options.metrics.empty()) {
    std::cerr << "this run asks for no metric, so it has no leaderboard\n";
    return false;
  }
  results::Table table = results::board(store, options);
  if (table.rows.empty()) {
    std::cerr << "nothing to show: " << why_empty(store, options) << '\n';
    return false;
  }
  for (auto& column : table.columns) column.tiny = request.tiny;
  if (request.bold) mark_best(table, options.metrics, store);
  if (across)
    table = results::across_datasets(table);
  else if (results::for_people(request.format))
    add_control_lines(table, options.metrics[0], results::direction_of(store, options.metrics[0]));
  if (!request.pareto.empty()) results::mark_pareto(table, request.pareto);
  const auto doubtful = results::doubtful_metrics(store, options.metrics);
  if (results::for_people(request.format)) mark(table, doubtful);
  std::cout << results::to_text(table, request.format);
  for (const auto& [metric, run_key] : doubtful)
    std::cerr << kMark << ' ' << metric
              << " does not tell better from worse on the sanity ladders: `conoscope board sanity "
              << run_key.substr(0, 8) << " -m " << metric << "`\n";
  return true;
}

}  // namespace conoscope::app
