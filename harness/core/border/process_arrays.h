#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conoscope/sdk/tensor.h"

namespace conoscope::core {

// Arrays on their way to a process plugin and back: .npy files in a folder that both know.

/// Writes the array, row-major and without gaps, to a file that was not there before: whoever has
/// mapped an earlier one keeps what it held.
/// throws  std::runtime_error: it cannot be written
void write_array(const std::filesystem::path& file, const cono_tensor& tensor);

/// An array that the plugin has left, and has not been taken yet.
class LeftArray {
 public:
  /// what  the array, for messages
  /// throws  OutputFault: `name` is no plain name of a .npy file in the folder, or that file is none,
  ///         has a dtype that is not one of the border's, is in Fortran order or cut short, or has
  ///         extents whose product, without those of 0, is more than any memory holds
  LeftArray(const std::filesystem::path& folder, const std::string& name, std::string what);
  ~LeftArray();  ///< removes the file
  LeftArray(const LeftArray&) = delete;
  LeftArray& operator=(const LeftArray&) = delete;

  std::int32_t dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t bytes() const { return bytes_; }

  /// Fills an array of the same dtype and shape.
  void take(void* data) const;
  /// Fills the contiguous array `out`, of F64, converting.
  /// throws  OutputFault: another shape
  void convert_to(const cono_tensor& out) const;

 private:
  std::filesystem::path file_;
  std::string what_;
  int fd_ = -1;
  std::int32_t dtype_ = 0;
  std::vector<std::int64_t> shape_;
  std::size_t offset_ = 0, bytes_ = 0;
};

}  // namespace conoscope::core
