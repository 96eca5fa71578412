// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "conoscope/sdk/tensor.h"
#include "harness/core/artifacts/file_memory.h"
#include "harness/core/artifacts/hashed_files.h"

namespace conoscope::core {

/// Whether an array may be called so: letters, digits, _ and ., no more than 100, not . first.
bool is_plain_name(std::string_view name);

/// Arrays and texts by name: what a dataset, a model or an explainer left behind. Either read from
/// a folder (one .npy file an array, texts in texts.tsv, hashes in manifest.tsv) or put together in memory.
class ArrayBag {
 public:
  /// Every array can be read, not written to; large ones are mapped. Looks at every byte: this
  /// costs a pass over the files, but for those that `hashed` knows.
  /// throws  DamagedArtifact: not a finished artifact, or not what its manifest says
  static ArrayBag open(const std::filesystem::path& folder, HashedFiles hashed = HashedFiles());
  /// What an ArtifactWriter has just finished, not sealed yet.
  static ArrayBag open_fresh(const std::filesystem::path& folder);

  ArrayBag() = default;
  ArrayBag(ArrayBag&&) = default;
  ArrayBag& operator=(ArrayBag&&) = default;

  std::optional<sdk::Tensor> find(std::string_view name) const;
  sdk::Tensor get(std::string_view name) const;  ///< throws std::runtime_error: not there
  std::string text(std::string_view key, std::string_view otherwise = "") const;
  std::vector<std::string> names() const;
  const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }

  /// Borrows: the caller keeps the memory alive.
  void add(const std::string& name, const cono_tensor& tensor);
  /// Zeroed memory of the bag's own, to be filled; contiguous.
  char* add_empty(const std::string& name, std::int32_t dtype,
                  const std::vector<std::int64_t>& shape);
  /// Takes a copy of the numbers.
  template <typename T>
  void add_copy(const std::string& name, const T* data, const std::vector<std::int64_t>& shape) {
    char* target = add_empty(name, sdk::dtype_of<T>(), shape);
    std::copy_n(reinterpret_cast<const char*>(data),
                static_cast<std::size_t>(get(name).size()) * sizeof(T), target);
  }
  /// Takes over the other bag's arrays, and the memory that it owns, under names not yet used.
  void adopt(ArrayBag&& other);
  void copy_texts(const ArrayBag& other) {
    texts_.insert(other.texts_.begin(), other.texts_.end());
  }
  void set_text(const std::string& key, const std::string& value) { texts_[key] = value; }
  /// Adds what the other bag has and this one has not. The other must outlive this one's use.
  void borrow_missing(const ArrayBag& other);

  /// The bag as a plugin sees it; valid until the next change.
  const cono_arrays* raw() const;

 private:
  void take_texts(const std::string& lines);
  void take_array(const std::filesystem::path& file, std::shared_ptr<void> memory,
                  std::size_t size);

  std::map<std::string, cono_tensor, std::less<>> arrays_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::vector<std::shared_ptr<void>> owners_;
  mutable std::vector<cono_array> raw_arrays_;
  mutable std::vector<cono_text> raw_texts_;
  mutable cono_arrays raw_{};
};

/// Collects a plugin's outputs in a folder; large arrays are files that are mapped while they are
/// filled, small ones are written when all are there.
class ArtifactWriter {
 public:
  /// throws  std::runtime_error: the folder cannot be made
  explicit ArtifactWriter(std::filesystem::path folder);
  ~ArtifactWriter();
  ArtifactWriter(const ArtifactWriter&) = delete;
  ArtifactWriter& operator=(const ArtifactWriter&) = delete;

  const cono_sink* sink() const { return &sink_; }

  /// Writes small arrays and texts.tsv; seal_artifact() then makes an artifact of the folder.
  /// throws  std::runtime_error: no space left, or another fault of the disk
  void finish();

  /// Why the last create() or text() failed, and whether it was the disk's fault rather than the
  /// plugin's; empty: none did.
  const std::string& fault() const { return fault_; }
  bool disk_fault() const { return disk_fault_; }

 private:
  cono_status create(const char* name, std::int32_t dtype, std::int32_t ndim,
                     const std::int64_t* shape, cono_tensor* out);
  cono_status text(const char* key, const char* value);

  std::filesystem::path folder_;
  std::vector<NewFile> files_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> names_;
  std::string fault_;
  bool disk_fault_ = false;
  cono_sink sink_{};
};

}  // namespace conoscope::core
