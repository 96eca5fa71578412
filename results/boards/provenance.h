// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

/// A component of a cell, as an attempt used it.
struct UsedComponent {
  std::string key, sha256;  ///< of the component, of its plugin's file; empty: there is none
};

/// What an attempt at a cell was made of.
struct Provenance {
  UsedComponent dataset, model, explainer;
  std::int64_t seed = 0;
  std::string control = "none";
  std::string environment, binaries;  ///< where it was made, and by which files
};

/// Of every attempt: those that count first, and of these the newest.
std::vector<Provenance> provenances(Store& store, const std::string& cell);

/// The cells, without controls, that a component_filter() of explainers fits, in a run (key; empty:
/// any), by dataset, model, explainer and seed.
std::vector<std::string> cells_explained_by(Store& store, const std::string& run,
                                            const std::string& explainers);

}  // namespace conoscope::results
