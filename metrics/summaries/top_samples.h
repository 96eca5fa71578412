#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What does a concept look like? The 4 images of the test split in which it is strongest, the
/// strongest first, each in 16 x 16 pixels.
///
///   pixel_p = 65536 red + 256 green + blue, each 0 ... 255 from the smallest to the largest value of
///             all test images; row after row; a pixel is the mean of the area that it covers
///
/// Images that are not square are stretched. At most 12 concepts: the most important for any output where
/// there is an explanation, else the first; none whose score is the same in every sample. Of vectors, by
/// their probabilities.
///
/// Source: ours.
Summary top_samples();

/// Where does an explanation's concept fire in these images?
///
///   activation = psi(h_p; V)_k at position p of the sample, before the head pools its positions
///
/// Row and column of a square grid of positions, at most 8 x 8: larger ones are averaged over areas.
///
/// Source: ours.
Summary top_positions();

}  // namespace conoscope::metrics::declare
