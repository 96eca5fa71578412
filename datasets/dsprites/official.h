// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "datasets/factorial/official.h"

namespace conoscope::datasets::dsprites {

/// The published file of dSprites, dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz or its .hdf5 twin
/// (Matthey et al., 2017; https://github.com/google-deepmind/dsprites-dataset), or an extract of it:
///
///   imgs             n x 64 x 64 uint8, 0 or 1
///   latents_classes  n x 6 whole numbers: color (always 0), shape, scale, orientation, posX, posY
extern const OfficialLayout kOfficial;

}  // namespace conoscope::datasets::dsprites
