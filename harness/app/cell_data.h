// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "results/report/explained_sample.h"
#include "results/store/store.h"

namespace conoscope::app {

/// Names and images of the data that cells were judged on, read from the cache: stores hold scores, not
/// data.
class KeptCellData {
 public:
  KeptCellData(results::Store& store, std::filesystem::path cache)
      : store_(store), cache_(std::move(cache)) {}

  /// Nothing where the cache no longer has the data, or where they are no images of one or three
  /// channels. The smallest value of the test split's images is black, the largest white.
  results::CellData of(const std::string& cell);

 private:
  struct Images;

  results::Store& store_;
  std::filesystem::path cache_;
  std::map<std::filesystem::path, std::shared_ptr<const Images>> images_;  ///< by dataset folder
};

}  // namespace conoscope::app
