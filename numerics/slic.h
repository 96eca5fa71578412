// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

struct SlicOptions {
  Index segments = 50;      ///< wanted; more than there are pixels: one for each pixel
  double compactness = 20;  ///< m: how much a segment's shape counts beside its colour
  double sigma = 1;         ///< of the Gaussian before it, in pixels; 0: none
  int iterations = 10;      ///< of the local k-means
  double min_share = 0.25;  ///< a connected part below this share of a segment's usual size (H W /
                            ///< segments) goes to a neighbour
};

/// Into which compact patches of similar colour does an image divide? (SLIC superpixels)
///
///   D^2 = |lab_i - lab_k|^2 + (m / S)^2 |xy_i - xy_k|^2,   S = sqrt(H W / segments)
///
/// Local k-means in colour and place: centres start on a regular grid (where S >= 3, each on the
/// flattest pixel of the 3 x 3 around it), take pixels within S of them in both directions, and
/// move to the mean of their pixels. Ties go to the lowest centre; a pixel that no centre reaches
/// keeps its segment. Then every 4-connected part becomes a segment of its own, except those that
/// are too small, which join the one before them in row order.
///
/// pixels      (H W) x channels, row by row, entries in [0, 1]. Three channels are sRGB and become
///             CIE Lab (D65); one is grey: the Lab of a grey RGB, that is its lightness L alone.
/// returns     H W labels 0 ... L-1, all of them used, numbered in row order of their first pixel;
///             every segment is 4-connected. L is near `segments`, at most H W.
/// throws      std::invalid_argument: height, width or segments < 1; other channels than 1 or 3;
///             rows other than H W; an entry outside [0, 1] or not finite; a negative or infinite
///             option
///
/// Source: Achanta, Shaji, Smith, Lucchi, Fua & Suesstrunk, "SLIC superpixels compared to
/// state-of-the-art superpixel methods", IEEE TPAMI 34(11), 2012.
/// scikit-image differs: it does not move the first centres, leaves grey images in [0, 1] beside
/// places in pixels, and lets parts below half the usual size go.
std::vector<Index> slic(const MatrixRef& pixels, Index height, Index width,
                        const SlicOptions& options = {});

}  // namespace conoscope::numerics
