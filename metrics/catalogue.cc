#include "metrics/catalogue.h"

#include <stdexcept>
#include <string>

#include "metrics/disentanglement/disentanglement_eval.h"
#include "metrics/disentanglement/posterior_eval.h"
#include "metrics/faithfulness/c_shap_eval.h"
#include "metrics/faithfulness/deletion.h"
#include "metrics/faithfulness/deletion_pixel.h"
#include "metrics/faithfulness/ice_eval.h"
#include "metrics/faithfulness/sae_eval.h"
#include "metrics/faithfulness/surf_catalogue.h"
#include "metrics/leakage/intervention_group.h"
#include "metrics/leakage/leakage.h"
#include "metrics/purity/purity.h"
#include "metrics/robustness/irs_eval.h"

namespace conoscope::metrics {

void Catalogue::add(MetricGroup new_group, std::vector<MetricInfo> new_metrics) {
  if (group(new_group.name) || metric(new_group.name))
    throw std::invalid_argument("Catalogue: the name " + std::string(new_group.name) + " is taken");
  for (const MetricInfo& info : new_metrics) {
    if (group(info.name) || metric(info.name))
      throw std::invalid_argument("Catalogue: the name " + std::string(info.name) + " is taken");
    if (info.group != new_group.name)
      throw std::invalid_argument("Catalogue: " + std::string(info.name) + " names group " +
                                  std::string(info.group) + ", not " + std::string(new_group.name));
    metrics_.push_back(info);
  }
  groups_.push_back(new_group);
}

const MetricInfo* Catalogue::metric(std::string_view name) const {
  for (const MetricInfo& info : metrics_)
    if (info.name == name) return &info;
  return nullptr;
}

const MetricGroup* Catalogue::group(std::string_view name) const {
  for (const MetricGroup& found : groups_)
    if (found.name == name) return &found;
  return nullptr;
}

std::vector<const MetricInfo*> Catalogue::select(std::string_view metric_or_group) const {
  std::vector<const MetricInfo*> selected;
  for (const MetricInfo& info : metrics_)
    if (info.name == metric_or_group || info.group == metric_or_group) selected.push_back(&info);
  return selected;
}

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue building;
    add_surf(building);
    add_ice_eval(building);
    add_c_shap_eval(building);
    add_sae_eval(building);
    add_deletion(building);
    add_deletion_pixel(building);
    add_purity(building);
    add_leakage(building);
    add_intervention(building);
    add_disentanglement(building);
    add_irs(building);
    add_posterior(building);
    return building;
  }();
  return all;
}

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::kLower:
      return "lower";
    case Direction::kHigher:
      return "higher";
    case Direction::kNone:
      break;
  }
  return "none";
}

}  // namespace conoscope::metrics
