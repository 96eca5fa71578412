// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What structure do the embeddings of a concept have besides the concept's value? The two principal
/// components of each concept's vectors, by sample.
///
///   x_i = (e_i - mean e) v_1,   y_i = (e_i - mean e) v_2,   v the leading eigenvectors of cov(e)
///
/// The entry of v that is largest in size is positive. At most 6 concepts and 200 samples, evenly
/// spaced over the test split; the components are those of all its samples.
///
/// Source: Parisini et al., 2025, Figs. 9, 11, 21 and 22.
Summary embedding_components();

}  // namespace conoscope::metrics::declare
