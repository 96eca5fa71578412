#include "metrics/catalogue.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/r4.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/disentanglement/vae_scores.h"
#include "metrics/faithfulness/deletion/deletion_concept.h"
#include "metrics/faithfulness/deletion/deletion_pixel.h"
#include "metrics/faithfulness/deletion/deletion_position.h"
#include "metrics/faithfulness/deletion/deletion_weight.h"
#include "metrics/faithfulness/surf/surf.h"
#include "metrics/faithfulness/surrogates/c_shap_eval.h"
#include "metrics/faithfulness/surrogates/completeness.h"
#include "metrics/faithfulness/surrogates/ice_eval.h"
#include "metrics/faithfulness/surrogates/plausibility.h"
#include "metrics/faithfulness/surrogates/sae_downstream_ce.h"
#include "metrics/faithfulness/surrogates/sae_downstream_kl.h"
#include "metrics/faithfulness/surrogates/sae_reconstruction_error.h"
#include "metrics/leakage/accuracy.h"
#include "metrics/leakage/ctl_icl.h"
#include "metrics/leakage/embedding_information.h"
#include "metrics/leakage/intervention.h"
#include "metrics/leakage/s_int.h"
#include "metrics/posterior/kl.h"
#include "metrics/posterior/reconstruction_loss.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "metrics/robustness/irs_matrix.h"

namespace conoscope::metrics {

namespace {

/// All declarations, in the order of the boards.
constexpr std::vector<Metric> (*kDeclarations[])() = {
    declare::surf,
    declare::ice_eval,
    declare::c_shap_eval,
    declare::sae_reconstruction_error,
    declare::sae_downstream_kl,
    declare::sae_downstream_ce,
    declare::plausibility,
    declare::completeness,
    declare::deletion_concept,
    declare::deletion_weight,
    declare::deletion_position,
    declare::deletion_pixel,
    // purity
    declare::ois,
    declare::nis,
    // leakage
    declare::ctl_icl,
    declare::embedding_information,
    declare::accuracy,
    // intervention
    declare::intervention,
    declare::s_int,
    // disentanglement
    declare::mig,
    declare::modularity,
    declare::sap,
    declare::explicitness,
    declare::dci,
    declare::r4,
    declare::vae_scores,
    declare::irs,
    // posterior
    declare::kl,
    declare::reconstruction_loss,
};

}  // namespace

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
    for (const auto declare : kDeclarations) building.add(declare());
    return building;
  }();
  return all;
}

}  // namespace conoscope::metrics
