// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the datasets of image files share.

#include <cstdint>
#include <string>
#include <vector>

#include "conoscope/sdk/dataset.h"
#include "datasets/formats/image.h"

namespace conoscope::datasets {

/// How images become inputs.
inline constexpr auto kImageParameters = sdk::parameters(
    sdk::integer("size", 64)
        .between(0, 4096)
        .help("the centre square of each image is brought to size x size; 0: as they are, all of "
              "one size"),
    sdk::text("colour", "rgb").choices({"rgb", "grey"}));

/// Their values.
struct ImageParameters {
  explicit ImageParameters(const sdk::ParamsOf<kImageParameters>& params)
      : size(static_cast<int>(params.integer("size"))),
        colour(params.text("colour") == "grey" ? formats::Colour::kGrey : formats::Colour::kRgb) {}

  int size;  ///< side of the square that the centre of each image becomes; 0: as they are
  formats::Colour colour;
};

/// The names in a folder that end like those of images (.png, .jpg, .jpeg, in any case), in the
/// order of their bytes. Hidden ones are left out.
/// throws  std::invalid_argument, beginning with the folder: cannot be read
std::vector<std::string> image_names(const std::string& folder);

/// Reads the images into `inputs`, n x height x width x channels, float32, 0 to 1.
/// throws  std::invalid_argument, beginning with the path: what read_image() refuses, or, as they
///         are (size 0), an image that is not as large as the first one
void write_image_inputs(const std::vector<std::string>& paths, const ImageParameters& how,
                        const sdk::Context& context, sdk::Sink& out);

}  // namespace conoscope::datasets
