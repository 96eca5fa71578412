// SPDX-License-Identifier: Apache-2.0
#pragma once

// What datasets with more samples than are wanted share.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conoscope/sdk/dataset.h"

namespace conoscope::datasets {

/// The parameter that draw_rows() obeys.
constexpr sdk::Parameter drawn_samples(std::int64_t standard) {
  return sdk::integer("samples", standard)
      .at_least(0)
      .help("how many images, drawn by the seed without replacement; 0: all of them");
}

/// Some of the rows, drawn without replacement, ascending. samples 0: all of them.
///
/// rows    ascending
/// throws  std::invalid_argument, beginning with `who`: rows is empty, samples is negative, or more
///         than there are
inline std::vector<std::int64_t> draw_rows(std::vector<std::int64_t> rows, std::int64_t samples,
                                           sdk::Seed seed, const std::string& who) {
  if (rows.empty()) throw std::invalid_argument(who + ": no image is left to draw from");
  const auto all = static_cast<std::int64_t>(rows.size());
  if (samples < 0 || samples > all)
    throw std::invalid_argument(who + ": samples is " + std::to_string(samples) +
                                ", but there are " + std::to_string(all) +
                                " images; 0 takes them all");
  if (samples == 0) return rows;
  // The first steps of a Fisher-Yates shuffle.
  sdk::Random random(seed);
  const auto wanted = static_cast<std::size_t>(samples);
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(rows[i], rows[i + static_cast<std::size_t>(random.below(rows.size() - i))]);
  rows.resize(wanted);
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Says how far it is, and stops when asked, every so many images.
inline void tick(const sdk::Context& context, std::size_t done, std::size_t all) {
  if (done % 64 != 0) return;
  context.check_cancelled();
  context.progress(static_cast<double>(done) / static_cast<double>(all));
}

}  // namespace conoscope::datasets
