// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/sweep.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "results/boards/bind_score_filter.h"
#include "results/boards/run_metrics.h"
#include "results/store/names.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

/// What all explainers of a sweep share. The rest: parameters without the count.
struct Method {
  std::string dataset_key, model_key, plugin_id, version, rest;
  auto operator<=>(const Method&) const = default;
};

struct Points {
  std::string dataset, model;
  std::set<std::string> names;  ///< of the explainers, without the count
  std::map<std::int64_t, ScoresAtK> by_k;
};

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// kmeans(k=3,n_init=2) without k=3 is kmeans(n_init=2); a name of the user's own stays.
std::string without(const std::string& name, const std::string& item) {
  const auto open = name.find('(');
  if (open == std::string::npos || name.back() != ')') return name;
  std::string inside = "," + name.substr(open + 1, name.size() - open - 2) + ",";
  const auto at = inside.find("," + item + ",");
  if (at == std::string::npos) return name;
  inside.erase(at, item.size() + 1);
  const std::string start = name.substr(0, open);
  return inside.size() < 3 ? start : start + "(" + inside.substr(1, inside.size() - 2) + ")";
}

/// Empty: it has none.
std::string count_parameter(const SweepOptions& options, const std::string& plugin) {
  if (!options.count_parameter.empty()) return options.count_parameter;
  const auto found = options.count_parameters.find(plugin);
  return found == options.count_parameters.end() ? "" : found->second;
}

using Found = std::map<Method, Points>;

void read(Store& store, const SweepOptions& options, const std::string& metric, Found& found) {
  Statement& query = store.connection().kept(query_text("sweep"));
  bind_score_filter(query, options, metric);
  while (query.step()) {
    const auto params = read_params(query.text(7));
    if (!params) continue;
    const std::string count = count_parameter(options, query.text(5));
    std::optional<std::int64_t> k;
    std::string rest, item;
    for (const auto& [name, value] : *params) {
      if (name != count) {
        rest.append(rest.empty() ? "" : ";").append(name).append("=").append(value);
        continue;
      }
      k = whole_number(value);
      item = name + "=" + value;
    }
    if (!k) continue;
    Points& points =
        found[{query.text(1), query.text(3), query.text(5), query.text(6), std::move(rest)}];
    points.dataset = query.text(0);
    points.model = query.text(2);
    points.names.insert(without(query.text(4), item));
    ScoresAtK& at = points.by_k[*k];
    at.k = *k;
    ++at.asked;
    if (!query.is_null(9)) at.by_seed[query.integer(8)] = query.real(9);
  }
  query.reset();
}

/// A name that no other method of the table has.
class MethodNames {
 public:
  void note(const Method& method, const Points& points) {
    names_[method] = points.names.size() == 1 ? *points.names.begin() : method.plugin_id;
  }
  std::string of(const Method& method) const {
    const std::string& name = names_.at(method);
    bool other_version = false, other_rest = false;
    for (const auto& [other, its_name] : names_)
      if (its_name == name && other.dataset_key == method.dataset_key &&
          other.model_key == method.model_key) {
        other_version = other_version || other.version != method.version;
        other_rest = other_rest || other.rest != method.rest;
      }
    return name + (other_version ? "@" + method.version : "") +
           (other_rest ? "{" + method.rest + "}" : "");
  }

 private:
  std::map<Method, std::string> names_;
};

}  // namespace

std::optional<Params> read_params(const std::string& params) {
  Params out;
  std::size_t at = 0;
  while (at < params.size()) {
    const auto equals = params.find('=', at);
    if (equals == std::string::npos) return std::nullopt;
    std::size_t end = equals + 1;
    bool quoted = false;  // a text may hold a semicolon, and quotes behind a backslash
    for (; end < params.size() && (quoted || params[end] != ';'); ++end) {
      if (params[end] == '"') quoted = !quoted;
      if (quoted && params[end] == '\\') ++end;
    }
    if (quoted) return std::nullopt;
    out.emplace_back(params.substr(at, equals - at), params.substr(equals + 1, end - equals - 1));
    at = end + 1;
  }
  return out;
}

std::vector<Sweep> sweeps(Store& store, const SweepOptions& options) {
  std::vector<Found> found;
  Names datasets(store), models(store);
  MethodNames methods;
  for (const std::string& metric : options.metrics) {
    require_asked(store, options.run, metric);
    read(store, options, metric, found.emplace_back());
    std::erase_if(found.back(), [](const auto& entry) { return entry.second.by_k.size() < 2; });
    for (const auto& [method, points] : found.back()) {
      datasets.note(method.dataset_key, points.dataset);
      models.note(method.model_key, points.model);
      methods.note(method, points);
    }
  }
  using Order = std::tuple<std::string, std::string, std::string, std::size_t>;
  std::map<Order, std::vector<Sweep>> sorted;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (auto& [method, points] : found[i]) {
      Sweep sweep;
      sweep.dataset = datasets.of(method.dataset_key, points.dataset);
      sweep.model = models.of(method.model_key, points.model);
      sweep.method = methods.of(method);
      sweep.metric = options.metrics[i];
      sweep.direction = direction_of(store, sweep.metric);
      for (auto& [k, scores] : points.by_k) sweep.points.push_back(std::move(scores));
      sorted[{std::get<std::string>(sweep.dataset), std::get<std::string>(sweep.model),
              sweep.method, i}]
          .push_back(std::move(sweep));
    }
  std::vector<Sweep> out;
  for (auto& [order, group] : sorted)
    for (Sweep& sweep : group) out.push_back(std::move(sweep));
  return out;
}

}  // namespace conoscope::results
