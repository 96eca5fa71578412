// SPDX-License-Identifier: Apache-2.0
// Not broken: a model that takes images, for broken datasets to be fed to.

#include "tests/broken_plugins/image_model.h"

using conoscope::broken::ImageModel;

CONOSCOPE_MODEL(ImageModel, "image_model", "1.0.0", R"toml(
summary = "the pixels themselves under a fixed head"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view"]
seeded = false
)toml")
