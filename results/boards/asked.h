#pragma once

#include <string>

#include "results/store/store.h"

namespace conoscope::results {

/// run  key; empty: any run.
/// throws  StoreError (not_found): the metric is not asked for; lists those that are
void require_asked(Store& store, const std::string& run, const std::string& metric);

/// run   key; empty: any run
/// kind  dataset, model or explainer
/// name  what a filter keeps: its name, the id of its plugin, or its key; empty: all
/// throws  StoreError (not_found): there is none; lists the names of those that are
void require_component(Store& store, const std::string& run, const std::string& kind,
                       const std::string& name);

}  // namespace conoscope::results
