#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// A .npz archive: .npy files in a zip, stored or deflated. Members are read when asked for, so one
/// that cannot be read (a pickled object) does no harm to the others.
class Npz {
 public:
  /// throws  std::invalid_argument, beginning with the path: no such file, or not a zip archive
  explicit Npz(const std::string& path);

  const std::vector<std::string>& names() const { return names_; }  ///< without ".npy"
  bool has(const std::string& name) const;

  /// throws  std::invalid_argument: no such member (lists those that are there), a damaged or
  ///         encrypted one, or what parse_npy() refuses
  Array get(const std::string& name) const;

 private:
  std::string path_;
  std::shared_ptr<void> archive_;
  std::vector<std::string> names_;
};

}  // namespace conoscope::formats
