// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/array_file.h"
#include "datasets/formats/file.h"

namespace conoscope::formats {

/// A .safetensors file: eight bytes with the length of a JSON header, the header, the numbers. The
/// file is mapped; BF16, which Array does not know, is widened to float32 (exactly) when it is asked
/// for.
class Safetensors final : public NamedArrays {
 public:
  /// Believes nothing that the header says before it has compared it with the file.
  ///
  /// throws  std::invalid_argument, beginning with the path: no such file, cut short, or a header
  ///         that is not what the format says, lists a key twice, has bytes that lie outside of
  ///         the file, are shared by two arrays or belong to none, or are not as many as dtype and
  ///         shape need
  explicit Safetensors(const std::string& path);

  std::vector<std::string> names() const override { return names_; }  ///< in the header's order
  bool has(const std::string& name) const override;

  /// throws  std::invalid_argument: no such array (lists those that are there), or of a dtype that
  ///         is not read (float8, ...)
  Array get(const std::string& name) const override;
  ArrayLayout layout(const std::string& name) const override;
  /// As Npz::read_rows().
  void read_rows(const std::string& name, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const override;

 private:
  struct Entry {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::span<const char> bytes;
  };

  const Entry& entry(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::string> names_;
  std::vector<Entry> entries_;  ///< of names_
};

}  // namespace conoscope::formats
