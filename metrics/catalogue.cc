#include "metrics/catalogue.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/declarations.h"

namespace conoscope::metrics {

bool Catalogue::is_group(std::string_view name) const {
  return std::find(groups_.begin(), groups_.end(), name) != groups_.end();
}

void Catalogue::add(std::vector<Metric> metrics) {
  for (Metric& added : metrics) {
    if (is_group(added.name) || metric(added.name) || metric(added.group))
      throw std::invalid_argument("Catalogue: the name " + added.name + " of group " +
                                  std::string(added.group) + " is taken");
    if (!is_group(added.group)) groups_.push_back(added.group);
    metrics_.push_back(std::move(added));
  }
}

const Metric* Catalogue::metric(std::string_view name) const {
  for (const Metric& known : metrics_)
    if (known.name == name) return &known;
  return nullptr;
}

std::vector<const Metric*> Catalogue::select(std::string_view metric_or_group) const {
  std::vector<const Metric*> selected;
  for (const Metric& known : metrics_)
    if (known.name == metric_or_group || known.group == metric_or_group) selected.push_back(&known);
  return selected;
}

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue building;
    for (const Declaration declare : declarations()) building.add(declare());
    return building;
  }();
  return all;
}

}  // namespace conoscope::metrics
