// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "metrics/factors/codes_and_factors.h"
#include "metrics/factors/latent_factors.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// At most 15,000 of the samples in an order drawn from the subject's seed: two thirds to train,
/// one third to test (as 10,000 and 5,000 in disentanglement_lib).
struct LatentSample {
  TrainAndTest split;                 ///< factors binned, see LatentFactors
  CodesAndFactors binned, annotated;  ///< of all rows, training rows first
};

struct LatentNeeds {
  Index codes = 1, factors = 1;  ///< that vary
};

/// throws  NotApplicable: fewer codes or factors than needed, or than 30 samples; as latent_factors
const LatentSample& latent_sample(const Subject& subject, LatentNeeds least);

/// What a metric is with other settings.
using ComputeWith =
    std::function<Result(const Subject&, const LatentSample&, const std::vector<Setting>&)>;

/// A metric of the group `disentanglement`, 0 ... 1, higher is better, with the sample's caveat.
///
/// parts  of what Metric::parts says: "factor" (that varies: the others have NaN), "code" or nothing
Metric latent_metric(const char* name, const char* question, std::string_view source,
                     LatentNeeds least, std::string_view parts,
                     std::function<Result(const Subject&, const LatentSample&)> compute,
                     std::vector<Setting> settings = {}, ComputeWith compute_with = {});

}  // namespace conoscope::metrics
