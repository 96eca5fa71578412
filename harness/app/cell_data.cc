// SPDX-License-Identifier: Apache-2.0
#include "harness/app/cell_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/measure/part_names.h"
#include "harness/core/run/kept_artifacts.h"
#include "harness/core/run/subject.h"

namespace conoscope::app {

/// The images of a dataset's test split.
struct KeptCellData::Images {
  explicit Images(const std::filesystem::path& folder)
      : dataset(core::ArrayBag::open_fresh(folder)) {
    const auto inputs = dataset.find("inputs");
    if (!inputs || inputs->dimensions() != 4 || inputs->size() == 0) return;
    if (inputs->shape(3) != 1 && inputs->shape(3) != 3) return;
    const auto index = dataset.get("test_index").values<const std::int64_t>();
    test = core::rows_of(dataset, index, inputs->rows(), core::Which::kAnnotations);
    const auto size = [&inputs](int axis) {
      return static_cast<std::uint32_t>(inputs->shape(axis));
    };
    shape = {size(2), size(1), size(3), {}};
    pixels = core::rows_in(test.get("inputs"), 1);
    numerics::for_each_block(pixels, 1, [this](metrics::Index, const metrics::Matrix& block) {
      low = std::min(low, block.minCoeff());
      high = std::max(high, block.maxCoeff());
    });
  }

  std::optional<results::Picture> picture(std::int64_t sample) const {
    if (sample < 0 || sample >= pixels.rows()) return std::nullopt;
    results::Picture out = shape;
    const metrics::Matrix row = pixels.block(sample, 1);
    for (const double value : row.reshaped())
      out.bytes += static_cast<char>(static_cast<unsigned char>(
          high > low ? std::lround(255.0 * (value - low) / (high - low)) : 0));
    return out;
  }

  core::ArrayBag dataset, test;
  results::Picture shape;  ///< without bytes
  numerics::RowSource pixels;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

results::CellData KeptCellData::of(const std::string& cell) {
  results::CellData out;
  const auto kept = core::kept_artifacts(store_, cell, cache_);
  if (kept.dataset.empty()) return out;
  try {
    auto& images = images_[kept.dataset];
    if (!images) images = std::make_shared<const Images>(kept.dataset);
    const auto names = core::axis_names(
        images->dataset,
        kept.model.empty() ? core::ArrayBag() : core::ArrayBag::open_fresh(kept.model));
    for (const auto& [axis, to] :
         {std::pair("output", &out.classes), {"concept", &out.concepts}, {"factor", &out.factors}})
      if (names.given.contains(axis)) *to = names.of.at(axis);
    out.picture = [images](std::int64_t sample) { return images->picture(sample); };
  } catch (const std::runtime_error&) {  // `conoscope verify` is for what is damaged
  }
  return out;
}

}  // namespace conoscope::app
