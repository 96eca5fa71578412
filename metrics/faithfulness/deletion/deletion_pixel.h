// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Proxy: how accurate is the model as the pixels of its most important concepts are painted over?
///
///   deletion_pixel_auc            each pixel belongs to the concept of the label's class with the
///                                 largest score at the pixel's position (ties: the lowest index);
///                                 deleted pixels take the training images' mean, channel by
///                                 channel, and the image runs through the whole model; accuracy
///                                 (see deletion_parts), mean over samples
///   deletion_pixel_classes_lost   CDISCO M1: classes that lost > 80 % of their accuracy by that,
///                                 mean over the steps k = 1 ... K_c of each class
///
/// The position map is brought to the image's size by nearest neighbour; see position_grid. All
/// deletes cumulatively, by decreasing importance; areas are over the deleted share k / K_c. The
/// paper argues against it (Sec. 4.1): it is unclear how a concept is deleted without touching
/// others (a grey patch is an object too), and what is left may lie off the data manifold. Offered
/// for comparison with published numbers. Classes without a concept or a sample do not count.
///
/// Departures: ACE and CDISCO paint with 117/255, MCD inpaints, HU-MCD masks inside the network;
/// here the mean of the training images stands for grey, whatever range their values have. ACE
/// deletes segments, not the pixels of a position map.
///
/// For softmax heads, not flattened, whose positions (more than one) form a grid like the image.
/// Throws std::invalid_argument: images with other samples than the head, a mean of another size,
/// activations of another shape.
///
/// Source: Ghorbani et al., ACE, NeurIPS 2019; Graziani et al., CDISCO (M1), 2023; as classified in
/// Kumar and Ahuja, arXiv 2504.10833, Table 1.
namespace declare {
std::vector<Metric> deletion_pixel();
}  // namespace declare

/// How do the positions of a feature map lie in the image? Views know their number alone.
///
/// returns  rows x columns with rows * columns = positions, whose aspect is nearest to the image's
///          on the scale of ratios (of equals the one of more rows); {0, 0}: even that one is off
///          by more than a factor sqrt(2), so the positions cannot be a map of the image
/// throws   std::invalid_argument: an argument < 1
std::pair<Index, Index> position_grid(Index positions, Index height, Index width);

}  // namespace conoscope::metrics
