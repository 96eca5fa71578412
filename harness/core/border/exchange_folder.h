// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conoscope/sdk/tensor.h"

namespace conoscope::core {

/// A folder in which arrays lie as .npy files, on their way to a script and back. What it was when it
/// was opened, it stays: a plugin may write to it, rename it, and put another in its place.
class ExchangeFolder {
 public:
  /// throws  std::runtime_error: it cannot be made
  explicit ExchangeFolder(std::filesystem::path folder);
  ~ExchangeFolder();
  ExchangeFolder(const ExchangeFolder&) = delete;
  ExchangeFolder& operator=(const ExchangeFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return fd_; }

  /// Writes the array, row-major and without gaps, to a file that was not there before: whoever has
  /// mapped an earlier one keeps what it held.
  /// throws  std::runtime_error: it cannot be written
  void write(const std::string& name, const cono_tensor& tensor) const;
  void remove(const std::string& name) const;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// An array that the plugin has left, and has not been taken yet.
class LeftArray {
 public:
  /// what  the array, for messages
  /// throws  OutputFault: `name` is no plain name of a .npy file in the folder, or that file is none,
  ///         has a dtype that is not one of the border's, is in Fortran order or cut short, or has
  ///         extents whose product, without those of 0, is more than any memory holds
  LeftArray(const ExchangeFolder& folder, std::string name, std::string what);
  ~LeftArray();  ///< removes the file
  LeftArray(const LeftArray&) = delete;
  LeftArray& operator=(const LeftArray&) = delete;

  std::int32_t dtype() const { return dtype_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }

  /// Fills an array of the same dtype and shape.
  void take(void* data) const;
  /// Fills doubles, as many as it has elements.
  void convert_to(double* out) const;

 private:
  const ExchangeFolder& folder_;
  std::string name_, what_;
  int fd_ = -1;
  std::int32_t dtype_ = 0;
  std::vector<std::int64_t> shape_;
  std::size_t offset_ = 0, bytes_ = 0;
};

}  // namespace conoscope::core
