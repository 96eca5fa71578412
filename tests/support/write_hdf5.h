// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <hdf5.h>

#include <string>
#include <vector>

namespace conoscope::testing {

/// A HDF5 file that is being written.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    REQUIRE(file_ >= 0);
  }
  ~Hdf5Writer() { H5Fclose(file_); }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// A dataset of file type `type`, deflated in chunks (empty: contiguous). Groups on the way to
  /// the key are made. values: of memory type `memory`.
  void write(const std::string& key, hid_t type, hid_t memory, const std::vector<hsize_t>& shape,
             const void* values, const std::vector<hsize_t>& chunk = {}) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (!chunk.empty()) {
      H5Pset_chunk(layout, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(layout, 4);
    }
    const hid_t dataset = H5Dcreate2(file_, key.c_str(), type, space, links, layout, H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    REQUIRE(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Pclose(layout);
    H5Pclose(links);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

}  // namespace conoscope::testing
