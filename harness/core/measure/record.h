// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/core/measure/measure.h"
#include "results/store/store.h"

namespace conoscope::core {

/// What boards call the things that were measured.
struct MeasuredNames {
  std::string run, dataset, model, explanation;
};

/// Keeps what was measured as cells like others: one for each subject, control and split, with an
/// attempt, and where it was compared with other splits one more, which names these. All that is
/// measured on the same dataset under the same name of the run is one run. The arrays
/// are known by their content: those about the samples are the dataset, those of the network the
/// model, and cavs, importance and counts the explanation, all of the plugin id `files`.
///
/// request  with keep_hashes, so that `measured` knows the arrays
/// throws   results::StoreError
void record_measured(const MeasureRequest& request, const Measured& measured,
                     const MeasuredNames& names, results::Store& store);

}  // namespace conoscope::core
