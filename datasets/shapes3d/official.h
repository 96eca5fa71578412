#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "datasets/factorial/table.h"
#include "datasets/formats/array_file.h"

namespace conoscope::datasets::shapes3d {

/// The published file of 3dshapes, 3dshapes.h5 (Burgess & Kim, 2018;
/// https://github.com/google-deepmind/3d-shapes), or an extract of it, also as .npz.
class OfficialFile {
 public:
  /// images_key  n x 64 x 64 x 3 uint8; "": /images (.npz: images)
  /// labels_key  n x 6 numbers: floor_hue, wall_hue, object_hue (0, 0.1 ... 0.9), scale (0.75 to
  ///             1.25 in 8 steps), shape (0 ... 3), orientation (-30 to 30 in 15 steps); "":
  ///             /labels (.npz: labels). Each is taken for the nearest of its factor's values, which
  ///             must not be farther than a hundredth of a step.
  /// throws      std::invalid_argument, beginning with file and key: damaged, a key that is not
  ///             there, another dtype or shape, a value that is none of its factor's
  OfficialFile(const std::string& path, const std::string& images_key,
               const std::string& labels_key);

  const FactorTable& table() const { return table_; }

  /// Calls visit(i, numbers of row rows[i]); rows ascending. The images are never in memory as a
  /// whole.
  /// throws  std::invalid_argument, beginning with file and key: damaged
  void read(std::span<const std::int64_t> rows,
            const std::function<void(std::size_t, std::span<const std::uint8_t>)>& visit) const;

 private:
  formats::ArrayFile file_;
  std::string images_key_;
  FactorTable table_;
};

}  // namespace conoscope::datasets::shapes3d
