// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a sanity ladder: subjects made from the annotations themselves, spoilt on purpose.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"

namespace conoscope::models {

/// What of a perfect subject is spoilt: 0, 1/2 or 1.
inline double spoilt_share(const std::string& step) {
  if (step == "perfect") return 0.0;
  if (step == "half") return 0.5;
  if (step == "random") return 1.0;
  throw std::invalid_argument("step: '" + step + "', expected perfect, half or random");
}

/// A share of all rows, drawn without replacement; rounded to the nearest number of rows.
inline std::vector<std::size_t> drawn_rows(std::size_t rows, double share, sdk::Seed seed) {
  std::vector<std::size_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = i;
  sdk::Random random(seed);
  random.shuffle(order);
  order.resize(static_cast<std::size_t>(share * static_cast<double>(rows) + 0.5));
  return order;
}

/// Row i of a column is to hold what row result[i] held: a share of the rows exchange their values,
/// so the column keeps its distribution and loses what it said of these samples. share = 0: the
/// identity.
inline std::vector<std::size_t> shuffled_column(std::size_t rows, double share, sdk::Seed seed) {
  const std::vector<std::size_t> chosen = drawn_rows(rows, share, seed.child("rows"));
  std::vector<std::size_t> from = chosen, out(rows);
  sdk::Random random(seed.child("order"));
  random.shuffle(from);
  for (std::size_t i = 0; i < rows; ++i) out[i] = i;
  for (std::size_t i = 0; i < chosen.size(); ++i) out[chosen[i]] = from[i];
  return out;
}

}  // namespace conoscope::models
