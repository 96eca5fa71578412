// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "datasets/factorial/table.h"
#include "datasets/formats/array_file.h"

namespace conoscope::datasets {

/// How a published file lies on the disk, as .npz or .hdf5.
struct OfficialLayout {
  std::string images;               ///< the array of images; in HDF5 /images
  std::vector<std::int64_t> shape;  ///< of one image, uint8
  bool black_and_white;             ///< its numbers are 0 and 1
  std::string classes, in_hdf5;     ///< the array of factors, and its name there
  std::string word;                 ///< for what that array holds
  FactorTable (*read_table)(const formats::Array& classes);
};

/// The published file of a dataset, or an extract of it. An npz's pickled members are never opened.
class OfficialFile {
 public:
  /// images_key, classes_key  "": the layout's
  /// throws  std::invalid_argument, beginning with file and key: damaged, a key that is not there,
  ///         another dtype or shape, or as read_table()
  OfficialFile(const std::string& path, const std::string& images_key,
               const std::string& classes_key, const OfficialLayout& layout);

  const FactorTable& table() const { return table_; }

  /// Calls visit(i, numbers of row rows[i]); rows ascending. The images are read in one pass and are
  /// never in memory as a whole.
  /// throws  std::invalid_argument, beginning with file and key: damaged, or a number that is neither
  ///         0 nor 1 where it should be
  void read(std::span<const std::int64_t> rows,
            const std::function<void(std::size_t, std::span<const std::uint8_t>)>& visit) const;

 private:
  formats::ArrayFile file_;
  std::string images_key_;
  bool black_and_white_;
  FactorTable table_;
};

}  // namespace conoscope::datasets
