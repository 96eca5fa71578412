// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "datasets/formats/array_file.h"

namespace conoscope::formats {

/// A .npz archive: .npy files in a zip, stored or deflated. Members are read when asked for, so one
/// that cannot be read (a pickled object) does no harm to the others.
///
/// names()  without ".npy"
///
/// get() throws  std::invalid_argument: no such member (lists those that are there), a damaged or
///               encrypted one, or what parse_npy() refuses
///
/// layout()  dtype and shape of a member; nothing but its header is unpacked. throws: as get()
///
/// read_rows()  unpacks a member piece by piece, so that it may be larger than the memory, and hands
///              over some of its rows (along the first axis). It stops after the last one: what lies
///              behind is not read, nor the checksum compared.
///   rows    row numbers, ascending
///   visit   visit(i, bytes of row rows[i]), in order; may throw
///   throws  std::invalid_argument: as get(); an array in Fortran order or big-endian, or a row that
///           is not there
class Npz : public ArrayFile {
 public:
  /// throws  std::invalid_argument, beginning with the path: no such file, not a zip archive, one
  ///         that holds an array twice, or one of PyTorch's; std::runtime_error: its reader's
  ///         library is missing
  explicit Npz(const std::string& path) : ArrayFile(path, ArchiveKind::npz) {}
};

}  // namespace conoscope::formats
