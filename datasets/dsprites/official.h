#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "datasets/factorial/table.h"
#include "datasets/formats/array_file.h"

namespace conoscope::datasets::dsprites {

/// The published file of dSprites, dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz or its .hdf5 twin
/// (Matthey et al., 2017; https://github.com/google-deepmind/dsprites-dataset), or an extract of
/// it. Its pickled member `metadata` is never opened.
class OfficialFile {
 public:
  /// images_key   n x 64 x 64 uint8, 0 or 1; "": imgs, or /imgs in HDF5
  /// classes_key  n x 6 whole numbers: color (always 0), shape, scale, orientation, posX, posY; "":
  ///              latents_classes, or /latents/classes in HDF5
  /// throws  std::invalid_argument, beginning with file and key: damaged, a key that is not there,
  ///         another dtype or shape, a class out of range
  OfficialFile(const std::string& path, const std::string& images_key,
               const std::string& classes_key);

  const FactorTable& table() const { return table_; }  ///< shape, scale, orientation, posX, posY

  /// Calls visit(i, pixels of row rows[i]); rows ascending. The images are read in one pass and are
  /// never in memory as a whole.
  /// throws  std::invalid_argument, beginning with file and key: damaged, or a pixel that is
  ///         neither 0 nor 1
  void read(std::span<const std::int64_t> rows,
            const std::function<void(std::size_t, std::span<const std::uint8_t>)>& visit) const;

 private:
  formats::ArrayFile file_;
  std::string images_key_;
  FactorTable table_;
};

}  // namespace conoscope::datasets::dsprites
