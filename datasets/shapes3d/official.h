// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "datasets/factorial/official.h"

namespace conoscope::datasets::shapes3d {

/// The published file of 3dshapes, 3dshapes.h5 (Burgess & Kim, 2018;
/// https://github.com/google-deepmind/3d-shapes), or an extract of it, also as .npz:
///
///   images  n x 64 x 64 x 3 uint8
///   labels  n x 6 numbers: floor_hue, wall_hue, object_hue (0, 0.1 ... 0.9), scale (0.75 to 1.25 in 8
///           steps), shape (0 ... 3), orientation (-30 to 30 in 15 steps). Each is taken for the
///           nearest of its factor's values, which must not be farther than a hundredth of a step.
extern const OfficialLayout kOfficial;

}  // namespace conoscope::datasets::shapes3d
